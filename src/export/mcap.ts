import { McapWriter } from '@mcap/core';
import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import { uniqueNames } from '../core/names.ts';
import { type RecordOptions, readBlocks } from '../core/records.ts';
import type { Field } from '../core/schema.ts';
import type { RecordTable, Table } from '../core/table.ts';
import type { DerivedTable } from '../sensors/derived-table.ts';
import { isArray } from './csv.ts';
import { BodyWriter, derivedBody, type LineOptions } from './json-line.ts';
import { byPlace, rowsIn } from './records.ts';

/*
 * MCAP with a channel for each table: messages are JSON with a JSON schema, which Foxglove and Lichtblick plot by
 * themselves. Times are those of the records; a record without one has that of the record before it.
 * https://mcap.dev/spec
 */

export interface McapOptions extends RecordOptions, LineOptions {
  /** Tables that are made from others and written beside them. */
  readonly derived?: readonly DerivedTable[] | undefined;
  /** What is said of the file: where the records are from. */
  readonly metadata?: ReadonlyMap<string, string> | undefined;
}

export async function* writeMcap(log: Log, options: McapOptions = {}): AsyncGenerator<Uint8Array> {
  const tables = (options.tables ?? log.tables).filter(({ rows }) => rows > 0);
  const derived = options.derived ?? [];
  const pieces = new WrittenPieces();
  const writer = new McapWriter({ writable: pieces });
  await writer.start({ profile: '', library: 'skein' });
  if (options.metadata) await writer.addMetadata({ name: 'source', metadata: new Map(options.metadata) });
  const schemas = [
    ...tables.map((table) => jsonSchema(table, options)),
    ...derived.map((table) => jsonSchema(table, {})),
  ];
  const channels: Channel[] = [];
  for (const [i, topic] of topicsOf([...tables, ...derived]).entries()) {
    const schemaId = await writer.registerSchema({
      name: schemas[i].title,
      encoding: 'jsonschema',
      data: encoder.encode(JSON.stringify(schemas[i])),
    });
    const id = await writer.registerChannel({ schemaId, topic, messageEncoding: 'json', metadata: new Map() });
    channels.push({ id, sequence: 0 });
  }
  const sources = [
    recordMessages(log, tables, options),
    ...derived.map((table, i) => derivedMessages(table, tables.length + i, options)),
  ];
  let last = 0n;
  for await (const { index, time, text } of byPlace(sources)) {
    const channel = channels[index];
    if (time >= 0 && time < MOST_MICROS) last = BigInt(Math.round(time)) * 1000n;
    await writer.addMessage({
      channelId: channel.id,
      sequence: channel.sequence++,
      logTime: last,
      publishTime: last,
      data: encoder.encode(text),
    });
    if (pieces.length > 0) yield pieces.taken();
  }
  await writer.end();
  yield pieces.taken();
}

interface Channel {
  readonly id: number;
  sequence: number;
}

/** What is to be written to a channel, and where in the source it begins. */
interface ChannelMessage {
  readonly index: number;
  readonly at: number;
  readonly time: number;
  readonly text: string;
}

async function* recordMessages(
  log: Log,
  tables: readonly RecordTable[],
  options: McapOptions,
): AsyncGenerator<ChannelMessage> {
  const bodies = tables.map((table) => new BodyWriter(table, options));
  for await (const block of readBlocks(log, { ...options, tables })) {
    const messages: ChannelMessage[] = [];
    block.walk((index, row, time, at) => {
      messages.push({ index, at, time, text: bodies[index].text(block.columns[index], row) });
      return true;
    });
    yield* messages;
  }
}

async function* derivedMessages(
  table: DerivedTable,
  index: number,
  range: McapOptions,
): AsyncGenerator<ChannelMessage> {
  for await (const { time, at, data } of rowsIn(table, range)) yield { index, at, time, text: derivedBody(data) };
}

const encoder = new TextEncoder();

/** Nanoseconds of MCAP are 64 bits without a sign. */
const MOST_MICROS = 2 ** 64 / 1000;

/** Collects what the writer writes until it is taken. */
class WrittenPieces {
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
function topicsOf(tables: readonly Pick<Table, 'name' | 'stream'>[]): string[] {
  const safe = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, '_');
  return uniqueNames(tables.map(({ name, stream }) => `/${safe(name)}${stream === '' ? '' : `/${safe(stream)}`}`));
}

/** https://json-schema.org/draft/2020-12 */
interface JsonSchema {
  readonly title: string;
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
}

function jsonSchema({ name, fields }: Table, { fields: chosen }: LineOptions): JsonSchema {
  const properties: Record<string, object> = Object.create(null);
  for (const field of fields) if (!chosen || chosen.has(field)) properties[field.name] = propertyOf(field);
  return { title: name, type: 'object', properties };
}

function propertyOf(field: Field): object {
  const unit = described(field.unit);
  if (isArray(field)) return { type: 'array', items: { type: 'number' }, ...unit };
  return { type: field.type === 'text' || field.type === 'bytes' ? 'string' : 'number', ...unit };
}

function described(unit: string): { description?: string } {
  return unit === '' ? {} : { description: unit };
}
