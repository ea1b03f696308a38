import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { FLEET_LIMITS } from '../../core/fleet-limits.ts';
import { compact } from '../../fleet/compaction.ts';
import { type Found, findFiles } from '../../fleet/find-logs.ts';
import type { IngestResult } from '../../fleet/ingest.ts';
import { type JobQueue, LocalQueue } from '../../fleet/job-queue.ts';
import { Lake } from '../../fleet/lake.ts';
import { sweep } from '../../fleet/removal.ts';
import { VEHICLE_SOURCES, type VehicleSource } from '../../fleet/vehicle-id.ts';
import { EXIT, sentence, UsageError } from '../failure.ts';
import { addReadingOptions, openOptions, type ReadingOptions } from '../load.ts';
import { Output, tell } from '../output.ts';
import { Progress } from '../progress.ts';
import { counted, grouped } from '../words.ts';

interface IngestCommandOptions extends ReadingOptions {
  readonly lake: string;
  readonly vehicle?: string;
  readonly vehicleFrom?: string;
  readonly workers?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
A log is told by its content: the same log again, under whatever name, changes nothing; a longer copy of a recording
takes the place of the shorter one. A run that was interrupted goes on where it stopped when it is started again.

Vehicles are told by the number of their hardware, else by BRD_SERIAL_NUM, the system id, or the folder of the log.

Examples:
  skein ingest flights/ --lake lake
  skein ingest '/media/card/**/*.BIN' --lake lake --vehicle falcon-3
  skein ingest flights/ --lake lake --vehicle-from folder
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
    .addOption(new Option('--workers <n>', 'logs that are read at a time; as many as there are cores by default'))
    .option('--json', 'a line of JSON for each file');
  addReadingOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: IngestCommandOptions) => done(await ingest(paths, options)));
}

async function ingest(paths: readonly string[], options: IngestCommandOptions): Promise<number> {
  const lake = new Lake(options.lake);
  const rule = { vehicle: options.vehicle, from: waysOf(options), open: await openOptions(options) };
  const workers = workersOf(options);
  await sweep(lake);
  const found = await findFiles(paths, lake.root);
  const named = new Set(found.files.filter(({ isNamed }) => isNamed).map(({ path }) => path));
  const tally = new Tally(found, options.json === true, (path) => named.has(path));
  const queue: JobQueue = new LocalQueue({ lake: lake.root, options: rule }, workers);
  for await (const result of queue.run(found.files)) await tally.add(result);
  await compact(lake, { least: FLEET_LIMITS.packAt }).catch((error: unknown) =>
    tell(`the catalogue stays in many files: ${sentence(error)}`),
  );
  return tally.end();
}

function waysOf({ vehicleFrom }: IngestCommandOptions): VehicleSource[] | undefined {
  return vehicleFrom?.split(',').map((word) => {
    const way = VEHICLE_SOURCES.find((each) => each === word.trim());
    if (way === undefined) throw new UsageError(`--vehicle-from ${word}: ways are ${VEHICLE_SOURCES.join(', ')}`);
    return way;
  });
}

function workersOf({ workers }: IngestCommandOptions): number {
  if (workers === undefined) return availableParallelism();
  if (!/^[1-9]\d?$/.test(workers)) throw new UsageError(`--workers ${workers}: a number from 1 to 99 is wanted`);
  return Number(workers);
}

/** What became of all files, as it is told. */
class Tally {
  private readonly output = new Output();
  private readonly progress = new Progress('ingesting');
  private readonly began = performance.now();
  private readonly found: Found;
  private readonly isJson: boolean;
  private readonly isNamed: (path: string) => boolean;
  private readonly counts = new Map<string, number>();
  private readonly total: number;
  private bytes = 0;
  private ingestedBytes = 0;
  private rows = 0;
  private lost = 0;
  private replaced = 0;

  constructor(found: Found, isJson: boolean, isNamed: (path: string) => boolean) {
    this.found = found;
    this.isJson = isJson;
    this.isNamed = isNamed;
    this.total = found.files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, reason } of found.failures) this.fail(path, reason);
  }

  async add(result: IngestResult): Promise<void> {
    const { path, status, reason } = result;
    this.bytes += result.bytes;
    this.progress.update(this.bytes, this.total);
    if (this.isJson) {
      this.output.write(`${JSON.stringify(result)}\n`);
      await this.output.flush();
    }
    if (status === 'failed' || (status === 'unknown' && this.isNamed(path))) {
      this.fail(path, reason ?? 'failed', false);
      return;
    }
    this.count(status);
    if (status === 'empty' && this.isNamed(path)) tell(`${path}: ${reason}`);
    if (status !== 'ingested') return;
    this.ingestedBytes += result.bytes;
    this.rows += result.rows;
    this.replaced += result.replaced.length;
    if (result.lost) this.lost++;
    if (reason !== null) tell(`${path}: ${reason}`);
  }

  private fail(path: string, reason: string, isNew = true): void {
    this.count('failed');
    tell(`${path}: ${reason}`);
    if (this.isJson && isNew) this.output.write(`${JSON.stringify({ path, status: 'failed', reason })}\n`);
  }

  private count(status: string): void {
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
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
    words.push(`${grouped(of('present'))} there already`);
    if (of('outdated') > 0) words.push(`${grouped(of('outdated'))} of which a later state is there`);
    if (of('empty') > 0) words.push(`${grouped(of('empty'))} empty`);
    if (of('unknown') > 0)
      words.push(`${counted(of('unknown'), 'file')} that ${of('unknown') === 1 ? 'is' : 'are'} no log`);
    if (of('failed') > 0) words.push(`${grouped(of('failed'))} failed`);
    tell(`${words.join(', ')}, in ${seconds.toFixed(1)} s`);
    if (this.found.files.length === 0 && of('failed') === 0) tell('no files there');
    if (of('failed') > 0) return EXIT.failed;
    return this.lost > 0 ? EXIT.damage : EXIT.well;
  }
}
