import { crc32 } from '../core/checksum.ts';
import { terminalText } from '../core/names.ts';
import { hexOf } from '../core/text.ts';
import { Header } from '../formats/mavlink/header.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';

/*
 * A message on the bus and in a spool: frames of one system on one link, each as in a telemetry log.
 *
 *     0      4            8           12       20        28           36          44         52           56       57   58
 *     SKB2   length (4)   crc32 (4)   id (8)   run (8)   number (8)   floor (8)   lost (8)   frames (4)   system   m    message (m)
 *     l      link (l)     time (8)    frame    time ...
 *
 * Numbers are big-endian, times microseconds UTC. The sum covers all after it. `id` is random and stays with a collector;
 * `run` is one of its starts: a counter (4) and random bytes (4), later ones are greater. Messages of a run are numbered
 * from 1. All below `floor` were taken by the bus before this one was sent, or are lost for good. `lost` is how many frames
 * of this collector its run has lost so far. A message without frames only says that.
 *
 * Earlier versions wrote the same without length, sum, id, lost and frames:
 *
 *     0      4         12           20          28       29   30
 *     SKB1   run (8)   number (8)   floor (8)   system   m    message (m) ...
 */
const MAGIC = 0x534b_4232;
const MAGIC_1 = 0x534b_4231;
const LENGTH = 4;
const SUM = 8;
const ID = 12;
const ID_BYTES = 8;
const IDENTITY_BYTES = 16;
const LOST = 44;
const FRAMES = 52;
/** Where the rest is, in both versions. */
const PLACES = { run: ID, number: 28, floor: 36, system: 56, message: 57 } as const;
const PLACES_1 = { run: 4, number: 12, floor: 20, system: 28, message: 29 } as const;
const STAMP = 8;
const NONE = new Uint8Array(0);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One message, as it was read. */
export interface BusBatch {
  /** Of the collector, hexadecimal; '' in messages of earlier versions. */
  readonly id: string;
  /** Of one start of it, with the id; hexadecimal. Later starts are greater as text too. */
  readonly run: string;
  readonly number: number;
  readonly floor: number;
  /** Frames that the collector lost so far in this run. */
  readonly lost: number;
  readonly system: number;
  /** '' for all of a vehicle. */
  readonly message: string;
  readonly link: string;
  readonly frames: number;
  /** Times and frames, as a telemetry log has them. */
  readonly records: Uint8Array;
}

/** Gathers frames of one system on one link. */
export class BatchBuilder {
  readonly system: number;
  readonly message: string;
  frames = 0;
  private bytes: Uint8Array;
  private view: DataView;
  private readonly head: number;
  private used: number;

  /** @param run as `newRun` made it */
  constructor(run: Uint8Array, link: string, system: number, message: string) {
    this.system = system;
    this.message = message;
    const name = encoder.encode(message);
    const from = encoder.encode(cut(link));
    this.head = PLACES.message + 1 + name.length + 1 + from.length;
    this.bytes = new Uint8Array(Math.max(1024, this.head));
    this.view = new DataView(this.bytes.buffer);
    this.view.setUint32(0, MAGIC);
    this.bytes.set(run, PLACES.run);
    this.bytes[PLACES.system] = system;
    this.bytes[PLACES.message] = name.length;
    this.bytes.set(name, PLACES.message + 1);
    this.bytes[PLACES.message + 1 + name.length] = from.length;
    this.bytes.set(from, PLACES.message + 2 + name.length);
    this.used = this.head;
  }

  get isFull(): boolean {
    return this.used >= BUS_LIVE_LIMITS.batchBytes;
  }

  add(time: number, bytes: Uint8Array, start: number, end: number): void {
    const { used } = this;
    const next = used + STAMP + end - start;
    if (next > this.bytes.length) this.grow(next);
    setBig(this.view, used, Math.max(0, Math.round(time)));
    const target = this.bytes;
    // a few dozen bytes: a loop is quicker than making a view to copy from
    for (let i = start, at = used + STAMP; i < end; i++, at++) target[at] = bytes[i];
    this.used = next;
    this.frames++;
  }

  private grow(least: number): void {
    const bytes = new Uint8Array(Math.max(least, this.bytes.length * 2));
    bytes.set(this.bytes.subarray(0, this.used));
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }

  /** The message under a number. The next one may be begun. @param lost frames that this run lost before it */
  take(number: number, lost = 0): Uint8Array {
    setBig(this.view, PLACES.number, number);
    setBig(this.view, LOST, lost);
    this.view.setUint32(LENGTH, this.used);
    this.view.setUint32(FRAMES, this.frames);
    const batch = seal(this.bytes.slice(0, this.used));
    this.used = this.head;
    this.frames = 0;
    return batch;
  }
}

/** The same with another floor, and what was lost before it. */
export function withFloor(batch: Uint8Array, floor: number, lost = 0): Uint8Array {
  const copy = new Uint8Array(batch);
  const view = new DataView(copy.buffer);
  const isOld = view.getUint32(0) === MAGIC_1;
  setBig(view, (isOld ? PLACES_1 : PLACES).floor, floor);
  if (isOld) return copy;
  setBig(view, LOST, lost);
  return seal(copy);
}

function seal(batch: Uint8Array): Uint8Array {
  new DataView(batch.buffer).setUint32(SUM, crc32(batch.subarray(ID)));
  return batch;
}

