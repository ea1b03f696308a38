import { McapWriter } from '@mcap/core';
import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import { uniqueNames } from '../core/names.ts';
import { type RecordOptions, readBlocks } from '../core/records.ts';
import type { Field } from '../core/schema.ts';
import type { Table } from '../core/table.ts';
import { isArray } from './csv.ts';
import { BodyWriter, type LineOptions } from './json-line.ts';

/*
 * MCAP with a channel for each table: messages are JSON with a JSON schema, which Foxglove and Lichtblick plot by
 * themselves. Times are those of the records; a record without one has that of the record before it.
 * https://mcap.dev/spec
 */

export interface McapOptions extends RecordOptions, LineOptions {
  /** What is said of the file: where the records are from. */
  readonly metadata?: ReadonlyMap<string, string> | undefined;
}

export async function* writeMcap(log: Log, options: McapOptions = {}): AsyncGenerator<Uint8Array> {
  const tables = (options.tables ?? log.tables).filter(({ rows }) => rows > 0);
  const pieces = new Pieces();
  const writer = new McapWriter({ writable: pieces });
  await writer.start({ profile: '', library: 'skein' });
  if (options.metadata) await writer.addMetadata({ name: 'source', metadata: new Map(options.metadata) });
  const channels = new Map<Table, Channel>();
  for (const [i, topic] of topicsOf(tables).entries()) {
    const schemaId = await writer.registerSchema({
      name: tables[i].name,
      encoding: 'jsonschema',
      data: encoder.encode(JSON.stringify(jsonSchema(tables[i], options))),
    });
    const id = await writer.registerChannel({ schemaId, topic, messageEncoding: 'json', metadata: new Map() });
    channels.set(tables[i], { id, sequence: 0, body: new BodyWriter(tables[i], options) });
  }
  let last = 0n;
  for await (const block of readBlocks(log, { ...options, tables })) {
    const rows: [index: number, row: number, time: number][] = [];
    block.walk((index, row, time) => rows.push([index, row, time]) > 0);
    for (const [index, row, time] of rows) {
      const channel = channels.get(block.tables[index]) as Channel;
      if (time >= 0 && time < MOST_MICROS) last = BigInt(Math.round(time)) * 1000n;
      const data = encoder.encode(channel.body.text(block.columns[index], row));
      await writer.addMessage({
        channelId: channel.id,
        sequence: channel.sequence++,
        logTime: last,
        publishTime: last,
        data,
      });
    }
    if (pieces.length > 0) yield pieces.taken();
  }
  await writer.end();
  yield pieces.taken();
}

interface Channel {
  readonly id: number;
  readonly body: BodyWriter;
  sequence: number;
}

const encoder = new TextEncoder();

/** Nanoseconds of MCAP are 64 bits without a sign. */
const MOST_MICROS = 2 ** 64 / 1000;

/** Collects what the writer writes until it is taken. */
class Pieces {
  private pieces: Uint8Array[] = [];
  private written = 0;
  length = 0;

  async write(bytes: Uint8Array): Promise<void> {
    // the writer uses its memory again
    this.pieces.push(bytes.slice());
    this.written += bytes.length;
    this.length += bytes.length;
  }

  position(): bigint {
    return BigInt(this.written);
  }

  taken(): Uint8Array {
    const bytes = joined(this.pieces);
    this.pieces = [];
    this.length = 0;
    return bytes;
  }
}

/** Topics by name and stream, with letters that need no quotes where fields of messages are named: /GPS/0. */
function topicsOf(tables: readonly Table[]): string[] {
  const safe = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, '_');
  return uniqueNames(tables.map(({ name, stream }) => `/${safe(name)}${stream === '' ? '' : `/${safe(stream)}`}`));
}

/** https://json-schema.org/draft/2020-12 */
function jsonSchema({ name, fields }: Table, { fields: chosen }: LineOptions): object {
  const properties: Record<string, object> = Object.create(null);
  for (const field of fields) if (!chosen || chosen.has(field)) properties[field.name] = propertyOf(field);
  return { title: name, type: 'object', properties };
}

function propertyOf(field: Field): object {
  const unit = field.unit === '' ? {} : { description: field.unit };
  if (isArray(field)) return { type: 'array', items: { type: 'number' }, ...unit };
  return { type: field.type === 'text' || field.type === 'bytes' ? 'string' : 'number', ...unit };
}
