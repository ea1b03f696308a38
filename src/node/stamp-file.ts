import { readFileSync } from 'node:fs';
import { writeFile } from './atomic.ts';

/**
 * The latest time of signatures, kept over restarts: otherwise a clock that is set back would let old frames be sent
 * again, and have vehicles refuse ours. A number in a file of its own, tens of microseconds since 2015.
 */
export class StampFile {
  private readonly path: string;
  private written: number;

  /** Throws where there is a file that is none. */
  constructor(path: string) {
    this.path = path;
    this.written = read(path);
  }

  /** What was stored last; undefined for nothing. */
  get stored(): number | undefined {
    return this.written > 0 ? this.written : undefined;
  }

  /** Stores a later time. */
  async store(stamp: number): Promise<void> {
    if (!(stamp > this.written)) return;
    await writeFile(this.path, [`${stamp}\n`], { force: true });
    this.written = stamp;
  }
}

function read(path: string): number {
  let text: string;
  try {
    text = readFileSync(path, 'latin1').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${path} holds no time of signatures: a number is wanted, or no file`);
  return Number(text);
}
