import { setTimeout as wait } from 'node:timers/promises';

/** Waits until something is so, and says what it found; an error where it is not in time. */
export async function until<T>(find: () => T, seconds = 25): Promise<NonNullable<T>> {
  for (const end = performance.now() + seconds * 1000; ; await wait(10)) {
    const found = find();
    if (found) return found;
    if (performance.now() > end) throw new Error(`waited ${seconds} s for ${find}`);
  }
}
