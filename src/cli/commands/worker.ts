import { availableParallelism, hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type DeadJob, forgetDead, listDead, retryDead } from '../../bus/dead-jobs.ts';
import { JOB_LIMITS } from '../../bus/limits.ts';
import { BusWorker } from '../../bus/worker.ts';
import { parseRoot, type Root } from '../../lake/find-logs.ts';
import type { IngestResult } from '../../lake/ingest.ts';
import { Lake, lakeId, readLakeId } from '../../lake/lake.ts';
import { sweep } from '../../lake/removal.ts';
import { addBusOptions, type BusChoice, type BusFlags, connectBus, needBus } from '../bus-options.ts';
import { EXIT, UsageError } from '../failure.ts';
import { addMavlinkOptions, openOptions } from '../load.ts';
import { collect, WORKERS_OPTION, wholeNumber } from '../options.ts';
import { notice, Output } from '../output.ts';
import { counted, dateOf, gridLines, grouped } from '../words.ts';

interface WorkerOptions extends BusFlags {
  readonly lake: string;
  readonly allow?: readonly string[];
  readonly root?: readonly string[];
  readonly workers?: number;
  readonly tries: number;
  readonly ackWait: number;
  readonly dialect?: string;
  readonly keyFile?: string;
  readonly dead?: boolean;
  /** Ids of jobs; true for all. */
  readonly retry?: true | readonly string[];
  readonly forget?: true | readonly string[];
  readonly json?: boolean;
}

export const EXAMPLES = `
A worker reads only the folders of --allow and --root, whatever jobs say, and writes only to its lake.
Ctrl-C finishes the current jobs and stops; a second Ctrl-C returns them and stops at once. If a worker is killed, its
jobs go to others.

Examples:
  skein worker --bus nats://hub:4222 --lake /srv/lake --allow /srv/flights
  skein worker --bus nats://hub:4222 --lake /mnt/nas/lake --root /srv/flights=/mnt/nas/flights --workers 4
  skein worker --bus nats://hub:4222 --lake /srv/lake --dead
  skein worker --bus nats://hub:4222 --lake /srv/lake --retry`;

export function build(command: Command): void {
  command
    .requiredOption('--lake <folder>', 'path of the lake on this machine; accepts the jobs of this lake')
    .option('--allow <folder>', 'log folder with the same path on all machines; may be repeated', collect)
    .option(
      '--root <from=to>',
      'log folder: its path where `skein ingest` runs, and its path here; may be repeated',
      collect,
    )
    .option(...WORKERS_OPTION)
    .option('--tries <n>', 'attempts before a job is given up', wholeNumber('--tries', 1, 100), JOB_LIMITS.tries)
    .option(
      '--ack-wait <seconds>',
      'seconds without a sign of life before the jobs of a worker go to others; the same for all of a lake',
      wholeNumber('--ack-wait', 1, 3600),
      JOB_LIMITS.ackWaitMilliseconds / 1000,
    )
    .option('--dead', 'list the jobs that were given up with the reason, and exit')
    .option('--retry [ids...]', 'queue given-up jobs again, and exit')
    .option('--forget [ids...]', 'remove given-up jobs from the list, and exit')
    .option('--json', 'one JSON line per log');
  addMavlinkOptions(addBusOptions(command));
}

