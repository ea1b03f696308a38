import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Spill } from '../core/source.ts';

/** Closes files of spills that are no longer used. */
const closing = new FinalizationRegistry((descriptor: number) => closeSync(descriptor));

/** A temporary file for bytes that exceed memory: without a name, gone when closed or when the program ends. */
export function fileSpill(): Spill {
  const folder = mkdtempSync(join(tmpdir(), 'skein-'));
  let descriptor: number;
  try {
    descriptor = openSync(join(folder, 'spill'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const spill: Spill = {
    write(offset, bytes) {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(descriptor, bytes, done, bytes.length - done, offset + done);
      }
    },
    read(offset, length) {
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const count = readSync(descriptor, bytes, done, length - done, offset + done);
        if (count === 0) return bytes.subarray(0, done);
        done += count;
      }
      return bytes;
    },
  };
  closing.register(spill, descriptor);
  return spill;
}
