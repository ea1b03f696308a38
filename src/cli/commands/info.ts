import type { Command } from 'commander';
import picocolors from 'picocolors';
import type { StreamStatistics } from '../../core/decoder.ts';
import { damageOf } from '../../core/fault.ts';
import { terminalText } from '../../core/names.ts';
import type { Table } from '../../core/table.ts';
import { coveredTime, partsOf } from '../../facts/span.ts';
import type { GPSInterpolated } from '../../formats/dataflash/gps-interpolated.ts';
import { openInMemory } from '../../node/open.ts';
import { captureLines } from '../capture.ts';
import { titleOf } from '../choose.ts';
import { flightWords } from '../event-words.ts';
import { EXIT, sentence } from '../failure.ts';
import { addReadingOptions, codeOf, leapSecondsOf, leftOutWords, load, type ReadingOptions } from '../load.ts';
import { jsonPieces, Output, tell } from '../output.ts';
import { eventCounts, type Summary, summarize, summaryData } from '../summary.ts';
import { isPartial, trackWords } from '../track-words.ts';
import { counted, dateOf, grouped, lasting, perSecond } from '../words.ts';

interface InfoOptions extends ReadingOptions {
  readonly json?: boolean;
  readonly faults?: boolean;
}

const EXAMPLES = `
Examples:
  skein flight.BIN                     what is in it
  skein info *.BIN                     several logs
  skein info imu.xbus gnss.nmea flight.BIN   one flight by several devices, and how far their clocks are apart
  skein info --json flight.BIN | jq .tables
  skein info --faults damaged.BIN      every damage with its place`;

/** Colours on a terminal only: a file or a program that reads the output has no use for them, wherever it runs. */
const colors = picocolors.createColors(picocolors.isColorSupported && process.stdout.isTTY === true);

/** Width of the labels in front of each line. */
const LABEL = 11;

export function buildInfo(command: Command, done: (code: number) => void): void {
  command
    .argument('<files...>', 'logs of any format')
    .option('--json', 'as JSON')
    .option('--faults', 'list every fault');
  addReadingOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], options: InfoOptions) => done(await info(files, options)));
}

async function info(files: readonly string[], options: InfoOptions): Promise<number> {
  const output = new Output();
  const all: Record<string, unknown>[] = [];
  let code: number = EXIT.well;
  const together = files.length > 1 ? new (await import('../together.ts')).Together() : undefined;
  for (const file of files) {
    try {
      const summary = await summarize(await load(file, options, openInMemory), leapSecondsOf(options));
      if (code === EXIT.well) code = codeOf(summary.log, options);
      await together?.add(file, summary);
      if (options.json) all.push({ ...summaryData(file, summary), ...together?.data() });
      else output.writeSafe(await page(file, summary, options));
    } catch (error) {
      // one bad file must not hide the others
      if (files.length === 1) throw error;
      tell(`${file}: ${sentence(error)}`);
      code = EXIT.failed;
    }
    await output.flush();
  }
  if (!options.json && together && together.files > 1) output.writeSafe(`${together.lines().join('\n')}\n`);
  if (options.json) {
    for (const piece of jsonPieces(files.length === 1 ? all[0] : all)) if (output.data(piece)) await output.flush();
    output.data('\n');
  }
  await output.flush();
  return code;
}

/** Texts from a log as they may be shown. */
type Say = (label: string, text: string, paint?: (text: string) => string) => void;

async function page(file: string, summary: Summary, options: InfoOptions): Promise<string> {
  const { log, span, vehicle, modes, parameters } = summary;
  const lines = [colors.bold(terminalText(file))];
  const say: Say = (label, text, paint = String) => {
    lines.push(`  ${colors.dim(label.padEnd(LABEL))}${paint(terminalText(text))}`);
  };
  const { packing } = log;
  const unpacked = packing ? ` unpacked from ${counted(packing.bytes, 'byte')} of ${packing.layers.join(', ')}` : '';
  say('format', `${log.format}, ${counted(log.source.size, 'byte')}${unpacked}`);
  if (packing?.entry !== undefined) say('', packing.entry);
  if (vehicle.kind || vehicle.firmware || vehicle.board) {
    say('vehicle', [vehicle.kind, vehicle.firmware?.text, vehicle.board].filter(Boolean).join(', '));
  }
  if (span.start !== null && span.end !== null) {
    say('start', startOf(summary, span.start));
    say('duration', durationOf(summary));
  }
  say('clock', `${log.clock.kind}: ${log.clock.source}`);
  for (const remark of [...log.clock.remarks, ...summary.gps.map(gpsLine)]) say('', remark);
  if (summary.interpolation) say('', timebaseLine(summary.interpolation, log.clock.utc));
  say('records', `${grouped(log.records)} in ${counted(log.tables.filter((table) => table.rows > 0).length, 'table')}`);
  if (log.capture) for (const [label, line] of captureLines(log.capture, summary.lossOf)) say(label, line);
  for (const [i, line] of trafficLines(summary).entries()) say(i === 0 ? 'traffic' : '', line);
  for (const [i, line] of streamLines(summary).entries()) say(i === 0 ? 'streams' : '', line);
  for (const [i, line] of flightLines(summary).entries()) say(i === 0 ? 'flights' : '', line);
  if (isPartial(summary.track)) say('track', trackWords(summary.track));
  if (summary.events.length > 0) say('events', eventsLine(summary));
  if (modes.length > 0) say('modes', shorten(modes.map(modeWords)));
  if (parameters.size > 0) say('parameters', parametersLine(summary));
  const left = leftOutWords(log);
  if (left !== '') say('left out', left);
  const { derived } = summary;
  if (derived.length > 0) say('derived', `${shorten(derived.map(titleOf))}: see dump --type ${derived[0].name}`);
  faultLines(summary, options, say);
  lines.push('', ...(await tableLines(summary)), '');
  return `${lines.join('\n')}\n`;
}

