import type { Layers } from './layers.ts';
import { CAPTURE_LIMITS } from './limits.ts';
import type { Carried } from './tcp.ts';

/** Fragments that one packet may have come in. */
const MOST_PARTS = 1024;

/** A piece of a packet that came in fragments: `offset` is its place in the packet. */
interface Fragment {
  readonly offset: number;
  readonly carried: Carried;
}

/** A packet that came in fragments and is whole, with the two addresses before it. */
export interface Whole {
  readonly bytes: Uint8Array;
  readonly addressBytes: number;
  readonly protocol: number;
  readonly interface: number;
  /** In the order of the packet, without gap or overlap. */
  readonly parts: readonly Fragment[];
}

/** The pieces of bytes [from, to) of a packet, by where the fragments are in the file. */
export function piecesOf({ bytes, addressBytes, parts }: Whole, from: number, to: number): Carried[] {
  const pieces: Carried[] = [];
  for (const { offset, carried } of parts) {
    const first = 2 * addressBytes + offset;
    const start = Math.max(from, first);
    const stop = Math.min(to, first + carried.to);
    if (start < stop) pieces.push({ ...carried, bytes, from: start, to: stop, file: carried.file + start - first });
  }
  return pieces;
}

/** A packet of which not all fragments came. */
interface Partial {
  readonly addresses: Uint8Array;
  readonly protocol: number;
  readonly interface: number;
  readonly parts: Fragment[];
  bytes: number;
  /** Bytes of the whole, NaN until its last fragment came. */
  total: number;
}

/** Puts packets together again that came in fragments, in any order. */
export class Fragments {
  /** Bytes that came again. */
  repeated = 0;
  /** By addresses, protocol and identification, the oldest first. */
  private readonly partials: Map<string, Partial> = new Map();
  private readonly lose: (bytes: number, first: Carried) => void;
  private bytes = 0;

  /** @param lose called for packets that are given up, with how many of their bytes are there */
  constructor(lose: (bytes: number, first: Carried) => void) {
    this.lose = lose;
  }

  /** Takes a fragment; returns the packet if that makes it whole. */
  add(layers: Layers, carried: Carried, from: number): Whole | undefined {
    const { bytes } = carried;
    const { addressBytes, source, destination, protocol, identification, fragmentOffset, hasMore } = layers;
    const key = [from, addressBytes, protocol, identification].join() + text(bytes, source, destination, addressBytes);
    let partial = this.partials.get(key);
    if (!partial) {
      const addresses = new Uint8Array(2 * addressBytes);
      addresses.set(bytes.subarray(source, source + addressBytes));
      addresses.set(bytes.subarray(destination, destination + addressBytes), addressBytes);
      partial = { addresses, protocol, interface: from, parts: [], bytes: 0, total: Number.NaN };
      this.partials.set(key, partial);
    }
    // what was cut off a fragment will not come, so that the packet will not be whole
    if (!hasMore && layers.missing === 0 && Number.isNaN(partial.total))
      partial.total = fragmentOffset + carried.to - carried.from;
    this.place(partial, fragmentOffset, carried);
    if (partial.bytes === partial.total && isGapless(partial)) {
      this.partials.delete(key);
      this.bytes -= partial.bytes;
      return wholeOf(partial);
    }
    if (partial.parts.length > MOST_PARTS) this.giveUp(key, partial);
    this.limit();
    return undefined;
  }

  finish(): void {
    for (const [key, partial] of this.partials) this.giveUp(key, partial);
  }

  /** Adds what is new of a fragment: what came first counts. */
  private place(partial: Partial, offset: number, carried: Carried): void {
    const { parts } = partial;
    const end = offset + carried.to - carried.from;
    let at = offset;
    let index = 0;
    while (at < end) {
      while (index < parts.length && endOf(parts[index]) <= at) index++;
      const next = parts[index];
      if (next && next.offset <= at) {
        const stop = Math.min(end, endOf(next));
        this.repeated += stop - at;
        at = stop;
        continue;
      }
      const stop = Math.min(end, next ? next.offset : end);
      const from = carried.from + at - offset;
      const copy = carried.bytes.slice(from, from + stop - at);
      const { packet, time } = carried;
      const file = carried.file + at - offset;
      parts.splice(index, 0, { offset: at, carried: { bytes: copy, from: 0, to: copy.length, file, packet, time } });
      partial.bytes += copy.length;
      this.bytes += copy.length;
      at = stop;
    }
  }

  private limit(): void {
    for (const [key, partial] of this.partials) {
      const isTooMuch = this.partials.size > CAPTURE_LIMITS.fragmented || this.bytes > CAPTURE_LIMITS.fragmentBytes;
      if (!isTooMuch) return;
      this.giveUp(key, partial);
    }
  }

  private giveUp(key: string, partial: Partial): void {
    this.partials.delete(key);
    this.bytes -= partial.bytes;
    if (partial.parts.length > 0) this.lose(partial.bytes, partial.parts[0].carried);
  }
}

function endOf({ offset, carried }: Fragment): number {
  return offset + carried.to;
}

function isGapless({ parts, total }: Partial): boolean {
  let at = 0;
  for (const part of parts) {
    if (part.offset !== at) return false;
    at = endOf(part);
  }
  return at === total;
}

function wholeOf({ addresses, protocol, interface: from, parts, total }: Partial): Whole {
  const bytes = new Uint8Array(addresses.length + total);
  bytes.set(addresses);
  for (const { offset, carried } of parts) bytes.set(carried.bytes, addresses.length + offset);
  return { bytes, addressBytes: addresses.length / 2, protocol, interface: from, parts };
}

function text(bytes: Uint8Array, source: number, destination: number, length: number): string {
  let key = '';
  for (let i = 0; i < length; i++) key += String.fromCharCode(bytes[source + i], bytes[destination + i]);
  return key;
}
