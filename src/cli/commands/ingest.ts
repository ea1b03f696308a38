import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import type { JobRule } from '../../bus/job-message.ts';
import { BusQueue } from '../../bus/queue.ts';
import { compact } from '../../lake/compaction.ts';
import { type FoundFiles, findFiles } from '../../lake/find-logs.ts';
import type { IngestResult } from '../../lake/ingest.ts';
import { LocalQueue } from '../../lake/ingest-process.ts';
import { Lake, lakeId } from '../../lake/lake.ts';
import { LAKE_LIMITS } from '../../lake/limits.ts';
import { sweep } from '../../lake/removal.ts';
import { VEHICLE_SOURCES, type VehicleSource } from '../../lake/vehicle-id.ts';
import { addBusOptions, type BusChoice, type BusFlags, busOf, connectBus } from '../bus-options.ts';
import { EXIT, sentence, stopSignal, UsageError } from '../failure.ts';
import { addReadingOptions, openOptions, type ReadingOptions } from '../load.ts';
import { addFormer, namesOf, WORKERS_OPTION } from '../options.ts';
import { notice, Output } from '../output.ts';
import { Progress } from '../progress.ts';
import { counted, grouped } from '../words.ts';

interface IngestCommandOptions extends ReadingOptions, BusFlags {
  readonly lake: string;
  readonly vehicleName?: string;
  readonly vehicleFrom?: readonly VehicleSource[];
  readonly workers?: number;
  readonly detach?: boolean;
  readonly json?: boolean;
}

export const EXAMPLES = `
Logs are identified by content: the same log under another name changes nothing; a longer copy of a recording replaces
the shorter one. Run the same command again to resume after an interruption.

Vehicles are identified by hardware number, else by BRD_SERIAL_NUM, the system id, or the folder of the log.

With --bus, \`skein worker\` reads the logs on any number of machines that share the log folders and the lake. Ctrl-C stops
only the waiting: the jobs continue, and the same command follows them again.

Examples:
  skein ingest flights/ --lake lake
  skein ingest '/media/card/**/*.BIN' --lake lake --vehicle-name falcon-3
  skein ingest flights/ --lake lake --vehicle-from folder
  skein ingest /srv/flights --lake /srv/lake --bus nats://hub:4222
  skein fleet --lake lake`;

export function build(command: Command): void {
  command
    .argument('<paths...>', 'logs of any format, folders, patterns')
    .requiredOption('--lake <folder>', 'lake folder (created if missing)')
    .option('--vehicle-name <name>', 'all these logs are of this vehicle')
    .option(
      '--vehicle-from <ways>',
      `how to identify vehicles, in this order (default: ${VEHICLE_SOURCES.join(',')})`,
      namesOf('--vehicle-from', VEHICLE_SOURCES),
    )
    .option(...WORKERS_OPTION)
    .option('--detach', 'with --bus: exit once the jobs are queued')
    .option('--json', 'one JSON line per file');
  addFormer(command, '--vehicle <name>', 'vehicleName', 'ingest --vehicle NAME is now --vehicle-name NAME');
  addReadingOptions(addBusOptions(command));
}

export async function run(paths: readonly string[], options: IngestCommandOptions): Promise<number> {
  const lake = new Lake(options.lake);
  const bus = busOf(options);
  if (bus) return ingestOver(bus, paths, lake, options);
  if (options.detach) throw new UsageError('--detach needs --bus');
  const rule = { vehicle: options.vehicleName, from: options.vehicleFrom, open: await openOptions(options) };
  await sweep(lake);
  const found = await findFiles(paths, lake.root);
  const tally = new IngestTally(found, options);
  const queue = new LocalQueue({ lake: lake.root, options: rule }, options.workers ?? availableParallelism());
  for await (const result of queue.run(found.files)) await tally.add(result);
  await pack(lake);
  return tally.end();
}

/** Ingests with workers on other machines. */
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
  const bus = await connectBus(choice, 'skein ingest');
  const { signal, release } = stopSignal();
  try {
    const queue = new BusQueue(bus, { lake: id, rule, replicas: choice.replicas, say: notice, signal });
    const tally = new IngestTally(found, options, () => counted(queue.workers.size, 'worker'));
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
    release();
    await bus.close();
  }
}

/** Packs the catalogue of many logs into few files. What was ingested stays either way. */
async function pack(lake: Lake): Promise<void> {
  await compact(lake, { least: LAKE_LIMITS.packAt }).catch((error: unknown) =>
    notice(`the catalogue was not packed: ${sentence(error)}`),
  );
}

