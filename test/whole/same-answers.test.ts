// Same question, same answer: every command twice, the second time on a machine that is busy.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { lakeFiles } from '../bus/jobs.ts';
import { WRITES, writtenBy } from '../helpers/answers.ts';
import { type Run, skein, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { concat } from '../suite/random.ts';
import { sampleFile } from '../suite/sample.ts';

const folder = temporaryFolder();
const path = (name: string): string => join(folder, name);

/** What is asked of each log. */
const QUESTIONS: readonly string[][] = [
  ['info', '--json'],
  ['info', '--faults'],
  ['events', '--json'],
  ['params', '--json'],
  ['report', '--json'],
  ['report', '--to', 'html'],
  ['track', '--to', 'kml'],
  ['dump'],
];
/** Logs that are whole, damaged, and packed to less than a two-hundredth, which is beyond the limit. */
const LOGS: Readonly<Record<string, () => Uint8Array>> = {
  'damaged.BIN': () => {
    const bytes = sampleFile('copter-square.BIN').bytes.slice(0, 300_000);
    return bytes.fill(7, 150_000, 151_000);
  },
  'whole.tlog': () => sampleFile('copter-square.tlog').bytes.slice(0, 60_000),
  'whole.nmea': () => sampleFile('copter-square.nmea').bytes,
  'dense.BIN.gz': () =>
    new Uint8Array(gzipSync(concat(sampleFile('copter-square.BIN').bytes.slice(0, 100_000), new Uint8Array(48 << 20)))),
};

beforeAll(() => {
  for (const [name, bytes] of Object.entries(LOGS)) writeFileSync(path(name), bytes());
});

/** Runs something beside a program on each core that does nothing but take time. */
async function starved<T>(work: () => Promise<T>): Promise<T> {
  const busy = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', 'for(;;);']));
  try {
    return await work();
  } finally {
    for (const child of busy) child.kill('SIGKILL');
  }
}

async function answers(name: string): Promise<Map<string, Run | string>> {
  const found = new Map<string, Run | string>();
  for (const words of QUESTIONS) found.set(words.join(' '), await skeinHere(...words, path(name)));
  for (const command of WRITES) found.set(command, await writtenBy(command, path(name), path(`${name}.out`)));
  return found;
}

test.each(Object.keys(LOGS))('every command says the same of %s twice, idle and starved', async (name) => {
  const first = await answers(name);
  const second = await starved(() => answers(name));
  for (const [words, answer] of first) expect(second.get(words), words).toEqual(answer);
  // nearly all have something to say
  const told = [...first.values()].filter((each) =>
    typeof each === 'string' ? each.length > 100 : each.stdout !== '',
  );
  expect(told.length).toBeGreaterThan(10);
});

test('a lake is the same whether one or two workers read its logs', () => {
  const lakes = ['1', '2'].map((workers) => {
    const lake = path(`lake-${workers}`);
    const names = ['whole.tlog', 'damaged.BIN', 'whole.nmea'].map(path);
    expect(skein(['ingest', ...names, '--lake', lake, '--workers', workers]).code).toBe(3);
    return lakeFiles(lake);
  });
  expect(lakes[0].size).toBeGreaterThan(10);
  expect(lakes[1]).toEqual(lakes[0]);
});
