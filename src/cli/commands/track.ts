import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { TRACK_FORMATS } from '../../export/index.ts';
import { readTrack } from '../../geo/track.ts';
import { UsageError } from '../failure.ts';
import { addReadingOptions, codeOf, load, type ReadingOptions } from '../load.ts';
import { addWritingOptions, notice, type WritingOptions, writeOut } from '../output.ts';
import { addRangeOptions, type RangeOptions, rangeOf } from '../range.ts';
import { trackWords } from '../words.ts';

interface TrackCommandOptions extends ReadingOptions, WritingOptions, RangeOptions {
  readonly to: string;
  readonly source?: string;
  readonly json?: boolean;
}

export const EXAMPLES = `
Without --source: the GPS receiver with the most fixes. Sources: GPS, GPS[1], GPS2, POS, AHR2, LatLon, GnssPvtData.

Examples:
  skein track flight.BIN --to geojson > flight.geojson
  skein track flight.BIN --to kml -o flight.kml
  skein track flight.BIN --to gpx --from +60s --until +120s
  skein track flight.BIN --to csv --source POS`;

export function build(command: Command): void {
  const names = TRACK_FORMATS.map((format) => format.name);
  command
    .argument('<file>', 'a log of any format')
    .addOption(new Option('--to <format>', 'output format').choices(names).default('geojson'))
    .option('--source <name>', 'table of the positions')
    .option('--json', 'same as --to geojson');
  addRangeOptions(addWritingOptions(addReadingOptions(command)));
}

export async function run(file: string, options: TrackCommandOptions): Promise<number> {
  const wanted = options.json ? 'geojson' : options.to;
  const format = TRACK_FORMATS.find(({ name }) => name === wanted);
  if (!format) throw new UsageError(`--to ${wanted}: unknown format`);
  const log = await load(file, options);
  const range = await rangeOf(log, options);
  const name = basename(file);
  const path = await readTrack(log, { source: options.source, name, ...range }).catch((error: unknown) => {
    // an unknown source is wrong usage
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  });
  notice(trackWords(path));
  await writeOut(format.write(path), options, file);
  return codeOf(log, options);
}
