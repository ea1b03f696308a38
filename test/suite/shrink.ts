import { concat } from './random.ts';

/** Bytes left out at first; halved as long as that helps. */
const TRIES = 2000;

/** A shorter input that still fails, found by leaving out pieces: what a person has to look at. */
export function shrink(bytes: Uint8Array, fails: (bytes: Uint8Array) => boolean): Uint8Array {
  let least = bytes;
  let tries = TRIES;
  for (let piece = least.length >> 1; piece > 0 && tries > 0; piece >>= 1) {
    for (let at = 0; at < least.length && tries > 0; tries--) {
      const shorter = concat(least.subarray(0, at), least.subarray(at + piece));
      if (fails(shorter)) least = shorter;
      else at += piece;
    }
  }
  return least;
}
