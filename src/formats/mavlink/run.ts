import type { RecordBatch } from '../../core/decoder.ts';
import { X25_SEED, X25_TABLES, x25Sliced } from '../../core/x25.ts';
import { BASE_SHIFT, type Catalog, EXTRA_SHIFT, LIMIT_MASK } from './catalog.ts';
import { CHECKSUM, HEADER_1, HEADER_2, MAGIC_1, MAGIC_2, SIGNATURE, SIGNED } from './header.ts';
import type { Lead } from './lead.ts';
import type { Sequences } from './sequence.ts';
import type { Signatures } from './signatures.ts';
import { NO_TABLE, SENDER_MASK, type Tables } from './tables.ts';

/*
 * What another module exports is looked up each time it is used; a constant of this one is built into the machine code.
 * The loop over frames is a fifth faster for it.
 */
const HEAD_1 = HEADER_1;
const HEAD_2 = HEADER_2;
const START_1 = MAGIC_1;
const START_2 = MAGIC_2;
const SIGNED_BYTES = SIGNATURE;
const SIGNED_FLAG = SIGNED;
const SUM_BYTES = CHECKSUM;
const LIMIT = LIMIT_MASK;
const BASE = BASE_SHIFT;
const EXTRA = EXTRA_SHIFT;
const NONE = NO_TABLE;
const SENDER = SENDER_MASK;
const SEED = X25_SEED;
const SUMS = X25_TABLES;

/** All of the shortest frame of version 2: what is shorter is left to the careful way. */
const SHORTEST = HEAD_2 + SUM_BYTES;

/** What the loop shares with the decoder that it works for. */
export interface RunOptions {
  readonly catalog: Catalog;
  readonly tables: Tables;
  readonly sequences: Sequences;
  readonly signatures: Signatures;
  readonly lead: Lead | undefined;
  readonly batch: RecordBatch;
  /** Hands over the batch, which is full. */
  readonly flush: () => void;
}

/** The quick way through a good stream: frames that follow each other, each a length and a checksum. */
export class Run {
  private readonly options: RunOptions;

  constructor(options: RunOptions) {
    this.options = options;
  }

  /**
   * Takes frames from a place on as long as they are ordinary; returns where it stopped. Each array that the loop
   * touches costs it, so it has few of them.
   */
  take(bytes: Uint8Array, from: number): number {
    const { catalog, tables, sequences, lead, batch } = this.options;
    const { slotOf, facts } = catalog;
    const { senderOf, slots } = tables;
    const { next } = sequences;
    const { table, start, size } = batch;
    const leadBytes = lead?.bytes ?? 0;
    const last = bytes.length - leadBytes - SHORTEST;
    let { tableOf } = tables;
    let count = batch.count;
    let at = from;
    while (at <= last) {
      const head = at + leadBytes;
      const magic = bytes[head];
      const length = bytes[head + 1];
      let flags = 0;
      let sequence: number;
      let system: number;
      let component: number;
      let fact: number;
      let slot: number;
      let sum: number;
      let end: number;
      if (magic === START_2) {
        flags = bytes[head + 2];
        sequence = bytes[head + 4];
        system = bytes[head + 5];
        component = bytes[head + 6];
        const low = bytes[head + 7];
        const high = bytes[head + 8];
        if (flags > SIGNED_FLAG || bytes[head + 9] !== 0) break;
        slot = slotOf[(high << 8) | low];
        fact = facts[slot];
        if (length >= (fact & LIMIT)) break;
        end = head + HEAD_2 + length;
        if (end + SUM_BYTES + flags * SIGNED_BYTES > bytes.length) break;
        // the sum of the header, of bytes that are at hand; its last one is 0 and adds nothing
        sum =
          SUMS[2048 | (length ^ 0xff)] ^
          SUMS[1792 | (flags ^ 0xff)] ^
          SUMS[1536 | bytes[head + 3]] ^
          SUMS[1280 | sequence] ^
          SUMS[1024 | system] ^
          SUMS[768 | component] ^
          SUMS[512 | low] ^
          SUMS[256 | high];
        sum = x25Sliced(bytes, head + HEAD_2, end, sum);
      } else if (magic === START_1) {
        sequence = bytes[head + 2];
        system = bytes[head + 3];
        component = bytes[head + 4];
        slot = slotOf[bytes[head + 5]];
        fact = facts[slot];
        if (length >= (fact & LIMIT) || length !== ((fact >>> BASE) & 0xff)) break;
        end = head + HEAD_1 + length;
        if (end + SUM_BYTES > bytes.length) break;
        sum = x25Sliced(bytes, head + 1, end, SEED);
      } else {
        break;
      }
      const stated = bytes[end] | (bytes[end + 1] << 8);
      if (((sum >>> 8) ^ SUMS[(sum ^ (fact >>> EXTRA)) & 0xff]) !== stated) break;
      end += SUM_BYTES + flags * SIGNED_BYTES;
      if (lead !== undefined) {
        if (!lead.isPossible(bytes, at)) break;
        lead.take(bytes, at, batch.base + at);
      }
      const known = senderOf[(system << 8) | component];
      let sender = known & SENDER;
      let id = tableOf[sender * slots + slot];
      if (id === NONE) {
        sender = tables.sender(system, component);
        id = tables.table(slot, sender);
        tableOf = tables.tableOf;
      }
      if (next[sender] === sequence) next[sender] = sequence + 1;
      else sequences.pass(sender, sequence);
      const isCut = length < ((fact >>> BASE) & 0xff);
      // of a sender that is known to cut right there is nothing to be noted any more
      if (flags !== 0 || (isCut && known <= SENDER)) this.note(system, component, flags, isCut);
      table[count] = id;
      start[count] = at;
      size[count] = end - at;
      at = end;
      if (++count === table.length) {
        batch.count = count;
        this.options.flush();
        count = 0;
      }
    }
    batch.count = count;
    return at;
  }

  /** What is to be kept in mind of a sender by a frame with a right checksum. */
  private note(system: number, component: number, flags: number, isCut: boolean): void {
    const { tables, signatures } = this.options;
    if (isCut) tables.sawCut(system, component);
    if (flags !== 0) signatures.unchecked(system, component);
  }
}