/** A mode and how long it lasted, where the log has times. */
function modeWords({ mode, start, end }: Summary['modes'][number]): string {
  return Number.isNaN(end - start) ? mode : `${mode} ${lasting(end - start)}`;
}

/** How long a log lasts, and each of its parts where it has several. */
function durationOf({ log, span }: Summary): string {
  const parts = partsOf(log, span);
  const lengths = parts.map(({ start, end }) => lasting(end - start));
  const guess = log.clock.guessed ? ' (guessed)' : '';
  return `${lasting(coveredTime(parts))}${guess}${parts.length > 1 ? ` in ${parts.length} parts: ${shorten(lengths)}` : ''}`;
}

/** What times count from where UTC is not known, by the kind of the clock; mostly the boot of the vehicle. */
const SINCE: Readonly<Record<string, string>> = { 'gps-interpolated': '', 'time-of-day': ' after midnight' };

function startOf({ log: { clock } }: Summary, start: number): string {
  if (clock.utc) return dateOf(start);
  const since = SINCE[clock.kind] ?? ' after boot';
  return `${lasting(start)}${since} (UTC not known)`;
}

/** The quantities of each message type are in the list of tables. */
function timebaseLine({ timebase, timestamp }: GPSInterpolated, isUtc: boolean): string {
  if (Number.isNaN(timebase)) return 'Timebase: none';
  const said = (seconds: number): string => (isUtc ? dateOf(seconds * 1e6) : `${seconds.toFixed(3)} s of the GPS week`);
  return `Timebase: ${said(timebase)}, the last GPS record; Timestamp: ${said(timestamp)}`;
}

function gpsLine({ table, stream, fixes, median, least, most }: Summary['gps'][number]): string {
  const name = stream === '' ? table : `${table}[${stream}]`;
  return `${name}: ${counted(fixes, 'fix').replace(/fixs$/, 'fixes')} ${lasting(median)} from this clock (${lasting(least)} to ${lasting(most)})`;
}

/** Messages of protocols that are not decoded yet. */
function trafficLines({ traffic }: Summary): string[] {
  return (['UBX', 'RTCM'] as const).flatMap((protocol) => {
    const own = traffic.filter((each) => each.protocol === protocol).toSorted((a, b) => b.count - a.count);
    if (own.length === 0) return [];
    const sum = (of: 'count' | 'bytes'): number => own.reduce((total, each) => total + each[of], 0);
    const names = shorten(own.map(({ message, count }) => `${message} ${grouped(count)}`));
    return `${protocol}: ${counted(sum('count'), 'message')}, ${counted(sum('bytes'), 'byte')}, kept raw: ${names}`;
  });
}

/** Loss by sender, where records are numbered, and what became of signatures. */
function streamLines({ log, lossOf }: Summary): string[] {
  return log.streams.map((sender) => {
    const { stream, flow, received, duplicated, reordered, restarted, signatures } = sender;
    const lost = lossOf(sender);
    const words = [
      `${grouped(received)} received`,
      lost === null ? 'loss unknown (ground station)' : lossWords(lost, sender),
    ];
    if (duplicated > 0) words.push(`${grouped(duplicated)} repeated`);
    if (reordered > 0) words.push(`${grouped(reordered)} out of order`);
    if (restarted > 0) words.push(`${grouped(restarted)} restarts`);
    for (const [verdict, count] of Object.entries(signatures ?? {})) words.push(`${grouped(count)} ${verdict}`);
    return `${stream}${flow === undefined ? '' : ` in ${flow}`}: ${words.join(', ')}`;
  });
}

