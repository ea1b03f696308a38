import type { StreamStatistics } from '../core/decoder.ts';
import { damageOf } from '../core/fault.ts';
import type { Capture, CapturedFlow, CapturedInterface } from '../core/log.ts';
import { terminalText } from '../core/names.ts';
import { type RecordTable, titleOf } from '../core/table.ts';
import { isMixed, type LossOf } from '../facts/senders.ts';
import { coveredTime, partsOf } from '../facts/span.ts';
import type { GPSInterpolated } from '../formats/dataflash/gps-interpolated.ts';
import { leftOutWords } from './load.ts';
import { colored } from './output.ts';
import { eventCounts, type Summary } from './summary.ts';
import {
  counted,
  dateOf,
  flightWords,
  gridLines,
  grouped,
  isPartial,
  lasting,
  perSecond,
  shorten,
  trackWords,
  unitText,
} from './words.ts';

/** What is shown at length. */
interface InfoOptions {
  readonly faults?: boolean;
  readonly tables?: boolean;
}

/** Width of the labels in front of each line. */
const LABEL = 11;

/** Adds a line with its label; texts from a log are made safe for a terminal. */
type Say = (label: string, text: string, paint?: (text: string) => string) => void;

/** What `info` says of a log, for people. */
export async function infoPage(file: string, summary: Summary, options: InfoOptions): Promise<string> {
  const { log, span, vehicle, modes, parameters } = summary;
  const lines = [colored('bold', terminalText(file))];
  const say: Say = (label, text, paint = String) => {
    lines.push(`  ${colored('dim', label.padEnd(LABEL))}${paint(terminalText(text))}`);
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
  for (const [label, line] of [
    ...labelled('traffic', trafficLines(summary)),
    ...labelled('streams', streamLines(summary, options)),
    ...labelled('flights', flightLines(summary)),
  ])
    say(label, line);
  if (isPartial(summary.track)) say('track', trackWords(summary.track));
  if (summary.events.length > 0) say('events', eventsLine(summary));
  if (modes.length > 0) say('modes', shorten(modes.map(modeWords)));
  if (parameters.size > 0) say('parameters', parametersLine(summary));
  const left = leftOutWords(log);
  if (left !== '') say('left out', left);
  const { derived } = summary;
  if (derived.length > 0) say('derived', `${shorten(derived.map(titleOf))}: see dump --type ${derived[0].name}`);
  faultLines(summary, options, say);
  lines.push('', ...(await (options.tables ? tableLines(summary) : tableBlock(summary, lines.length))), '');
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

/** Messages of protocols that are kept raw. */
function trafficLines({ traffic }: Summary): string[] {
  return (['UBX', 'RTCM'] as const).flatMap((protocol) => {
    const own = traffic.filter((each) => each.protocol === protocol).toSorted((a, b) => b.count - a.count);
    if (own.length === 0) return [];
    const sum = (of: 'count' | 'bytes'): number => own.reduce((total, each) => total + each[of], 0);
    const names = shorten(own.map(({ message, count }) => `${message} ${grouped(count)}`));
    return `${protocol}: ${counted(sum('count'), 'message')}, ${counted(sum('bytes'), 'byte')}, kept raw: ${names}`;
  });
}

/** Senders that have their own line without --tables. */
const SHOWN_STREAMS = 6;

/** Loss by sender, if records are numbered, and the verdicts on signatures. */
function streamLines({ log, lossOf }: Summary, { tables }: InfoOptions): string[] {
  const shown = tables ? log.streams : log.streams.slice(0, SHOWN_STREAMS);
  const more = log.streams.length - shown.length;
  const lines = shown.map((sender) => {
    const { stream, flow, received, duplicated, reordered, restarted, signatures } = sender;
    const lost = lossOf(sender);
    const words = [
      `${grouped(received)} received`,
      lost === null
        ? `loss unknown (${isMixed(sender) ? 'numbers go back and forth' : 'ground station'})`
        : lossWords(lost, sender),
    ];
    if (duplicated > 0) words.push(`${grouped(duplicated)} repeated`);
    if (reordered > 0) words.push(`${grouped(reordered)} out of order`);
    if (restarted > 0) words.push(`${grouped(restarted)} restarts`);
    for (const [verdict, count] of Object.entries(signatures ?? {})) words.push(`${grouped(count)} ${verdict}`);
    return `${stream}${flow === undefined ? '' : ` in ${flow}`}: ${words.join(', ')}`;
  });
  return more > 0 ? [...lines, `and ${more} more: --tables`] : lines;
}

function lossWords(lost: number, { received, duplicated }: StreamStatistics): string {
  const part = (100 * lost) / Math.max(1, lost + received - duplicated);
  return `${grouped(lost)} lost${lost > 0 ? ` (${part.toFixed(2)} %)` : ''}`;
}

/** Flights that have their own line. */
const SHOWN_FLIGHTS = 8;

function flightLines({ flights, log, vehicle }: Summary): string[] {
  const isMany = new Set(flights.map(({ stream }) => stream)).size > 1;
  const lines = flights
    .slice(0, SHOWN_FLIGHTS)
    .map((flight) => flightWords(flight, log.clock.utc, isMany, vehicle.kind));
  if (flights.length > SHOWN_FLIGHTS) lines.push(`and ${flights.length - SHOWN_FLIGHTS} more`);
  return lines;
}

/** What the vehicle itself said; the verdict is that of `skein report`, whose checks read much more of the log. */
function eventsLine(summary: Summary): string {
  const { count, bySeverity } = eventCounts(summary);
  const grave = (['error', 'warning'] as const).filter((each) => bySeverity[each] !== undefined);
  const found = grave.map((each) => counted(bySeverity[each], each)).join(', ') || 'no errors or warnings';
  return `${found} in ${counted(count, 'event')} (skein events); for a verdict: skein report`;
}

function parametersLine({ parameters }: Summary): string {
  const changed = [...parameters.values()].filter(({ changes }) => changes.length > 1).map(({ name }) => name);
  return `${grouped(parameters.size)}${changed.length > 0 ? `, changed in the log: ${shorten(changed)}` : ''}`;
}

/** Lines of which the first has a label. */
function labelled(label: string, lines: readonly string[]): [label: string, line: string][] {
  return lines.map((line, i) => [i === 0 ? label : '', line]);
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
  say('faults', `${grouped(faults.count)}, ${lost}`, damage === 'lost' ? (text) => colored('yellow', text) : undefined);
  const causes = [...faults.byCode].map(
    ([code, { count, bytes }]) => `${code} ${grouped(count)} (${counted(bytes, 'byte')})`,
  );
  say('', shorten(causes));
  const unknown = [...faults.bySubject.values()].filter(({ code }) => code === 'unknown-type');
  for (const { subject, count, bytes } of unknown.slice(0, all ? unknown.length : SHOWN_FAULTS))
    say('', `${subject}, which no FMT defines: ${counted(count, 'record')}, ${counted(bytes, 'byte')}`);
  for (const fault of faults.kept.slice(0, all ? faults.kept.length : SHOWN_FAULTS))
    say('', `${fault.code}: ${fault.text}`);
}

/** Faults that are shown without --faults. */
const SHOWN_FAULTS = 3;
/** Columns of an output that is not a terminal, and the lines and the space between columns of the block of tables. */
const WIDTH = 100;
const BLOCK_LINES = 25;
const LEAST_LINES = 8;
const SPACE = 3;

/** Tables as one block that fits on a screen: names with their rows and rates, streams of one name together. */
async function tableBlock({ log, interpolation }: Summary, above: number): Promise<string[]> {
  const names = new Map<string, RecordTable[]>();
  for (const table of log.tables.filter((each) => each.rows > 0))
    names.set(table.name, [...(names.get(table.name) ?? []), table]);
  const rows: string[][] = [];
  for (const [name, tables] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const largest = tables.reduce((most, table) => (table.rows > most.rows ? table : most));
    const rate = interpolation ? interpolatedCells(largest, interpolation)[0] : await rateOf(largest);
    const streams = tables.length > 1 ? ` x${tables.length}` : '';
    rows.push([terminalText(name) + streams, grouped(largest.rows), rate]);
  }
  if (rows.length === 0) return [];
  const cells = gridLines(
    rows.map((row) => [...row, '']),
    new Set([1, 2]),
  );
  const widest = cells.reduce((most, { length }) => Math.max(most, length), 0);
  const width = (process.stdout.isTTY && process.stdout.columns) || WIDTH;
  const columns = Math.max(1, Math.floor((width - 2 + SPACE) / (widest + SPACE)));
  // what is above, the title, the blank lines and the prompt
  const left = process.stdout.isTTY && process.stdout.rows ? process.stdout.rows - above - 5 : BLOCK_LINES;
  const height = Math.min(Math.max(LEAST_LINES, left), Math.ceil(cells.length / columns));
  const lines = Array.from({ length: height }, (_, line) =>
    Array.from({ length: columns }, (_, column) => (cells[column * height + line] ?? '').padEnd(widest)),
  );
  const more = cells.length - columns * height;
  return [
    colored('dim', '  tables: rows and rate of a stream; --tables lists their fields'),
    ...lines.map((line) => `  ${line.join(' '.repeat(SPACE)).trimEnd()}`),
    ...(more > 0 ? [`  and ${more} more: --tables`] : []),
  ];
}

async function tableLines({ log, interpolation }: Summary): Promise<string[]> {
  const tables = log.tables.filter((table) => table.rows > 0).sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
  if (tables.length === 0) return [];
  const rows: string[][] = [
    ['table', ...(interpolation ? ['Counts', 'MsgRate', 'CountsSinceGPS'] : ['rows', 'rate']), 'fields'],
  ];
  for (const table of tables) {
    const numbers = interpolation ? interpolatedCells(table, interpolation) : [await rateOf(table)];
    rows.push([terminalText(titleOf(table)), grouped(table.rows), ...numbers, terminalText(fieldsOf(table))]);
  }
  const [head, ...lines] = gridLines(rows, new Set(interpolation ? [1, 2, 3] : [1, 2]));
  return [colored('dim', `  ${head}`), ...lines.map((line) => `  ${line}`)];
}

/** How often records of a type came between GPS records, and how many came after the last one. */
function interpolatedCells({ name }: RecordTable, { msgRate, countsSinceGPS }: GPSInterpolated): string[] {
  const rate = msgRate.get(name);
  return [rate === undefined ? '' : `${rate.toFixed(1)} /s`, grouped(countsSinceGPS.get(name) ?? 0)];
}

/** Records without a time have no rate. */
async function rateOf(table: RecordTable): Promise<string> {
  if (!table.clock?.timesAll && table.clock?.field(table) === undefined) return '';
  return perSecond(table.rows, (await table.timeAt(table.rows - 1)) - (await table.timeAt(0)));
}

function fieldsOf(table: RecordTable): string {
  return table.fields.map(({ name, unit }) => `${name} ${unitText(unit)}`.trimEnd()).join(', ');
}

/** Flows that have their own line. */
const SHOWN = 8;
/** Suspect verdicts on signatures, and what each means. */
const SUSPECT: Readonly<Record<string, string>> = {
  replayed: 'sent again: their time is not after the last one that was accepted',
  outdated: 'more than a minute older than the last accepted one',
  premature: 'too far ahead',
  'bad-signature': 'made with another key, or changed on the way',
};

/** What `info` says of a packet capture, each line with its label. */
function captureLines(capture: Capture, lossOf: LossOf): [label: string, line: string][] {
  const { kind, isHeadless, packets, encrypted, interfaces, flows, bytes } = capture;
  const what = isHeadless ? `${kind} records without a file header` : kind || 'no header';
  const shown = interfaces.filter((each) => each.packets > 0 || interfaces.length === 1);
  const locked = `${counted(encrypted, 'packet')} of encrypted 802.11: decrypt the capture first, as airdecap-ng does`;
  const known = flows.filter(({ carries }) => carries !== '').toSorted((a, b) => b.records - a.records);
  const others = flows.filter(({ carries }) => carries === '');
  const more = known.length > SHOWN ? [`and ${counted(known.length - SHOWN, 'more flow')}`] : [];
  const other = others.length > 0 ? [otherLine(others)] : [];
  const { file, headers, other: traffic, repeated, records, faults } = bytes;
  const parts = [
    `${grouped(records)} in messages`,
    `${grouped(headers + file)} in headers`,
    `${grouped(traffic)} other traffic`,
    `${grouped(repeated)} repeated`,
    `${grouped(faults)} in faults`,
  ];
  return [
    ['capture', `${what}, ${counted(packets, 'packet')}`],
    ...labelled('interfaces', shown.map(interfaceLine)),
    ...labelled('', encrypted > 0 ? [locked] : []),
    ...labelled('messages', bytes.records === 0 && packets > 0 ? [noneLine(interfaces)] : []),
    ...labelled('flows', [...known.slice(0, SHOWN).map((flow) => flowLine(flow, lossOf)), ...more, ...other]),
    ...labelled('signatures', known.flatMap(suspectLines)),
    ['bytes', parts.join(', ')],
  ];
}

function interfaceLine({ name, link, packets, bytes, section, number }: CapturedInterface): string {
  const which = name || `${section}/${number}`;
  return `${which}: ${link}, ${counted(packets, 'packet')}, ${counted(bytes, 'byte')}`;
}

/** Why a capture has no messages, as far as that is known. */
function noneLine(interfaces: readonly CapturedInterface[]): string {
  const unread = interfaces.filter((each) => each.packets > 0 && !each.isRead).map(({ link }) => link);
  const why = unread.length > 0 ? `; link ${[...new Set(unread)].join(', ')} is not decoded` : '';
  return `none of MAVLink, NMEA or XBUS${why}`;
}

function flowLine(flow: CapturedFlow, lossOf: LossOf): string {
  const { protocol, source, destination, packets, bytes, carries, records, missing, streams } = flow;
  const ends = source === '' ? destination : `${source} > ${destination}`;
  const senders = streams.map(({ stream }) => stream).join(', ');
  const words = [
    protocol,
    counted(packets, 'packet'),
    counted(bytes, 'byte'),
    `${carries}: ${counted(records, 'record')}${senders === '' ? '' : ` of ${senders}`}`,
  ];
  const lost = streams.reduce((sum, each) => sum + (lossOf(each) ?? 0), 0);
  if (streams.length > 0) words.push(`${grouped(lost)} lost`);
  if (missing > 0) words.push(`${counted(missing, 'byte')} missing`);
  return `${ends} ${(protocol === 'bare' ? words.slice(1) : words).join(', ')}`;
}

function otherLine(flows: readonly CapturedFlow[]): string {
  const sum = (of: (flow: CapturedFlow) => number): number => flows.reduce((total, flow) => total + of(flow), 0);
  const packets = counted(
    sum((flow) => flow.packets),
    'packet',
  );
  return `${counted(flows.length, 'flow')} of other traffic: ${packets}, ${grouped(sum((flow) => flow.bytes))} bytes`;
}

function suspectLines({ source, destination, streams }: CapturedFlow): string[] {
  return streams.flatMap(({ stream, signatures = {} }) =>
    Object.entries(signatures)
      .filter(([verdict]) => Object.hasOwn(SUSPECT, verdict))
      .map(
        ([verdict, count]) =>
          `${counted(count, 'frame')} of ${stream} in ${source} > ${destination} ${verdict}: ${SUSPECT[verdict]}`,
      ),
  );
}
