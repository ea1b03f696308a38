import {
  Field as ArrowField,
  Binary,
  type Data,
  type DataType,
  FixedSizeList,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
} from 'apache-arrow';
import { joined } from '../core/bytes.ts';
import type { Column } from '../core/column.ts';
import type { Field } from '../core/schema.ts';
import { columnNames, type Table, type TableBlock, type TableRange } from '../core/table.ts';
import { isArray } from './csv.ts';
import { bits, type PlainOptions, type PlainType, plainNumbers, plainTexts, plainType } from './plain.ts';

/*
 * The Arrow IPC file format: a batch for some thousands of rows. The first column is the time, microseconds in UTC;
 * arrays are lists of a fixed size; missing is null. Units are in the metadata of the fields, where the rows are from
 * in that of the schema.
 * https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
 */

export interface ArrowOptions extends TableRange, PlainOptions {
  /** What is said of the whole file: where the rows are from. */
  readonly metadata?: ReadonlyMap<string, string> | undefined;
}

const TYPES: Readonly<Record<PlainType, () => DataType>> = {
  int8: () => new Int8(),
  uint8: () => new Uint8(),
  int16: () => new Int16(),
  uint16: () => new Uint16(),
  int32: () => new Int32(),
  uint32: () => new Uint32(),
  int64: () => new Int64(),
  uint64: () => new Uint64(),
  float32: () => new Float32(),
  float64: () => new Float64(),
  text: () => new Utf8(),
  bytes: () => new Binary(),
};

export async function* writeArrow(table: Table, options: ArrowOptions = {}): AsyncGenerator<Uint8Array> {
  const schema = schemaOf(table, options);
  const writer = new PieceWriter();
  writer.reset(undefined, schema);
  for await (const block of table.blocks(options)) {
    writer.write(batchOf(schema, block, options));
    yield writer.taken();
  }
  writer.finish();
  yield writer.taken();
}

/** Keeps what is written until it is taken, so that no more than a batch is ever held. */
class PieceWriter extends RecordBatchFileWriter {
  private pieces: Uint8Array[] = [];

  protected override _write(chunk: ArrayBufferView): this {
    const piece = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.pieces.push(piece);
    this._position += piece.length;
    return this;
  }

  taken(): Uint8Array {
    const bytes = joined(this.pieces);
    this.pieces = [];
    return bytes;
  }
}

function schemaOf(table: Table, options: ArrowOptions): Schema {
  const [time, ...names] = columnNames(table);
  const fields = table.fields.map(
    (field, i) => new ArrowField(names[i], typeOf(field, options), true, metadataOf(field, options)),
  );
  return new Schema(
    [new ArrowField(time, new TimestampMicrosecond('UTC'), true), ...fields],
    new Map(options.metadata),
  );
}

function typeOf(field: Field, options: PlainOptions): DataType {
  const type = TYPES[plainType(field, options)]();
  return isArray(field) ? new FixedSizeList(field.count, new ArrowField('item', type, true)) : type;
}

function metadataOf({ unit, siUnit, multiplier }: Field, { si }: PlainOptions): Map<string, string> {
  const shown = si && multiplier !== undefined ? siUnit : unit;
  return new Map(shown === '' ? [] : [['unit', shown]]);
}

function batchOf(schema: Schema, { from, to, times, columns }: TableBlock, options: PlainOptions): RecordBatch {
  const length = to - from;
  const children = columns.map((column, i) => columnData(schema.fields[i + 1].type, column, from, to, options));
  const type = new Struct(schema.fields);
  return new RecordBatch(
    schema,
    makeData({ type, length, nullCount: 0, children: [timeData(times, from, to), ...children] }),
  );
}

function timeData(times: Float64Array, from: number, to: number): Data {
  const data = new BigInt64Array(to - from);
  for (let row = from; row < to; row++) if (isTime(times[row])) data[row - from] = BigInt(Math.round(times[row]));
  const nullBitmap = bits(to - from, (i) => isTime(times[from + i]));
  return makeData({ type: new TimestampMicrosecond('UTC'), length: to - from, ...nulls(nullBitmap), data });
}

/** Whether there is a time, and one that 64 bits can hold. */
function isTime(micros: number): boolean {
  return Math.abs(micros) < 2 ** 63;
}

function columnData(type: DataType, column: Column, from: number, to: number, options: PlainOptions): Data {
  const length = to - from;
  const kind = plainType(column.field, options);
  if (kind === 'text' || kind === 'bytes') {
    const { bytes, offsets } = plainTexts(column, from, to);
    const none = column.field.type === 'unknown' ? bits(length, () => false) : undefined;
    return makeData({ type: type as Utf8, length, ...nulls(none), valueOffsets: offsets, data: bytes });
  }
  const { data, rows, elements, count } = plainNumbers(column, from, to, options);
  if (!isArray(column.field))
    return makeData({ type: type as Float64, length, ...nulls(rows), data: data as Float64Array });
  const child = makeData({
    type: (type as FixedSizeList).children[0].type as Float64,
    length: length * count,
    ...nulls(elements),
    data: data as Float64Array,
  });
  return makeData({ type: type as FixedSizeList, length, ...nulls(rows), child });
}

/** How many are missing is counted by the reader of the bits. */
function nulls(nullBitmap: Uint8Array | undefined): { nullCount: number; nullBitmap?: Uint8Array } {
  return nullBitmap ? { nullCount: -1, nullBitmap } : { nullCount: 0 };
}
