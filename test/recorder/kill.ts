import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLog } from '../../src/index.ts';

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url));

/** What was found after a recording process was killed. */
interface Killed {
  /** Frames that it was promised before it was killed. */
  readonly promised: number;
  /** Frames that are in its files, one after the other from the first on. */
  readonly found: number;
  readonly files: number;
}

/** Lets a process record, kills it some time after its first promise, and reads what it left. */
export async function killWhileRecording(folder: string, delay: number, segmentBytes: number): Promise<Killed> {
  mkdirSync(folder);
  const child = spawn(process.execPath, [CHILD, folder, String(segmentBytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  await new Promise<void>((done, failed) => {
    child.stdout.once('data', () => done());
    child.once('exit', (code) => failed(new Error(`the recording process ended with code ${code} by itself`)));
  });
  await new Promise((done) => setTimeout(done, delay));
  child.kill('SIGKILL');
  await once(child, 'close');
  // the last line may be torn as well
  const lines = output.slice(0, output.lastIndexOf('\n')).split('\n');
  const paths = readdirSync(folder).sort();
  let found = 0;
  for (const name of paths) {
    const log = await openLog(join(folder, name));
    if (log.format === 'empty') continue;
    if (log.format !== 'tlog') throw new Error(`${name} is ${log.format}`);
    const numbers = await log.table('HEARTBEAT')?.column('custom_mode');
    for (let row = 0; numbers && row < numbers.length; row++) {
      if (numbers.at(row) !== found) throw new Error(`${name} has ${numbers.at(row)} in place of ${found}`);
      found++;
    }
  }
  return { promised: Number(lines.at(-1)), found, files: paths.length };
}