async function ruleOf(options: IngestCommandOptions): Promise<JobRule> {
  const { vehicleName: vehicle, vehicleFrom: from, workers, dialect, keyFile, ...others } = options;
  for (const [name, value] of Object.entries({ workers, dialect, 'key-file': keyFile }))
    if (value !== undefined) throw new UsageError(`--${name} is an option of \`skein worker\`, which reads the logs`);
  const { leapSeconds, keepInvalid, checksum, weekRollovers } = await openOptions({ ...others });
  return { vehicle, from, leapSeconds, keepInvalid, checksum, weekRollovers };
}

/** Milliseconds between progress lines without a terminal. */
const LINES = 10_000;

/** Counts what became of the files, and prints it. */
class IngestTally {
  private readonly output = new Output();
  private readonly progress = new Progress('ingesting');
  private readonly began = performance.now();
  private readonly found: FoundFiles;
  private readonly options: IngestCommandOptions;
  /** The workers on a bus; then progress is printed without a terminal, too. */
  private readonly workers: (() => string) | undefined;
  /** Files that were named, not found in a folder. */
  private readonly named: ReadonlySet<string>;
  private reported = this.began;
  private readonly counts = new Map<string, number>();
  private readonly total: number;
  private bytes = 0;
  private done = 0;
  private ingestedBytes = 0;
  private rows = 0;
  private lost = 0;
  private replaced = 0;

  constructor(found: FoundFiles, options: IngestCommandOptions, workers?: () => string) {
    this.found = found;
    this.options = options;
    this.workers = workers;
    this.named = new Set(found.files.filter(({ isNamed }) => isNamed).map(({ path }) => path));
    this.total = found.files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, reason } of found.failures) this.fail(path, reason);
  }

  async add(result: IngestResult): Promise<void> {
    const { path, status, reason } = result;
    this.bytes += result.bytes;
    this.done++;
    this.showProgress();
    if (this.options.json) {
      this.output.json(result);
      await this.output.flush();
    }
    if (status === 'failed' || (status === 'unknown' && this.named.has(path))) {
      this.fail(path, reason ?? 'failed', false);
      return;
    }
    this.count(status);
    if (status === 'empty' && this.named.has(path)) notice(`${path}: ${reason}`);
    if (status !== 'ingested') return;
    this.ingestedBytes += result.bytes;
    this.rows += result.rows;
    this.replaced += result.replaced.length;
    if (result.lost || (result.cut && this.options.strict)) this.lost++;
    if (reason !== null) notice(`${path}: ${reason}`);
  }

  private showProgress(): void {
    const now = performance.now();
    const seconds = (now - this.began) / 1000;
    const rate = `${(this.done / seconds).toFixed(1)} logs/s, ${(this.bytes / 1e6 / seconds).toFixed(1)} MB/s`;
    const far = `${grouped(this.done)} of ${counted(this.found.files.length, 'file')}, ${rate}`;
    const workers = this.workers?.();
    const text = workers === undefined ? far : `${far} by ${workers}`;
    this.progress.update(this.bytes, this.total, ` | ${text}`);
    if (workers === undefined || process.stderr.isTTY || now - this.reported < LINES) return;
    this.reported = now;
    notice(text);
  }

  private fail(path: string, reason: string, isNew = true): void {
    this.count('failed');
    notice(`${path}: ${reason}`);
    if (this.options.json && isNew) this.output.json({ path, status: 'failed', reason });
  }

  private count(status: string): void {
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
  }

  /** Stops waiting for results. */
  async leave(left: number): Promise<number> {
    const code = this.counts.size > 0 ? await this.end() : EXIT.well;
    this.progress.stop();
    notice(`${counted(left, 'log')} on the bus: workers continue; run the same command again to follow them`);
    return code;
  }

  async end(): Promise<number> {
    this.progress.stop();
    await this.output.flush();
    const of = (status: string): number => this.counts.get(status) ?? 0;
    const seconds = (performance.now() - this.began) / 1000;
    const megabytes = this.ingestedBytes / 1e6;
    const words = [
      `${counted(of('ingested'), 'log')} ingested (${grouped(this.rows)} rows, ${megabytes.toFixed(1)} MB)`,
    ];
    if (this.replaced > 0) words.push(`${grouped(this.replaced)} replaced`);
    if (this.lost > 0) words.push(`${grouped(this.lost)} of them damaged`);
    words.push(`${grouped(of('present'))} already there`);
    if (of('outdated') > 0) words.push(`${grouped(of('outdated'))} older than a longer copy in the lake`);
    if (of('empty') > 0) words.push(`${grouped(of('empty'))} empty`);
    if (of('unknown') > 0) words.push(`${counted(of('unknown'), 'file')} skipped: not a log`);
    if (of('failed') > 0) words.push(`${grouped(of('failed'))} failed`);
    notice(`${words.join(', ')}, in ${seconds.toFixed(1)} s`);
    if (this.found.files.length === 0 && of('failed') === 0) notice('no files found');
    if (of('failed') > 0) return EXIT.failed;
    return this.lost > 0 ? EXIT.damage : EXIT.well;
  }
}
