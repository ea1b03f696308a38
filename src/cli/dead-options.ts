import type { Command } from 'commander';
import { type DeadJob, DeadJobs } from '../bus/dead-jobs.ts';
import { type Lake, readLakeId } from '../lake/lake.ts';
import { type BusChoice, comeOntoBus } from './bus-options.ts';
import { EXIT, UsageError } from './failure.ts';
import { gridLines } from './grid.ts';
import { Output, tell } from './output.ts';
import { counted, dateOf } from './words.ts';

/** Options about jobs that were given up. Without ids, all of them are meant. */
export interface DeadFlags {
  readonly dead?: boolean;
  readonly retry?: true | readonly string[];
  readonly forget?: true | readonly string[];
  readonly json?: boolean;
}

export function addDeadOptions(command: Command): Command {
  return command
    .option('--dead', 'list jobs that were given up, with the reason, and end')
    .option('--retry [ids...]', 'put such jobs back into the queue, and end')
    .option('--forget [ids...]', 'remove such jobs from the list, and end');
}

export function isAboutDead({ dead, retry, forget }: DeadFlags): boolean {
  return (dead ?? retry ?? forget) !== undefined;
}

export async function seeToDead(choice: BusChoice, lake: Lake, flags: DeadFlags): Promise<number> {
  const { retry, forget, json } = flags;
  if (retry && forget) throw new UsageError('one of --retry and --forget at a time');
  const id = await readLakeId(lake);
  if (id === null) throw new UsageError(`--lake ${lake.root}: no lake there that was ever used with a bus`);
  const bus = await comeOntoBus(choice, 'skein worker');
  try {
    const jobs = new DeadJobs(bus, id);
    const all = await jobs.list();
    if (retry) {
      const chosen = chosenOf(all, retry);
      const done = await jobs.retry(chosen);
      tell(`${counted(done.length, 'job')} put back`);
      if (done.length < chosen.length) tell(`${chosen.length - done.length} cannot be put back: they are no jobs`);
    } else if (forget) {
      const chosen = chosenOf(all, forget);
      await jobs.forget(chosen);
      tell(`${counted(chosen.length, 'job')} forgotten`);
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
    if (!found) throw new UsageError(`no job ${id} was given up`);
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
  } else tell('no job was given up');
  await output.flush();
}
