import type { Command } from 'commander';
import { runArchive } from '../../bus/archiver.ts';
import type { IngestResult } from '../../lake/ingest.ts';
import { Lake } from '../../lake/lake.ts';
import { addBusOptions, type BusFlags, needBus } from '../bus-options.ts';
import { EXIT, stopSignal } from '../failure.ts';
import { addDecodingOptions, openOptions, type ReadingOptions } from '../load.ts';
import { notice, Output } from '../output.ts';
import { counted, grouped } from '../words.ts';

interface ArchiveOptions extends ReadingOptions, BusFlags {
  readonly lake: string;
  readonly drain?: boolean;
  readonly json?: boolean;
}

export const EXAMPLES = `
Frames of each vehicle go to a recording in the lake. A complete recording goes to the tables of the lake: ten seconds
after the vehicle disarmed, after an hour on the ground, or after five minutes without a frame. Each frame is archived
once, also after an interruption: the lake keeps the position.

Examples:
  skein archive --bus nats://bus:4222 --lake lake
  skein archive --bus nats://bus:4222 --lake lake --drain     # what is there, then exit`;

/** Lines about messages that are not telemetry: garbage must not fill a log file. */
const FAULTS = 20;

export function build(command: Command): void {
  command
    .requiredOption('--lake <folder>', 'lake folder (created if missing)')
    .option('--drain', 'archive what is in the stream, complete all recordings, and exit')
    .option('--json', 'one JSON line per recording');
  addDecodingOptions(addBusOptions(command));
}

export async function run(options: ArchiveOptions): Promise<number> {
  const bus = needBus(options);
  const output = new Output();
  let reported = 0;
  const { signal, release } = stopSignal();
  try {
    const counts = await runArchive({
      lake: new Lake(options.lake),
      ...{ address: bus.address, bus: { ...bus.options, name: 'skein archive' }, drain: options.drain, signal },
      open: await openOptions(options),
      warn: (sentence) => {
        if (!sentence.startsWith('message ') || reported++ < FAULTS) notice(sentence);
      },
      ingested: (result) => {
        if (options.json) output.json(result);
        else notice(lineOf(result));
      },
    });
    const { frames, recordings, duplicates, missing, faults, failed, broken, lost, conflicts } = counts;
    await output.flush();
    const words = [`${counted(frames, 'frame')} archived, ${counted(recordings, 'recording')} in the tables`];
    if (duplicates > 0) words.push(`${counted(duplicates, 'duplicate message')}`);
    if (missing > 0) words.push(`${counted(missing, 'message')} missing`);
    if (lost > 0) words.push(`${counted(lost, 'frame')} lost by collectors`);
    if (conflicts > 0) words.push(`${counted(conflicts, 'name')} shared by two collectors`);
    if (faults > 0) words.push(`${counted(faults, 'message')} not telemetry`);
    if (broken > 0) words.push(`${counted(broken, 'recording')} broken`);
    notice(words.join(', '));
    if (options.drain && !counts.drained) {
      notice('interrupted: the next run archives the rest of the stream');
      return EXIT.failed;
    }
    if (failed > 0) return EXIT.failed;
    return missing + lost + faults + broken > 0 ? EXIT.damage : EXIT.well;
  } finally {
    release();
  }
}

function lineOf({ path, status, vehicle, rows, flights, reason }: IngestResult): string {
  if (status !== 'ingested') return `${path}: ${reason ?? status}`;
  return `${path}: ${vehicle}, ${grouped(rows)} rows, ${counted(flights, 'flight')}`;
}