function lossWords(lost: number, { received, duplicated }: StreamStatistics): string {
  const part = (100 * lost) / Math.max(1, lost + received - duplicated);
  return `${grouped(lost)} lost${lost > 0 ? ` (${part.toFixed(2)} %)` : ''}`;
}

/** Flights that have a line of their own. */
const SHOWN_FLIGHTS = 8;

function flightLines({ flights, log }: Summary): string[] {
  const isMany = new Set(flights.map(({ stream }) => stream)).size > 1;
  const lines = flights.slice(0, SHOWN_FLIGHTS).map((flight) => flightWords(flight, log.clock.utc, isMany));
  if (flights.length > SHOWN_FLIGHTS) lines.push(`and ${flights.length - SHOWN_FLIGHTS} more`);
  return lines;
}

function eventsLine(summary: Summary): string {
  const { count, bySeverity } = eventCounts(summary);
  const grave = (['error', 'warning'] as const).filter((each) => bySeverity[each] !== undefined);
  const words = grave.map((each) => counted(bySeverity[each], each));
  return `${[grouped(count), ...words].join(', ')}: see skein events`;
}

function parametersLine({ parameters }: Summary): string {
  const changed = [...parameters.values()].filter(({ changes }) => changes.length > 1).map(({ name }) => name);
  return `${grouped(parameters.size)}${changed.length > 0 ? `, changed on the way: ${shorten(changed)}` : ''}`;
}

function shorten(words: readonly string[]): string {
  return words.length <= 8 ? words.join(', ') : `${words.slice(0, 8).join(', ')} and ${words.length - 8} more`;
}

function faultLines({ log }: Summary, { faults: all }: InfoOptions, say: Say): void {
  const { faults } = log;
  if (faults.count === 0) {
    say('faults', 'none');
    return;
  }
  const bytes = counted(faults.lostBytes, 'byte');
  const damage = damageOf(log);
  const lost = { none: 'nothing lost', cut: `last record cut: ${bytes}`, lost: `${bytes} lost` }[damage];
  say('faults', `${grouped(faults.count)}, ${lost}`, damage === 'lost' ? colors.yellow : undefined);
  for (const [code, { count, bytes }] of faults.byCode)
    say('', `${code}: ${grouped(count)}, ${counted(bytes, 'byte')}`);
  for (const { code, subject, count, bytes } of faults.bySubject.values()) {
    if (code === 'unknown-type')
      say('', `${subject}, which no FMT defines: ${counted(count, 'record')}, ${counted(bytes, 'byte')}`);
  }
  for (const fault of faults.kept.slice(0, all ? faults.kept.length : 3)) say('', `${fault.code}: ${fault.text}`);
}

async function tableLines({ log, interpolation }: Summary): Promise<string[]> {
  // a terminal that does not tell its width says 0
  const width = (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
  const tables = log.tables.filter((table) => table.rows > 0).sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
  if (tables.length === 0) return [];
  const rows: string[][] = [
    ['table', ...(interpolation ? ['Counts', 'MsgRate', 'CountsSinceGPS'] : ['rows', 'rate']), 'fields'],
  ];
  for (const table of tables) {
    const numbers = interpolation ? interpolatedCells(table, interpolation) : [await rateOf(table)];
    rows.push([terminalText(titleOf(table)), grouped(table.rows), ...numbers, terminalText(fieldsOf(table))]);
  }
  const widths = rows[0].slice(1, -1).map((_, column) => Math.max(...rows.map((row) => row[column + 1].length)));
  const longest = Math.max(...rows.map(([name]) => name.length));
  return rows.map((row, i) => {
    const numbers = widths.map((each, column) => row[column + 1].padStart(each));
    const line = `  ${[row[0].padEnd(longest), ...numbers, row.at(-1)].join('  ')}`;
    const cut = line.length > width ? `${line.slice(0, width - 1)}…` : line;
    return i === 0 ? colors.dim(cut) : cut;
  });
}

/** How often records of a type came between GPS records, and how many came after the last one. */
function interpolatedCells({ name }: Table, { msgRate, countsSinceGPS }: GPSInterpolated): string[] {
  const rate = msgRate.get(name);
  return [rate === undefined ? '' : `${rate.toFixed(1)} /s`, grouped(countsSinceGPS.get(name) ?? 0)];
}

/** Records without a time of their own have no rate either. */
async function rateOf(table: Table): Promise<string> {
  if (!table.clock?.timesAll && table.clock?.field(table) === undefined) return '';
  const [first] = await table.times({ from: 0, to: 1 });
  const [last] = await table.times({ from: table.rows - 1 });
  return perSecond(table.rows, last - first);
}

function fieldsOf(table: Table): string {
  return table.fields.map(({ name, unit }) => (unit === '' ? name : `${name} ${unit}`)).join(', ');
}
