import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLog } from '../../src/entry/index.ts';

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url));

/** Of one recording, less than it writes on a machine that has nothing else to do. */
const FRAMES_EACH_MILLISECOND = 4;

/** What was found of a recording after its process was killed. */
interface Killed {
  /** Frames that it was promised before it was killed. */
  readonly promised: number;
  /** Frames that are in its files, one after the other from the first on. */
  readonly found: number;
  readonly files: number;
}

/** What a process left that was killed, and how often its status file was read, whole each time, until then. */
interface Left {
  readonly killed: readonly Killed[];
  readonly reads: number;
}

/** Lets a process make some recordings, kills it some time after its first promise, and reads what it left. */
export async function killWhileRecording(folder: string, delay: number, recordings: number): Promise<Left> {
  mkdirSync(folder);
  const child = spawn(process.execPath, [CHILD, folder, String(recordings)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  await new Promise<void>((done, failed) => {
    child.stdout.once('data', () => done());
    child.once('exit', (code) => failed(new Error(`the recording process ended with code ${code} by itself`)));
  });
  const status = join(folder, 'status.json');
  let reads = 0;
  // on a busy machine it takes longer until there is as much to lose
  const least = delay * recordings * FRAMES_EACH_MILLISECOND;
  const end = performance.now() + delay;
  while (performance.now() < end || total(promisedIn(output)) < least) {
    reads += readStatus(status);
    await new Promise((done) => setImmediate(done));
  }
  child.kill('SIGKILL');
  await once(child, 'close');
  reads += readStatus(status);
  const promised = promisedIn(output);
  const killed: Killed[] = [];
  for (let i = 0; i < recordings; i++)
    killed.push({ promised: promised.get(i) ?? 0, ...(await framesIn(join(folder, String(i)))) });
  return { killed, reads };
}

/** How many frames each recording was promised; the last line may be torn. */
function promisedIn(output: string): Map<number, number> {
  const lines = output.slice(0, output.lastIndexOf('\n')).split('\n');
  return new Map(lines.map((line) => line.split(' ').map(Number) as [number, number]));
}

const total = (promised: Map<number, number>): number => [...promised.values()].reduce((sum, count) => sum + count, 0);

/** 1 if there is one; throws where it is not all of one. */
function readStatus(path: string): number {
  if (!existsSync(path)) return 0;
  const status = JSON.parse(readFileSync(path, 'utf8')) as { end: boolean };
  if (!status.end) throw new Error('the status is not whole');
  return 1;
}

/** Reads the files of one recording; throws where a frame is missing in between, or a file does not open. */
async function framesIn(folder: string): Promise<{ found: number; files: number }> {
  const names = namesIn(folder);
  let found = 0;
  for (const name of names) {
    const log = await openLog(join(folder, name));
    if (log.format === 'empty') continue;
    if (log.format !== 'tlog') throw new Error(`${name} is ${log.format}`);
    const numbers = await log.table('HEARTBEAT')?.column('custom_mode');
    for (let row = 0; numbers && row < numbers.length; row++) {
      if (numbers.at(row) !== found) throw new Error(`${name} has ${numbers.at(row)} in place of ${found}`);
      found++;
    }
  }
  return { found, files: names.length };
}

/** A recording that was killed before its first file has no folder yet. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
