import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegular } from './text-file.ts';

const NAME = 'lock';
/** The time at which a process was started, among the words after its name in /proc/PID/stat. */
const STARTED = 19;

/** A folder that another process works in. */
export class FolderTakenError extends Error {
  override readonly name = 'FolderTakenError';
}

/** Keeps a folder for one process of this machine. A lock of a killed process (by number and start) is void. */
export class FolderLock {
  private readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the folder if none. */
  static async acquire(folder: string): Promise<FolderLock> {
    await mkdir(folder, { recursive: true });
    const path = join(folder, NAME);
    const own = `${process.pid} ${startOf(process.pid)}\n`;
    for (;;) {
      try {
        await writeFile(path, own, { flag: 'wx' });
        return new FolderLock(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const text = await readRegular(path).catch(() => '');
      const [, pid, start] = /^(\d+) (\d*)$/m.exec(text) ?? [];
      if (pid !== undefined && isAlive(Number(pid), start))
        throw new FolderTakenError(`${folder} is in use by process ${pid}`);
      await rm(path, { force: true });
    }
  }

  async release(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

function isAlive(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startOf(pid) === start;
}

/** '' if the system does not say it, or the process is gone. */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[STARTED] ?? '';
  } catch {
    return '';
  }
}
