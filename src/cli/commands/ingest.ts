import { type Command, Option } from 'commander';
import type { JobRule } from '../../bus/job-message.ts';
import { BusQueue } from '../../bus/queue.ts';
import { compact } from '../../lake/compaction.ts';
import { type Found, findFiles } from '../../lake/find-logs.ts';
import { LocalQueue } from '../../lake/ingest-process.ts';
import { Lake, lakeId } from '../../lake/lake.ts';
import { LAKE_LIMITS } from '../../lake/limits.ts';
import { sweep } from '../../lake/removal.ts';
import { VEHICLE_SOURCES, type VehicleSource } from '../../lake/vehicle-id.ts';
import { addBusOptions, type BusChoice, type BusFlags, busOf, comeOntoBus } from '../bus-options.ts';
import { EXIT, sentence, UsageError } from '../failure.ts';
import { IngestTally } from '../ingest-tally.ts';
import { addReadingOptions, openOptions, type ReadingOptions } from '../load.ts';
import { tell } from '../output.ts';
import { counted } from '../words.ts';
import { WORKERS_OPTION, workersOf } from '../workers-option.ts';

interface IngestCommandOptions extends ReadingOptions, BusFlags {
  readonly lake: string;
  readonly vehicle?: string;
  readonly vehicleFrom?: string;
  readonly workers?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
A log is told by its content: the same log again, under whatever name, changes nothing; a longer copy of a recording
takes the place of the shorter one. A run that was interrupted goes on where it stopped when it is started again.

Vehicles are told by the number of their hardware, else by BRD_SERIAL_NUM, the system id, or the folder of the log.

With --bus, logs are read by \`skein worker\` on any number of machines that share the folders of the logs and the lake.
Ctrl-C ends the waiting only: the jobs go on, and the same command again follows them.

Examples:
  skein ingest flights/ --lake lake
  skein ingest '/media/card/**/*.BIN' --lake lake --vehicle falcon-3
  skein ingest flights/ --lake lake --vehicle-from folder
  skein ingest /srv/flights --lake /srv/lake --bus nats://hub:4222
  skein fleet --lake lake`;

export function buildIngest(command: Command, done: (code: number) => void): void {
  command
    .argument('<paths...>', 'logs of any format, folders with logs in them, patterns')
    .requiredOption('--lake <folder>', 'the lake; it is made where there is none')
    .option('--vehicle <name>', 'all these logs are of this vehicle')
    .option(
      '--vehicle-from <ways>',
      `how to tell vehicles, tried in this order: ${VEHICLE_SOURCES.join(',')} (this is the default)`,
    )
    .addOption(new Option(...WORKERS_OPTION))
    .option('--detach', 'with --bus: leave once the jobs are there, and do not wait for their results')
    .option('--json', 'a line of JSON for each file');
  addReadingOptions(addBusOptions(command))
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: IngestCommandOptions) => done(await ingest(paths, options)));
}

async function ingest(paths: readonly string[], options: IngestCommandOptions): Promise<number> {
  const lake = new Lake(options.lake);
  const bus = busOf(options);
  if (bus) return ingestOver(bus, paths, lake, options);
  if (options.detach) throw new UsageError('--detach is for --bus only');
  const rule = { vehicle: options.vehicle, from: waysOf(options), open: await openOptions(options) };
  const workers = workersOf(options.workers);
  await sweep(lake);
  const found = await findFiles(paths, lake.root);
  const tally = new IngestTally(found, tellingOf(found, options));
  const queue = new LocalQueue({ lake: lake.root, options: rule }, workers);
  for await (const result of queue.run(found.files)) await tally.add(result);
  await pack(lake);
  return tally.end();
}

/** The same by workers on other machines. */
async function ingestOver(
  choice: BusChoice,
  paths: readonly string[],
  lake: Lake,
  options: IngestCommandOptions,
): Promise<number> {
  const rule = await ruleOf(options);
  await sweep(lake);
  const id = await lakeId(lake);
  const found = await findFiles(paths, lake.root);
  const bus = await comeOntoBus(choice, 'skein ingest');
  const ending = new AbortController();
  const end = (): void => ending.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    const { signal } = ending;
    const queue = new BusQueue(bus, { lake: id, rule, replicas: choice.replicas, say: tell, signal });
    const who = (): string => counted(queue.workers.size, 'worker');
    const tally = new IngestTally(found, { ...tellingOf(found, options), who });
    if (options.detach) {
      await queue.offer(found.files);
      return tally.leave(queue.left);
    }
    for await (const result of queue.run(found.files)) await tally.add(result);
    if (!signal.aborted) {
      await pack(lake);
      return tally.end();
    }
    await tally.leave(queue.left);
    return EXIT.failed;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await bus.close();
  }
}

/** Puts the catalogue of many logs into few files. What was ingested is there in either case. */
async function pack(lake: Lake): Promise<void> {
  await compact(lake, { least: LAKE_LIMITS.packAt }).catch((error: unknown) =>
    tell(`the catalogue stays in many files: ${sentence(error)}`),
  );
}

function tellingOf(
  { files }: Found,
  { json, strict }: IngestCommandOptions,
): { isJson: boolean; isStrict: boolean; isNamed(path: string): boolean } {
  const named = new Set(files.filter(({ isNamed }) => isNamed).map(({ path }) => path));
  return { isJson: json === true, isStrict: strict === true, isNamed: (path) => named.has(path) };
}

/** What can be said of logs in a job. */
async function ruleOf(options: IngestCommandOptions): Promise<JobRule> {
  const { vehicle, workers, dialect, keyFile, ...others } = options;
  for (const [name, value] of Object.entries({ workers, dialect, 'key-file': keyFile }))
    if (value !== undefined)
      throw new UsageError(`--${name} is for those who read the logs: give it to \`skein worker\``);
  const { leapSeconds, keepInvalid, checksum, weekRollovers } = await openOptions({ ...others });
  return { vehicle, from: waysOf(options), leapSeconds, keepInvalid, checksum, weekRollovers };
}

function waysOf({ vehicleFrom }: IngestCommandOptions): VehicleSource[] | undefined {
  return vehicleFrom?.split(',').map((word) => {
    const way = VEHICLE_SOURCES.find((each) => each === word.trim());
    if (way === undefined) throw new UsageError(`--vehicle-from ${word}: ways are ${VEHICLE_SOURCES.join(', ')}`);
    return way;
  });
}
