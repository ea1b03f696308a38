import type { Codec } from '../../../src/core/codec.ts';
import type { Decoder, Sink } from '../../../src/core/decoder.ts';
import { RecordBatch } from '../../../src/core/decoder.ts';
import type { Fault } from '../../../src/core/fault.ts';
import type { Format } from '../../../src/core/format.ts';
import type { Schema } from '../../../src/core/schema.ts';
import type { PlainDecoder, PlainRecord } from '../../suite/plain.ts';

/*
 * A frame stands or falls as a whole: its one checksum covers all of its items, so that a byte that is wrong, missing or
 * put between costs all of them. What formats promise about damage is therefore said of frames. Here the records of a
 * frame become one, whose name and fields are those of all of them.
 */

/** Where the frame ends that begins at a place; what is none of XBUS is a record by itself. */
export function frameEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0xfa) return at + 1;
  return bytes[at + 3] === 0xff ? at + 7 + bytes[at + 4] * 256 + bytes[at + 5] : at + 5 + bytes[at + 3];
}

function fullName(name: string, stream: string): string {
  return stream === '' ? name : `${name}[${stream}]`;
}

/** The same format, with one record for each frame. */
export function byFrames(format: Format): Format {
  return {
    ...format,
    decoder(sink, options) {
      const joiner = new Joiner(sink);
      return joining(format.decoder(joiner, options), joiner);
    },
  };
}

function joining(decoder: Decoder, joiner: Joiner): Decoder {
  return {
    push: (bytes) => decoder.push(bytes),
    end: () => decoder.end(),
    again(sink) {
      const next = new Joiner(sink);
      const again = decoder.again?.(next);
      return again && joining(again, joiner);
    },
  };
}

class Joiner implements Sink {
  private readonly sink: Sink;
  private readonly schemas: Schema[] = [];
  private readonly streams: string[] = [];
  private readonly known: Map<string, number> = new Map();

  constructor(sink: Sink) {
    this.sink = sink;
  }

  table(id: number, schema: Schema, stream: string): void {
    this.schemas[id] = schema;
    this.streams[id] = stream;
  }

  records(batch: RecordBatch): void {
    const joined = new RecordBatch(batch.count);
    joined.bytes = batch.bytes;
    joined.base = batch.base;
    for (let i = 0; i < batch.count; ) {
      const start = batch.start[i];
      const end = frameEnd(batch.bytes, start);
      let last = i;
      while (last < batch.count && batch.start[last] < end) last++;
      const lengths = batch.size.subarray(i, last).reduce((sum, size) => sum + size, 0);
      joined.table[joined.count] = this.tableOf(batch, i, last);
      joined.start[joined.count] = start;
      joined.size[joined.count++] = lengths;
      i = last;
    }
    this.sink.records(joined);
  }

  fault(fault: Fault): void {
    this.sink.fault(fault);
  }

  private tableOf(batch: RecordBatch, from: number, to: number): number {
    const ids = Array.from(batch.table.subarray(from, to));
    const shifts = Array.from(batch.start.subarray(from, to), (start) => start - batch.start[from]);
    const key = JSON.stringify([ids, shifts]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const id = this.known.size;
    this.known.set(key, id);
    this.sink.table(id, this.join(ids, shifts), '');
    return id;
  }

  private join(ids: readonly number[], shifts: readonly number[]): Schema {
    const schemas = ids.map((id) => this.schemas[id]);
    const name = ids.map((id) => fullName(this.schemas[id].name, this.streams[id])).join(' ');
    const fields = schemas.flatMap((schema, k) =>
      schema.fields.map((field) => ({ ...field, name: `${k}.${field.name}` })),
    );
    const codec: Codec = {
      read(bytes, starts, count, columns, row) {
        let from = 0;
        schemas.forEach((schema, k) => {
          const own = columns.slice(from, from + schema.fields.length);
          from += schema.fields.length;
          // columns are made for fields of another name: the codecs may look at it
          const named = own.map((column, n) => Object.create(column, { field: { value: schema.fields[n] } }));
          schema.codec.read(
            bytes,
            starts.map((start) => start + shifts[k]),
            count,
            named,
            row,
          );
        });
      },
    };
    return { name, fields, size: 0, maxSize: 8200, instance: -1, codec };
  }
}

/** The same of a plain decoder. */
export function plainByFrames(plain: PlainDecoder): PlainDecoder {
  return (bytes) => {
    const { records, faults } = plain(bytes);
    const joined: PlainRecord[] = [];
    for (let i = 0; i < records.length; ) {
      const end = frameEnd(bytes, records[i].offset);
      const parts: PlainRecord[] = [];
      while (i < records.length && records[i].offset < end) parts.push(records[i++]);
      joined.push({
        name: parts.map(({ name, stream }) => fullName(name, stream)).join(' '),
        stream: '',
        offset: parts[0].offset,
        length: parts.reduce((sum, { length }) => sum + length, 0),
        values: () =>
          parts.flatMap((part, k) =>
            part.values().map(([name, value]): [string, typeof value] => [`${k}.${name}`, value]),
          ),
      });
    }
    return { records: joined, faults };
  };
}