/** Whether a message begins at a place. @param run only one of the collector of this run */
export function isBatchAt(bytes: Uint8Array, at: number, run: Uint8Array = NONE): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (at + PLACES.message > bytes.length || view.getUint32(at) !== MAGIC) return false;
  return run.subarray(0, ID_BYTES).every((byte, i) => bytes[at + ID + i] === byte);
}

/** How many frames the message at a place says it has. */
export function framesAt(bytes: Uint8Array, at: number): number {
  const end = at + FRAMES + 4;
  return end > bytes.length ? 0 : new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(at + FRAMES);
}

/** The end of the message that begins at a place; undefined if none does, or one that was changed or cut. */
export function batchEnd(bytes: Uint8Array, at: number): number | undefined {
  if (!isBatchAt(bytes, at)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const length = view.getUint32(at + LENGTH);
  const end = at + length;
  const isWhole = length > PLACES.message && length <= BUS_LIVE_LIMITS.messageBytes && end <= bytes.length;
  return isWhole && crc32(bytes.subarray(at + ID, end)) === view.getUint32(at + SUM) ? end : undefined;
}

export interface BatchHead extends Omit<BusBatch, 'frames' | 'records'> {
  /** Where the frames begin. */
  readonly size: number;
}

/** Reads the head alone; a sentence if none. */
export function readHead(bytes: Uint8Array): BatchHead | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const magic = bytes.length < LENGTH ? 0 : view.getUint32(0);
  if (magic !== MAGIC && magic !== MAGIC_1) return 'not a batch of frames: expected SKB2 or SKB1 at the start';
  const isOld = magic === MAGIC_1;
  const { run, number, floor, system, message } = isOld ? PLACES_1 : PLACES;
  const messageEnd = message + 1 + (bytes[message] ?? 0);
  const size = messageEnd + 1 + (bytes[messageEnd] ?? 0);
  if (bytes.length < size) return `${bytes.length} bytes: its head alone needs ${size}`;
  return {
    id: isOld ? '' : hexOf(bytes.subarray(ID, ID + ID_BYTES)),
    run: hexOf(bytes.subarray(run, number)),
    number: big(view, number),
    floor: big(view, floor),
    lost: isOld ? 0 : big(view, LOST),
    system: bytes[system],
    message: decoder.decode(bytes.subarray(message + 1, messageEnd)),
    link: cut(terminalText(decoder.decode(bytes.subarray(messageEnd + 1, size)))),
    size,
  };
}

/** Reads an untrusted message; a sentence if it is not a batch. The bytes are not copied. */
export function readBatch(bytes: Uint8Array): BusBatch | string {
  const { length } = bytes;
  if (length > BUS_LIVE_LIMITS.messageBytes)
    return `${length} bytes: at most ${BUS_LIVE_LIMITS.messageBytes} are accepted`;
  const head = readHead(bytes);
  if (typeof head === 'string') return head;
  const { number, floor, size, ...rest } = head;
  if (head.id !== '' && batchEnd(bytes, 0) !== length) return 'wrong length or checksum';
  const isInStep = floor >= 1 && floor <= number && number - floor < BUS_LIVE_LIMITS.window;
  if (!isInStep || !Number.isSafeInteger(number + head.lost)) return `numbers ${number} and ${floor} do not match`;
  const records = bytes.subarray(size);
  const frames = countFrames(records, head.system);
  if (typeof frames === 'string') return `${frames}, after its head of ${size} bytes`;
  // one without frames says that some were lost
  if (frames === 0 && head.lost === 0) return 'no frames';
  return { ...rest, number, floor, frames, records };
}

const header = new Header();

export function eachFrame(records: Uint8Array, take: (start: number, header: Header) => void): void {
  for (let at = STAMP; at < records.length; ) {
    if (!header.read(records, at)) return;
    const { end } = header;
    take(at, header);
    at = end + STAMP;
  }
}

export function timeOf(records: Uint8Array, start: number): number {
  return big(new DataView(records.buffer, records.byteOffset + start - STAMP, STAMP), 0);
}

function countFrames(records: Uint8Array, system: number): number | string {
  let frames = 0;
  for (let at = 0; at < records.length; frames++) {
    const start = at + STAMP;
    if (!header.read(records, start) || header.end > records.length)
      return `frame ${frames} at ${start} of ${records.length} is invalid or truncated`;
    if (header.system !== system) return `frame ${frames} is of system ${header.system}, not of ${system}`;
    at = header.end;
  }
  return frames;
}

/** A name as long as a byte can say; a letter that is cut through goes. */
function cut(text: string): string {
  let short = text.slice(0, BUS_LIVE_LIMITS.linkCharacters);
  while (encoder.encode(short).length > 255) short = short.slice(0, -1);
  return short;
}

/** A new run of a collector: later ones have greater numbers. */
export function newRun(id: Uint8Array, count: number, random: number): Uint8Array {
  const run = new Uint8Array(IDENTITY_BYTES);
  const view = new DataView(run.buffer);
  run.set(id);
  view.setUint32(ID_BYTES, count);
  view.setUint32(ID_BYTES + 4, random);
  return run;
}

function setBig(view: DataView, at: number, value: number): void {
  view.setUint32(at, Math.floor(value / 2 ** 32));
  view.setUint32(at + 4, value % 2 ** 32);
}

function big(view: DataView, at: number): number {
  return view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);
}
