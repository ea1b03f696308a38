import type { Command } from 'commander';
import picocolors from 'picocolors';
import { derivedTables } from '../../analyze/derived.ts';
import type { Table } from '../../core/table.ts';
import { captureLines } from '../capture.ts';
import { titleOf } from '../choose.ts';
import { flightWords } from '../event-words.ts';
import { EXIT, sentence } from '../failure.ts';
import { addReadingOptions, leapSecondsOf, load, type ReadingOptions } from '../load.ts';
import { Output, tell } from '../output.ts';
import { eventCounts, type Summary, summarize, summaryData } from '../summary.ts';
import { Together } from '../together.ts';
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
  const together = new Together();
  for (const file of files) {
    try {
      const summary = await summarize(await load(file, options), leapSecondsOf(options));
      if (summary.log.faults.lost && code === EXIT.well) code = EXIT.damage;
      if (files.length > 1) await together.add(file, summary);
      if (options.json) all.push({ ...summaryData(file, summary), ...(files.length > 1 ? together.data() : {}) });
      else output.writeSafe(await page(file, summary, options, (text) => output.safe(text)));
    } catch (error) {
      // one bad file must not hide the others
      if (files.length === 1) throw error;
      tell(`${file}: ${sentence(error)}`);
      code = EXIT.failed;
    }
    await output.flush();
  }
  if (!options.json && together.files > 1)
    output.writeSafe(`${together.lines((text) => output.safe(text)).join('\n')}\n`);
  if (options.json) output.write(`${JSON.stringify(files.length === 1 ? all[0] : all, null, 2)}\n`);
  await output.flush();
  return code;
}

/** Texts from a log as they may be shown. */
type Safe = (text: string) => string;
type Say = (label: string, text: string, paint?: Safe) => void;

async function page(file: string, summary: Summary, options: InfoOptions, safe: Safe): Promise<string> {
  const { log, span, vehicle, modes, parameters } = summary;
  const lines = [colors.bold(safe(file))];
  const say: Say = (label, text, paint = String) => {
    lines.push(`  ${colors.dim(label.padEnd(LABEL))}${paint(safe(text))}`);
  };
  const unpacked = log.packedBytes === undefined ? '' : ` unpacked from ${counted(log.packedBytes, 'byte')} of gzip`;
  say('format', `${log.format}, ${counted(log.source.size, 'byte')}${unpacked}`);
  if (vehicle.kind || vehicle.firmware || vehicle.board) {
    say('vehicle', [vehicle.kind, vehicle.firmware?.text, vehicle.board].filter(Boolean).join(', '));
  }
  if (span.start !== null && span.end !== null) {
    say('start', startOf(summary, span.start));
    say('duration', lasting(span.end - span.start));
  }
  say('clock', `${log.clock.kind}: ${log.clock.source}`);
  for (const remark of [...log.clock.remarks, ...summary.gps.map(gpsLine)]) say('', remark);
  say('records', `${grouped(log.records)} in ${counted(log.tables.filter((table) => table.rows > 0).length, 'table')}`);
  if (log.capture) for (const [label, line] of captureLines(log.capture)) say(label, line);
  for (const [i, line] of streamLines(summary).entries()) say(i === 0 ? 'streams' : '', line);
  for (const [i, line] of flightLines(summary).entries()) say(i === 0 ? 'flights' : '', line);
  if (summary.events.length > 0) say('events', eventsLine(summary));
  if (modes.length > 0) say('modes', shorten(modes.map(({ mode, start, end }) => `${mode} ${lasting(end - start)}`)));
  if (parameters.size > 0) say('parameters', parametersLine(summary));
  const derived = derivedTables(log);
  if (derived.length > 0) say('derived', `${shorten(derived.map(titleOf))}: see dump --type ${derived[0].name}`);
  faultLines(summary, options, say);
  lines.push('', ...(await tableLines(summary, safe)), '');
  return `${lines.join('\n')}\n`;
}

/** What times count from where UTC is not known, by the kind of the clock; mostly the boot of the vehicle. */
const SINCE: Readonly<Record<string, string>> = { 'gps-interpolated': '', 'time-of-day': ' after midnight' };

function startOf({ log: { clock } }: Summary, start: number): string {
  if (clock.utc) return dateOf(start);
  const since = SINCE[clock.kind] ?? ' after boot';
  return `${lasting(start)}${since} (UTC not known)`;
}

function gpsLine({ table, stream, fixes, median, least, most }: Summary['gps'][number]): string {
  const name = stream === '' ? table : `${table}[${stream}]`;
  return `${name}: ${counted(fixes, 'fix').replace(/fixs$/, 'fixes')} ${lasting(median)} from this clock (${lasting(least)} to ${lasting(most)})`;
}

/** Loss by sender, where records are numbered, and what became of signatures. */
function streamLines({ log }: Summary): string[] {
  return log.streams.map(({ stream, flow, received, lost, duplicated, reordered, restarted, signatures }) => {
    const part = (100 * lost) / Math.max(1, lost + received - duplicated);
    const words = [
      `${grouped(received)} received`,
      `${grouped(lost)} lost${lost > 0 ? ` (${part.toFixed(2)} %)` : ''}`,
    ];
    if (duplicated > 0) words.push(`${grouped(duplicated)} repeated`);
    if (reordered > 0) words.push(`${grouped(reordered)} out of order`);
    if (restarted > 0) words.push(`${grouped(restarted)} restarts`);
    for (const [verdict, count] of Object.entries(signatures ?? {})) words.push(`${grouped(count)} ${verdict}`);
    return `${stream}${flow === undefined ? '' : ` in ${flow}`}: ${words.join(', ')}`;
  });
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
  const lost = faults.lost ? `${counted(faults.lostBytes, 'byte')} lost` : 'nothing lost';
  say('faults', `${grouped(faults.count)}, ${lost}`, faults.lost ? colors.yellow : undefined);
  for (const [code, { count, bytes }] of faults.byCode)
    say('', `${code}: ${grouped(count)}, ${counted(bytes, 'byte')}`);
  for (const { code, subject, count, bytes } of faults.bySubject.values()) {
    if (code === 'unknown-type')
      say('', `${subject}, which no FMT defines: ${counted(count, 'record')}, ${counted(bytes, 'byte')}`);
  }
  for (const fault of faults.kept.slice(0, all ? faults.kept.length : 3)) say('', `${fault.code}: ${fault.text}`);
}

async function tableLines({ log }: Summary, safe: Safe): Promise<string[]> {
  // a terminal that does not tell its width says 0
  const width = (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
  const tables = log.tables.filter((table) => table.rows > 0).sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
  if (tables.length === 0) return [];
  const rows: string[][] = [['table', 'rows', 'rate', 'fields']];
  for (const table of tables) {
    rows.push([safe(titleOf(table)), grouped(table.rows), await rateOf(table), safe(fieldsOf(table))]);
  }
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map(([name, count, rate, fields], i) => {
    const line = `  ${name.padEnd(widths[0])}  ${count.padStart(widths[1])}  ${rate.padStart(widths[2])}  ${fields}`;
    const cut = line.length > width ? `${line.slice(0, width - 1)}…` : line;
    return i === 0 ? colors.dim(cut) : cut;
  });
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
