import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { mergeDialects } from '../../src/formats/mavlink/dialect/merge.ts';
import { SigningKey } from '../../src/formats/mavlink/key.ts';
import type { OpenOptions } from '../../src/formats/open.ts';
import { IngestProcess } from '../../src/lake/ingest-process.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';
import { changedFlight, machineId, smallFlight } from './fleet-logs.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const job = (i: number): { path: string; bytes: number } => ({ path: at(`${i}.BIN`), bytes: 0 });
const LOGS = 5;

beforeAll(async () => {
  const flight = await smallFlight();
  for (let i = 0; i < LOGS; i++) writeFileSync(at(`${i}.BIN`), await changedFlight(flight, { machine: machineId(i) }));
});

const running: IngestProcess[] = [];
function start(lake: string, open: OpenOptions = {}): IngestProcess {
  const one = new IngestProcess({ lake, options: { open } });
  running.push(one);
  return one;
}
afterAll(() => {
  for (const one of running) one.stop();
});

/** Processes that this one started. */
function children(): number[] {
  const tasks = readdirSync(`/proc/${process.pid}/task`);
  const lists = tasks.map((task) => readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8'));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

test.skipIf(process.platform !== 'linux')(
  'a process that ends while it waits is started again, and no signal to all ends a job in hand',
  async () => {
    const before = children();
    const own = (): number | undefined => children().find((id) => !before.includes(id));
    const worker = start(at('lake'));
    expect(await worker.ingest(job(0))).toMatchObject({ status: 'ingested', reason: null });
    const first = own() as number;
    process.kill(first, 'SIGKILL');
    await until(() => !existsSync(`/proc/${first}`));
    const second = worker.ingest(job(1));
    // the job is in hand when there are drafts of it
    await until(() => readdirSync(join(at('lake'), '_staging')).length > 0);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(own() as number, signal);
    expect(await second).toMatchObject({ status: 'ingested', reason: null });
    const third = worker.ingest(job(2));
    process.kill(own() as number, 'SIGABRT');
    expect(await third).toMatchObject({
      path: at('2.BIN'),
      status: 'failed',
      reason: 'the reading process ended with SIGABRT, likely out of memory',
    });
    const fourth = worker.ingest(job(3));
    worker.stop('took too long');
    expect(await fourth).toMatchObject({ path: at('3.BIN'), status: 'failed', reason: 'took too long' });
    expect(await worker.ingest(job(3))).toMatchObject({ status: 'ingested', reason: null });
  },
);

test('definitions and keys reach it; a lake that cannot be made is told as the cause, and tried again', async () => {
  const lake = at('file');
  writeFileSync(lake, 'no folder');
  const { dialect } = mergeDialects(builtinDialect('common'), builtinDialect('ardupilotmega'));
  const worker = start(lake, { dialect, keys: [SigningKey.fromPassphrase('another')] });
  const { status, reason } = await worker.ingest(job(4));
  expect([status, reason]).toEqual(['failed', expect.stringMatching(/^(ENOTDIR|EEXIST)/)]);
  rmSync(lake);
  expect(await worker.ingest(job(4))).toMatchObject({ status: 'ingested', reason: null });
  // all of it is refused, since nothing in it is signed with this key
  const path = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));
  expect(await worker.ingest({ path, bytes: 0 })).toMatchObject({ status: 'ingested', rows: 0, lost: true });
});