export async function run(options: WorkerOptions): Promise<number> {
  const choice = needBus(options);
  const lake = new Lake(options.lake);
  if ((options.dead ?? options.retry ?? options.forget) !== undefined) return handleDead(choice, lake, options);
  const roots = rootsOf(options);
  const { tries, workers: atATime = availableParallelism() } = options;
  const open = await openOptions(options);
  await sweep(lake);
  const id = await lakeId(lake);
  const bus = await connectBus(choice, 'skein worker');
  const output = new Output();
  const counts = new Map<string, number>();
  const count = (result: IngestResult): void => {
    const { status, path, reason } = result;
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (status === 'failed') notice(`${path}: given up: ${reason}`);
    if (!options.json) return;
    output.json(result);
    void output.flush();
  };
  const ending = new AbortController();
  const running = new BusWorker(bus, {
    name: `${hostname()}-${process.pid}`,
    lake: id,
    settings: { lake: lake.root, options: { open, roots } },
    atATime,
    tries,
    ackWaitMilliseconds: options.ackWait * 1000,
    replicas: choice.replicas,
    say: notice,
    onResult: count,
    signal: ending.signal,
  });
  const end = (): void => {
    if (ending.signal.aborted) {
      void running.giveBack().finally(() => process.exit(EXIT.failed));
      return;
    }
    ending.abort();
    if (running.jobs > 0) notice(`finishing ${counted(running.jobs, 'log')}; Ctrl-C again returns them`);
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  notice(`taking jobs of the lake ${id} at ${lake.root}, ${counted(atATime, 'log')} at a time`);
  try {
    await running.run();
    await output.flush();
    const words = [...counts].map(([status, found]) => `${grouped(found)} ${status}`);
    notice(`done with ${words.length > 0 ? words.join(', ') : 'nothing'}`);
    return EXIT.well;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await bus.close();
  }
}

function rootsOf({ allow = [], root = [] }: WorkerOptions): Root[] {
  if (allow.length + root.length === 0)
    throw new UsageError('give the log folders that the worker may read: --allow FOLDER, or --root FROM=TO');
  const same = allow.map((word) => ({ from: resolve(word), to: resolve(word) }));
  const moved = root.map((word) => {
    const found = parseRoot(word);
    if (!found) throw new UsageError(`--root ${word}: expected two paths, such as /srv/flights=/mnt/flights`);
    return found;
  });
  return [...same, ...moved];
}

async function handleDead(choice: BusChoice, lake: Lake, { retry, forget, json }: WorkerOptions): Promise<number> {
  if (retry && forget) throw new UsageError('--retry and --forget cannot be combined');
  const id = await readLakeId(lake);
  if (id === null) throw new UsageError(`--lake ${lake.root}: not a lake that was used with a bus`);
  const bus = await connectBus(choice, 'skein worker');
  try {
    const all = await listDead(bus, id);
    if (retry) {
      const chosen = chosenOf(all, retry);
      const done = await retryDead(bus, id, chosen);
      notice(`${counted(done, 'job')} put back`);
      if (done < chosen.length) notice(`${chosen.length - done} cannot be put back: not jobs`);
    } else if (forget) {
      const chosen = chosenOf(all, forget);
      await forgetDead(bus, id, chosen);
      notice(`${counted(chosen.length, 'job')} forgotten`);
    } else await list(all, json === true);
    return EXIT.well;
  } finally {
    await bus.close();
  }
}

function chosenOf(all: readonly DeadJob[], ids: true | readonly string[]): readonly DeadJob[] {
  if (ids === true) return all;
  return ids.map((id) => {
    const found = all.find((each) => each.id === id);
    if (!found) throw new UsageError(`unknown job ${id}: --dead lists the jobs that were given up`);
    return found;
  });
}

async function list(jobs: readonly DeadJob[], isJson: boolean): Promise<void> {
  const output = new Output();
  if (isJson) {
    for (const { id, time, tries, worker, reason, job, text } of jobs)
      output.json({ id, time: time / 1000, tries, worker, path: job?.path ?? null, reason, text });
  } else if (jobs.length > 0) {
    const rows = jobs.map(({ id, time, tries, worker, reason, job, text }) => [
      id,
      dateOf(time * 1000),
      String(tries),
      worker,
      `${job?.path ?? JSON.stringify(text)}: ${reason}`,
    ]);
    for (const line of gridLines([['job', 'given up', 'tries', 'worker', 'log'], ...rows])) output.write(`${line}\n`);
  } else notice('no job was given up');
  await output.flush();
}
