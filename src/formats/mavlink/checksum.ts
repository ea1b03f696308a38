import { X25_SEED, X25_TABLES, x25Byte, x25Sliced } from '../../core/checksum.ts';
import type { Header } from './header.ts';
import { afterZeros } from './running-sum.ts';

/*
 * What a wrong checksum says about its cause. One step of the sum, from a state to the next by a byte, can be undone:
 * the upper halves of the first table's entries are all different, so that of a state tells which entry went into it.
 */
const ENTRY_BY_UPPER: Uint8Array = entriesByUpper();

function entriesByUpper(): Uint8Array {
  const entries = new Uint8Array(256);
  for (let entry = 0; entry < 256; entry++) entries[X25_TABLES[entry] >>> 8] = entry;
  return entries;
}

/** The sum of a frame without CRC_EXTRA. */
export function sumOf(bytes: Uint8Array, header: Header): number {
  return x25Sliced(bytes, header.start + 1, header.checksum, X25_SEED);
}

/** Whether a sum with this CRC_EXTRA is what the frame states. */
export function isRight(sum: number, extra: number, stated: number): boolean {
  return x25Byte(sum, extra) === stated;
}

/** The one CRC_EXTRA of 256 that would make the stated checksum right, or -1: of random checksums one in 256 has it. */
export function impliedExtra(sum: number, stated: number): number {
  const entry = ENTRY_BY_UPPER[stated >>> 8];
  return (X25_TABLES[entry] ^ (sum >>> 8)) === stated ? entry ^ (sum & 0xff) : -1;
}

/**
 * The length of a payload that was summed before the zeros at its end were cut off, or 0 if that does not explain the
 * checksum. The length that was summed then is the one before the cut, so both ends of the sum are taken apart: from
 * the stated checksum back, a zero at a time, and from the changed length on, which the sum lets one add afterwards.
 */
export function lengthBeforeCut(bytes: Uint8Array, header: Header, sum: number, extra: number, most: number): number {
  const { length, start, checksum } = header;
  // the last byte that was not cut is not zero, unless it is the first
  if (length >= most || (length !== 1 && bytes[checksum - 1] === 0)) return 0;
  const changes = changesOfLength(checksum - start - 2);
  let wanted = before(header.stated(bytes), extra);
  let change = 0;
  for (let full = length + 1; full <= most; full++) {
    wanted = before(wanted, 0);
    // counting up turns the lowest bits: all up to the lowest one that is set afterwards
    change ^= changes[31 - Math.clz32(full & -full)];
    if ((sum ^ change) === wanted) return full;
  }
  return 0;
}

function before(state: number, byte: number): number {
  const entry = ENTRY_BY_UPPER[state >>> 8];
  return ((state ^ X25_TABLES[entry]) << 8) | (entry ^ byte);
}

/** By how much a sum changes when the lowest 1, 2, ... 8 bits of a byte turn that `behind` further bytes follow. */
function changesOfLength(behind: number): number[] {
  const changes: number[] = [];
  let change = 0;
  for (let bit = 0; bit < 8; bit++) {
    change ^= afterZeros(X25_TABLES[1 << bit], behind);
    changes.push(change);
  }
  return changes;
}
