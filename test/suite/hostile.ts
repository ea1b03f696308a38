import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Sink } from '../../src/core/decoder.ts';
import { type Fault, FaultList } from '../../src/core/fault.ts';
import type { Format } from '../../src/core/format.ts';
import { Indexer } from '../../src/core/indexer.ts';
import { bytesSource } from '../../src/core/source.ts';

/** An input that a decoder may find hard, as long as is asked for. */
export interface Flood {
  readonly name: string;
  make(length: number): Uint8Array;
  /** Bytes a second that are decoded at least, in MiB. */
  readonly least?: number;
  /** Whether it holds records that a container keeps, so that memory grows with it. */
  readonly isKept?: boolean;
}

/** A flood that is made once: asked for again, and for less, it gives what it has. */
export class KeptFlood implements Flood {
  readonly name: string;
  private readonly flood: Flood;
  private longest: Uint8Array = new Uint8Array(0);

  constructor(flood: Flood) {
    this.name = flood.name;
    this.flood = flood;
  }

  make(length: number): Uint8Array {
    if (length > this.longest.length) this.longest = this.flood.make(length);
    return this.longest.subarray(0, length);
  }

  /** Gives the memory back. */
  release(): void {
    this.longest = new Uint8Array(0);
  }
}

const MIB = 1 << 20;
/** Milliseconds of processor time below which the clock is too coarse to compare. */
const MEASURABLE = 8;
/** What is decoded so fast that this much takes less is not judged by how its time grows. */
const LARGEST = 8 * MIB;
/** Below the promise by this factor no measurement can be a matter of chance. */
const FAR = 4;
/** Each length is measured so often, and the best counts: what disturbs a run only makes it longer. */
const RUNS = 5;
/** How many times longer twice as much may take. */
export const MOST_GROWTH = 2.2;
/** Doublings of the length before a decoder counts as one that grows too fast. */
const MORE = 2;

/** Milliseconds of processor time, so that neighbours on the machine do not count. */
function processorTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Decodes as opening a log does, but in chunks of any size. */
function index(format: Format, flood: Uint8Array, chunk: number): void {
  const decoder = format.decoder(new Indexer(bytesSource(flood)));
  for (let at = 0; at < flood.length; at += chunk) decoder.push(flood.subarray(at, at + chunk));
  decoder.end();
}

export interface Pace {
  /** MiB a second of processor time. */
  readonly speed: number;
  /** How many times longer twice as much takes. */
  readonly growth: number;
}

/**
 * How fast a flood is decoded in chunks of some size, and how the time grows with its length.
 * @param least MiB a second; what is slower by far is not measured any further
 */
export function paceOf(format: Format, flood: Flood, chunk: number, least = 0): Pace {
  const time = (bytes: Uint8Array): number => processorTime(() => index(format, bytes, chunk));
  let length = MIB / 4;
  // the first run is the engine's, to warm up
  time(flood.make(length));
  const first = 250 / time(flood.make(length));
  if (first < least / FAR) return { speed: first, growth: Number.NaN };
  while (time(flood.make(length)) < MEASURABLE && length < LARGEST) length *= 2;
  let pace = paceAt(format, flood, chunk, length);
  // what a decoder does too often grows with the length, what a collection of garbage adds does not
  for (let more = 1; more <= MORE && pace.growth > MOST_GROWTH; more++) {
    pace = paceAt(format, flood, chunk, length << more);
  }
  return pace;
}

function paceAt(format: Format, flood: Flood, chunk: number, length: number): Pace {
  const [once, fourfold] = [flood.make(length), flood.make(4 * length)];
  let [pieces, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // the same bytes in four pieces and as one: both take as long and as much memory, so that a busy machine and its
  // caches disturb both alike
  const quarters = Array.from({ length: 4 }, () => once.slice());
  const fourTimes = (): void => {
    for (const quarter of quarters) index(format, quarter, chunk);
  };
  const decoding = (): void => index(format, fourfold, chunk);
  for (let n = 0; n < RUNS; n++) {
    pieces = Math.min(pieces, processorTime(fourTimes));
    whole = Math.min(whole, processorTime(decoding));
  }
  // over two doublings, so that chance weighs less
  return { speed: fourfold.length / MIB / (whole / 1000), growth: Math.sqrt((4 * whole) / pieces) };
}

/** Listens as a log does, but keeps nothing of records: what memory grows by is the decoder's. */
class Listener implements Sink {
  readonly faults: FaultList = new FaultList();

  table(): void {}

  records(): void {}

  fault(fault: Fault): void {
    this.faults.add(fault);
  }
}

/** Bytes by which the memory in use grows while a flood of some length comes in, what its beginning needs left out. */
export function memoryOf(format: Format, flood: Flood, length: number): number {
  const bytes = flood.make(MIB);
  const decoder = format.decoder(new Listener());
  decoder.push(bytes);
  const before = memoryInUse();
  for (let at = 0; at < length; at += bytes.length) decoder.push(bytes);
  const after = memoryInUse();
  decoder.end();
  return after - before;
}

function memoryInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // the memory of arrays is given back after a collection, and for sure before the next one
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
