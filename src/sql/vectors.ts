import type { DuckDBType } from '@duckdb/node-api';
import type { DataChunk, Vector } from '@duckdb/node-bindings';
import type { Column } from '../core/column.ts';
import type { Field } from '../core/schema.ts';
import { isArray } from '../export/csv.ts';
import { bits, type PlainOptions, type PlainType, plainNumbers, plainTexts, plainType } from '../export/plain.ts';
import type { Duckdb } from './engine.ts';

/*
 * Values into the vectors of DuckDB. Numbers are moved as they are. A text is 16 bytes:
 *
 *     length (4) | up to 12 bytes of text, zeros after them
 *
 * and one that is longer is put there by DuckDB itself, which keeps it elsewhere.
 */

const TEXT_BYTES = 16;
const SHORT_TEXT = 12;
/** Bytes of validity are copied by words. */
const WORD = 8;
const TWO_32 = 2 ** 32;
const TWO_63 = 2 ** 63;

export function sqlType({ api }: Duckdb, field: Field, options: PlainOptions): DuckDBType {
  const types: Readonly<Record<PlainType, DuckDBType>> = {
    int8: api.TINYINT,
    uint8: api.UTINYINT,
    int16: api.SMALLINT,
    uint16: api.USMALLINT,
    int32: api.INTEGER,
    uint32: api.UINTEGER,
    int64: api.BIGINT,
    uint64: api.UBIGINT,
    float32: api.FLOAT,
    float64: api.DOUBLE,
    text: api.VARCHAR,
    bytes: api.BLOB,
  };
  const type = types[plainType(field, options)];
  return isArray(field) ? api.ARRAY(type, field.count) : type;
}

/** Puts rows of columns and their times into a chunk of DuckDB. */
export class VectorWriter {
  private readonly bindings: Duckdb['bindings'];
  private readonly options: PlainOptions;
  private readonly texts: Uint8Array<ArrayBuffer>;
  private readonly lengths: Uint32Array;
  /** Times in two halves each, the lower one first. */
  private readonly words: Int32Array<ArrayBuffer>;
  private readonly scaled: Float64Array<ArrayBuffer>;

  constructor({ bindings }: Duckdb, options: PlainOptions) {
    this.bindings = bindings;
    this.options = options;
    const rows = bindings.vector_size();
    this.texts = new Uint8Array(rows * TEXT_BYTES);
    this.lengths = new Uint32Array(this.texts.buffer);
    this.words = new Int32Array(rows * 2);
    this.scaled = new Float64Array(rows);
  }

  writeTimes(chunk: DataChunk, place: number, times: Float64Array, from: number, to: number): void {
    const vector = this.bindings.data_chunk_get_vector(chunk, place);
    const isTime = (i: number): boolean => Math.abs(times[from + i]) < TWO_63;
    const { words } = this;
    let isWhole = true;
    for (let row = from, at = 0; row < to; row++, at += 2) {
      const micros = Math.round(times[row]);
      // two halves, because a bigint for each row takes longer than all the rest
      const upper = Math.floor(micros / TWO_32);
      words[at] = micros - upper * TWO_32;
      words[at + 1] = upper;
      isWhole &&= Math.abs(micros) < TWO_63;
    }
    this.bindings.copy_data_to_vector(vector, 0, words.buffer, 0, (to - from) * 8);
    if (!isWhole) this.validity(vector, bits(to - from, isTime));
  }

  write(chunk: DataChunk, place: number, column: Column, from: number, to: number): void {
    const vector = this.bindings.data_chunk_get_vector(chunk, place);
    const type = plainType(column.field, this.options);
    if (type === 'text' || type === 'bytes') {
      this.writeTexts(vector, column, from, to);
      return;
    }
    const { data, rows, elements } = plainNumbers(column, from, to, this.options, this.scaled);
    const isList = isArray(column.field);
    const target = isList ? this.bindings.array_vector_get_child(vector) : vector;
    this.bindings.copy_data_to_vector(target, 0, data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
    this.validity(vector, rows);
    if (isList) this.validity(target, elements);
  }

  private writeTexts(vector: Vector, column: Column, from: number, to: number): void {
    if (column.field.type === 'unknown') {
      this.validity(
        vector,
        bits(to - from, () => false),
      );
      return;
    }
    const { bytes, offsets } = plainTexts(column, from, to);
    const { texts, lengths } = this;
    texts.fill(0, 0, (to - from) * TEXT_BYTES);
    const long: number[] = [];
    for (let i = 0; i < to - from; i++) {
      const length = offsets[i + 1] - offsets[i];
      if (length > SHORT_TEXT) {
        long.push(i);
        continue;
      }
      lengths[i * 4] = length;
      for (let k = 0, at = i * TEXT_BYTES + 4; k < length; k++) texts[at + k] = bytes[offsets[i] + k];
    }
    this.bindings.copy_data_to_vector(vector, 0, texts.buffer, 0, (to - from) * TEXT_BYTES);
    for (const i of long)
      this.bindings.vector_assign_string_element_len(vector, i, bytes.subarray(offsets[i], offsets[i + 1]));
  }

  private validity(vector: Vector, valid: Uint8Array<ArrayBuffer> | undefined): void {
    if (!valid) return;
    this.bindings.vector_ensure_validity_writable(vector);
    const length = Math.ceil(valid.length / WORD) * WORD;
    this.bindings.copy_data_to_vector_validity(vector, 0, valid.buffer, valid.byteOffset, length);
  }
}
