import { type Command, Option } from 'commander';
import type { Log } from '../../core/log.ts';
import { EVENT_KINDS, EVENT_SEVERITIES, type EventKind, type EventSeverity, type LogEvent } from '../../facts/event.ts';
import { factsOf } from '../../facts/facts.ts';
import { addReadingOptions, eachLog, noticeLeftOut, type ReadingOptions } from '../load.ts';
import { namesOf } from '../options.ts';
import { notice, Output } from '../output.ts';
import { addRangeOptions, type RangeOptions, rangeOf } from '../range.ts';
import { counted, eventData, gridLines, lasting, momentOf } from '../words.ts';

interface EventOptions extends ReadingOptions, RangeOptions {
  readonly json?: boolean;
  readonly kind?: readonly EventKind[];
  readonly severity?: EventSeverity;
}

export const EXAMPLES: string = `
Kinds: ${EVENT_KINDS.join(', ')}.

Examples:
  skein events flight.BIN
  skein events flight.BIN --severity warning
  skein events flight.BIN --kind mode,arm,disarm --flight 2
  skein events flight.tlog --kind text --from +60s --until +90s
  skein events *.BIN --kind failsafe --json`;

export function build(command: Command): void {
  command
    .argument('<files...>', 'logs of any format')
    .option('--kind <names>', 'only these kinds, such as mode,failsafe', namesOf('--kind', EVENT_KINDS))
    .addOption(new Option('--severity <level>', 'only events at least as severe').choices(EVENT_SEVERITIES as string[]))
    .option('--json', 'JSON lines');
  addRangeOptions(addReadingOptions(command));
}

export async function run(files: readonly string[], options: EventOptions): Promise<number> {
  const isWanted = choice(options);
  const output = new Output();
  return eachLog(files, options, async (file, log) => {
    if (output.closed) return;
    const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = await rangeOf(log, options);
    const isTimed = from !== Number.NEGATIVE_INFINITY || to !== Number.POSITIVE_INFINITY;
    const events = (await factsOf(log).events()).filter(
      (event) => isWanted(event) && (!isTimed || isIn(event, from, to)),
    );
    if (options.json) {
      for (const event of events) {
        const guess = log.clock.guessed ? { guessed: true } : {};
        const line = { ...(files.length > 1 ? { file } : {}), ...eventData(event), ...guess };
        if (output.json(line)) await output.flush();
      }
    } else {
      if (files.length > 1) output.write(`${file}\n`);
      for (const line of await lines(log, events)) if (output.write(`${line}\n`)) await output.flush();
      notice(`${files.length > 1 ? `${file}: ` : ''}${counted(events.length, 'event')}`);
    }
    noticeLeftOut(file, log);
    await output.flush();
  });
}

/** An event that lasted is in a range if part of it is. */
function isIn({ time, end }: LogEvent, from: number, to: number): boolean {
  return time < to && (time >= from || (end !== null && end >= from));
}

function choice({ kind, severity }: EventOptions): (event: LogEvent) => boolean {
  const least = severity === undefined ? EVENT_SEVERITIES.length : EVENT_SEVERITIES.indexOf(severity);
  return (event) => (!kind || kind.includes(event.kind)) && EVENT_SEVERITIES.indexOf(event.severity) <= least;
}

async function lines(log: Log, events: readonly LogEvent[]): Promise<string[]> {
  const { start } = await factsOf(log).span();
  const isMany = new Set(events.map(({ stream }) => stream)).size > 1;
  const rows = events.map((event) => {
    const { time, end, severity, kind, stream, text } = event;
    const after = start === null || Number.isNaN(time) ? '' : `+${((time - start) / 1e6).toFixed(2)}`;
    const words = end === null ? text : `${text} (${lasting(end - time)})`;
    // a text may have several lines
    const line = words.replace(/[\r\n\t]+/g, ' ');
    return [momentOf(time, log.clock.utc), after, severity, kind, ...(isMany ? [stream] : []), line];
  });
  return gridLines(rows, new Set([1]));
}
