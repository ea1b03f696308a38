import { Column } from '../core/column.ts';
import type { RecordBatch, Sink } from '../core/decoder.ts';
import type { Schema } from '../core/schema.ts';
import { type Row, rowOf } from '../core/table.ts';
import type { FrameDecoder } from '../formats/mavlink/frame.ts';
import { Header } from '../formats/mavlink/header.ts';
import { frameDecoder, type MavlinkOptions } from '../formats/mavlink/options.ts';

/** A message with all its fields. */
export interface ReadMessage {
  readonly name: string;
  readonly id: number;
  readonly system: number;
  readonly component: number;
  /** Of the protocol. */
  readonly version: number;
  readonly data: Row;
}

/** Decodes chosen messages one by one as their bytes come: for what is rare, such as requests. */
export class MessageReader implements Sink {
  private readonly decoder: FrameDecoder;
  private readonly header = new Header();
  private readonly columns: (readonly Column[] | undefined)[] = [];
  private readonly schemas: Schema[] = [];
  private readonly start = new Uint32Array(1);
  private readonly wants: (name: string) => boolean;
  private readonly found: (message: ReadMessage) => void;

  constructor(wants: (name: string) => boolean, found: (message: ReadMessage) => void, options: MavlinkOptions = {}) {
    this.wants = wants;
    this.found = found;
    this.decoder = frameDecoder(this, options);
  }

  push(bytes: Uint8Array): void {
    this.decoder.push(bytes);
  }

  /** No more bytes will come: what is unfinished is decided. */
  end(): void {
    this.decoder.end();
  }

  table(id: number, schema: Schema): void {
    this.schemas[id] = schema;
    this.columns[id] = this.wants(schema.name) ? schema.fields.map((field) => new Column(field, 1)) : undefined;
  }

  records({ bytes, count, table, start }: RecordBatch): void {
    for (let i = 0; i < count; i++) {
      const columns = this.columns[table[i]];
      if (!columns) continue;
      const { codec, name } = this.schemas[table[i]];
      this.start[0] = start[i];
      codec.read(bytes, this.start, 1, columns, 0);
      this.header.read(bytes, start[i]);
      const { id, system, component, version } = this.header;
      this.found({ name, id, system, component, version, data: rowOf(columns, 0) });
    }
  }

  fault(): void {}
}
