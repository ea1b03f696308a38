import { BUS_LIVE_LIMITS } from '../core/bus-live-limits.ts';
import { terminalText } from '../core/names.ts';
import { hexOf } from '../core/text.ts';
import { Header } from '../formats/mavlink/header.ts';

/*
 * A message on the bus: frames of one system on one link, each as it stands in a telemetry log.
 *
 *     0      4         12           20          28       29   30            30+m   31+m
 *     SKB1   run (8)   number (8)   floor (8)   system   m    message (m)   l      link (l)   time (8)  frame  time ...
 *
 * Numbers are big-endian, times microseconds UTC. `run` is one start of a collector, later ones are greater. Messages of
 * a run are numbered from 1. All below `floor` were taken by the bus before this one was sent, or are lost for good.
 */
const MAGIC = [0x53, 0x4b, 0x42, 0x31] as const;
const RUN = 4;
const RUN_BYTES = 8;
const NUMBER = 12;
const FLOOR = 20;
const SYSTEM = 28;
const MESSAGE = 29;
const STAMP = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One message, as it was read. */
export interface BusBatch {
  /** Hexadecimal; later starts are greater as text too. */
  readonly run: string;
  readonly number: number;
  readonly floor: number;
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

  constructor(run: Uint8Array, link: string, system: number, message: string) {
    this.system = system;
    this.message = message;
    const name = encoder.encode(message);
    const from = encoder.encode(cut(link));
    this.head = MESSAGE + 1 + name.length + 1 + from.length;
    this.bytes = new Uint8Array(Math.max(1024, this.head));
    this.view = new DataView(this.bytes.buffer);
    this.bytes.set(MAGIC);
    this.bytes.set(run, RUN);
    this.bytes[SYSTEM] = system;
    this.bytes[MESSAGE] = name.length;
    this.bytes.set(name, MESSAGE + 1);
    this.bytes[MESSAGE + 1 + name.length] = from.length;
    this.bytes.set(from, MESSAGE + 2 + name.length);
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

  /** The message under a number. The next one may be begun. */
  take(number: number): Uint8Array {
    setBig(this.view, NUMBER, number);
    const batch = this.bytes.slice(0, this.used);
    this.used = this.head;
    this.frames = 0;
    return batch;
  }
}

/** The same with another floor. */
export function withFloor(batch: Uint8Array, floor: number): Uint8Array {
  const copy = new Uint8Array(batch);
  setBig(new DataView(copy.buffer), FLOOR, floor);
  return copy;
}

/** What stands before the frames. */
export interface BatchHead {
  readonly run: string;
  readonly number: number;
  readonly floor: number;
  readonly system: number;
  readonly message: string;
  readonly link: string;
  /** Where the frames begin. */
  readonly size: number;
}

/** Reads the head alone; a sentence where there is none. */
export function readHead(bytes: Uint8Array): BatchHead | string {
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) return 'no batch of frames: it does not begin with SKB1';
  const messageEnd = MESSAGE + 1 + (bytes[MESSAGE] ?? 0);
  const size = messageEnd + 1 + (bytes[messageEnd] ?? 0);
  if (bytes.length < size) return `${bytes.length} bytes: its head alone needs ${size}`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    run: hexOf(bytes.subarray(RUN, RUN + RUN_BYTES)),
    number: big(view, NUMBER),
    floor: big(view, FLOOR),
    system: bytes[SYSTEM],
    message: decoder.decode(bytes.subarray(MESSAGE + 1, messageEnd)),
    link: cut(terminalText(decoder.decode(bytes.subarray(messageEnd + 1, size)))),
    size,
  };
}

/** Reads a message that anybody may have sent; a sentence where it is none. The bytes are not copied. */
export function readBatch(bytes: Uint8Array): BusBatch | string {
  const { length } = bytes;
  if (length > BUS_LIVE_LIMITS.messageBytes) return `${length} bytes: at most ${BUS_LIVE_LIMITS.messageBytes} are read`;
  const head = readHead(bytes);
  if (typeof head === 'string') return head;
  const { number, floor, size, ...rest } = head;
  const isInStep = floor >= 1 && floor <= number && number - floor < BUS_LIVE_LIMITS.window;
  if (!isInStep || !Number.isSafeInteger(number)) return `numbers ${number} and ${floor} do not go together`;
  const records = bytes.subarray(size);
  const frames = countFrames(records, head.system);
  if (typeof frames === 'string') return `${frames}, behind its head of ${size} bytes`;
  return { ...rest, number, floor, frames, records };
}

const header = new Header();

/** Walks over the frames of a batch. */
export function eachFrame(records: Uint8Array, take: (start: number, header: Header) => void): void {
  for (let at = STAMP; at < records.length; ) {
    if (!header.read(records, at)) return;
    const { end } = header;
    take(at, header);
    at = end + STAMP;
  }
}

/** The time of the frame at `start`. */
export function timeOf(records: Uint8Array, start: number): number {
  return big(new DataView(records.buffer, records.byteOffset + start - STAMP, STAMP), 0);
}

function countFrames(records: Uint8Array, system: number): number | string {
  let frames = 0;
  for (let at = 0; at < records.length; frames++) {
    const start = at + STAMP;
    if (!header.read(records, start) || header.end > records.length)
      return `frame ${frames} at ${start} of ${records.length} is none, or not whole`;
    if (header.system !== system) return `frame ${frames} is of system ${header.system}, not of ${system}`;
    at = header.end;
  }
  return frames === 0 ? 'no frames' : frames;
}

/** A name as long as a byte can say; a letter that is cut through goes. */
function cut(text: string): string {
  let short = text.slice(0, BUS_LIVE_LIMITS.linkCharacters);
  while (encoder.encode(short).length > 255) short = short.slice(0, -1);
  return short;
}

/** A new run: later ones have greater numbers. */
export function newRun(milliseconds: number, random: number): Uint8Array {
  const run = new Uint8Array(RUN_BYTES);
  const view = new DataView(run.buffer);
  view.setUint32(0, Math.floor(milliseconds / 2 ** 16));
  view.setUint16(4, milliseconds % 2 ** 16);
  view.setUint16(6, random);
  return run;
}

function setBig(view: DataView, at: number, value: number): void {
  view.setUint32(at, Math.floor(value / 2 ** 32));
  view.setUint32(at + 4, value % 2 ** 32);
}

function big(view: DataView, at: number): number {
  return view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);
}
