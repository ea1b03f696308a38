import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { JOB_LIMITS } from '../../bus/limits.ts';
import { BusWorker } from '../../bus/worker.ts';
import { parseRoot, type Root } from '../../lake/find-logs.ts';
import type { IngestResult } from '../../lake/ingest.ts';
import { Lake, lakeId } from '../../lake/lake.ts';
import { sweep } from '../../lake/removal.ts';
import { addBusOptions, type BusFlags, busOf, comeOntoBus } from '../bus-options.ts';
import { addDeadOptions, type DeadFlags, isAboutDead, seeToDead } from '../dead-options.ts';
import { EXIT, UsageError } from '../failure.ts';
import { addMavlinkOptions, openOptions } from '../load.ts';
import { Output, tell } from '../output.ts';
import { counted, grouped } from '../words.ts';
import { WORKERS_OPTION, workersOf } from '../workers-option.ts';

interface WorkerOptions extends BusFlags, DeadFlags {
  readonly lake: string;
  readonly allow: readonly string[];
  readonly root: readonly string[];
  readonly workers?: string;
  readonly tries?: string;
  readonly ackWait?: string;
  readonly dialect?: string;
  readonly keyFile?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
A worker reads nothing but what lies in the folders of --allow and --root, whatever jobs say, and writes to its lake only.
Ctrl-C: no more jobs are taken, and the worker ends when those in hand are done. Once more: it gives them back and ends at
once. A worker that is killed loses nothing: its jobs go to others.

Examples:
  skein worker --bus nats://hub:4222 --lake /srv/lake --allow /srv/flights
  skein worker --bus nats://hub:4222 --lake /mnt/nas/lake --root /srv/flights=/mnt/nas/flights --workers 4
  skein worker --bus nats://hub:4222 --lake /srv/lake --dead
  skein worker --bus nats://hub:4222 --lake /srv/lake --retry`;

export function buildWorker(command: Command, done: (code: number) => void): void {
  command
    .requiredOption('--lake <folder>', 'the lake, as this machine has it; jobs of this lake are taken')
    .option(
      '--allow <folder>',
      'a folder with logs that has the same path on all machines; may be repeated',
      collect,
      [],
    )
    .option(
      '--root <from=to>',
      'a folder with logs: its path where `skein ingest` runs, and here; may be repeated',
      collect,
      [],
    )
    .option(...WORKERS_OPTION)
    .option('--tries <n>', `how often a job is handed out before it is given up (${JOB_LIMITS.tries})`)
    .option(
      '--ack-wait <seconds>',
      `silence after which jobs of a worker go to others (${JOB_LIMITS.ackWaitMilliseconds / 1000}); holds for all of a lake`,
    )
    .option('--json', 'a line of JSON for each log');
  addDeadOptions(addMavlinkOptions(addBusOptions(command)))
    .addHelpText('after', EXAMPLES)
    .action(async (options: WorkerOptions) => done(await worker(options)));
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

async function worker(options: WorkerOptions): Promise<number> {
  const choice = busOf(options);
  if (!choice) throw new UsageError('--bus says where the jobs are: nats://HOST:PORT');
  const lake = new Lake(options.lake);
  if (isAboutDead(options)) return seeToDead(choice, lake, options);
  const roots = rootsOf(options);
  const atATime = workersOf(options.workers);
  const tries = numberOf('tries', options.tries, JOB_LIMITS.tries, 1, 100);
  const wait = numberOf('ack-wait', options.ackWait, JOB_LIMITS.ackWaitMilliseconds / 1000, 1, 3600);
  const open = await openOptions(options);
  await sweep(lake);
  const id = await lakeId(lake);
  const bus = await comeOntoBus(choice, 'skein worker');
  const tally = new WorkerTally(options.json === true);
  const ending = new AbortController();
  const running = new BusWorker(bus, {
    name: `${hostname()}-${process.pid}`,
    lake: id,
    settings: { lake: lake.root, options: { open, roots } },
    atATime,
    tries,
    ackWaitMilliseconds: wait * 1000,
    replicas: choice.replicas,
    say: tell,
    onResult: (result) => tally.add(result),
    signal: ending.signal,
  });
  const end = (): void => {
    if (ending.signal.aborted) {
      void running.giveBack().finally(() => process.exit(EXIT.failed));
      return;
    }
    ending.abort();
    if (running.jobs > 0) tell(`finishing ${counted(running.jobs, 'log')}; once more to give them back`);
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  tell(`taking jobs of the lake ${id} at ${lake.root}, ${counted(atATime, 'log')} at a time`);
  try {
    await running.run();
    return await tally.end();
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await bus.close();
  }
}

function rootsOf({ allow, root }: WorkerOptions): Root[] {
  if (allow.length + root.length === 0)
    throw new UsageError('--allow says in which folders a worker may read logs; --root where these lie elsewhere');
  const same = allow.map((word) => ({ from: resolve(word), to: resolve(word) }));
  const moved = root.map((word) => {
    const found = parseRoot(word);
    if (!found) throw new UsageError(`--root ${word}: expected two paths, such as /srv/flights=/mnt/flights`);
    return found;
  });
  return [...same, ...moved];
}

function numberOf(name: string, word: string | undefined, usual: number, least: number, most: number): number {
  if (word === undefined) return usual;
  const number = Number(word);
  if (!/^\d+$/.test(word) || number < least || number > most)
    throw new UsageError(`--${name} ${word}: must be ${least} to ${most}`);
  return number;
}

/** What this worker did, as it is told. */
class WorkerTally {
  private readonly output = new Output();
  private readonly isJson: boolean;
  private readonly counts = new Map<string, number>();

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  add(result: IngestResult): void {
    const { status, path, reason } = result;
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
    if (status === 'failed') tell(`${path}: given up: ${reason}`);
    if (!this.isJson) return;
    this.output.json(result);
    void this.output.flush();
  }

  async end(): Promise<number> {
    await this.output.flush();
    const words = [...this.counts].map(([status, count]) => `${grouped(count)} ${status}`);
    tell(`done with ${words.length > 0 ? words.join(', ') : 'nothing'}`);
    return EXIT.well;
  }
}
