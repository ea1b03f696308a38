import { terminalText } from '../core/names.ts';
import { bufferNote, type LinkState, stateText } from '../live/link-state.ts';
import { fixText } from '../live/state.ts';
import type { StatusText } from '../live/texts.ts';
import type { Freshness, LiveVehicle } from '../live/vehicle.ts';
import type { RecorderState } from '../session/recorder.ts';
import { grouped } from './words.ts';

/** Texts of vehicles that are shown below the table. */
const TEXTS = 6;
const MISSING = '-';
const SECOND = 1e6;
/** Between columns; the less where the important ones do not fit otherwise. */
const SPACE = 2;
const LEAST_SPACE = 1;
/** Characters of a vehicle's id: that of one with a link in it is longer. */
const ID_WIDTH = 16;

export interface TableContent {
  readonly vehicles: readonly LiveVehicle[];
  readonly links: readonly LinkState[];
  readonly forwards?: readonly LinkState[] | undefined;
  /** What is wrong with the signatures on a link, by its name; '' if nothing is. */
  readonly notices?: ReadonlyMap<string, string> | undefined;
  /** If there is a folder to record to: its state, or undefined while recording is off. */
  readonly recorder?: { readonly state: RecorderState | undefined } | undefined;
  readonly notes: readonly string[];
  /** Microseconds UTC. */
  readonly now: number;
}

/** How a text is shown. */
export type Style = 'plain' | 'dim' | 'red';

/** Puts the codes of a style around a text. */
export type Paint = (text: string, style: Style) => string;

interface TableCell {
  readonly text: string;
  readonly style: Style;
}

type CellLine = readonly TableCell[];

interface TableColumn<T> {
  readonly title: string;
  cell(row: T): TableCell;
}

/** The lines of the live table, each cut or wrapped to the width of the terminal. All that is shown is safe for one. */
export function tableLines(
  content: TableContent,
  width: number,
  paint: Paint = (text) => text,
  height: number = Number.POSITIVE_INFINITY,
): string[] {
  const { vehicles, links, forwards = [], notices, notes, now } = content;
  const room = Math.max(1, width - 1);
  const wrapped = (text: string, style: Style = 'plain'): CellLine[] =>
    wrap(safe(text), room).map((part) => [{ text: part, style }]);
  const texts = vehicles
    .flatMap((vehicle) => vehicle.texts.map((text) => ({ id: vehicle.id, text })))
    .sort((a, b) => a.text.time - b.text.time)
    .slice(-TEXTS);
  const all = [
    ...links.map((link) => ({ link, isForward: false })),
    ...forwards.map((link) => ({ link, isForward: true })),
  ];
  const lines: CellLine[] = [
    ...vehicleLines(vehicles, now, room),
    ...vehicles.flatMap((vehicle) => (vehicle.conflict ? wrapped(`${vehicle.id}: ${vehicle.conflict}`, 'red') : [])),
    [],
    ...linkLines(all, now, room),
    ...links.flatMap(({ name }) => {
      const notice = notices?.get(name) ?? '';
      return notice === '' ? [] : wrapped(`${name}: ${notice}`, 'red');
    }),
    ...all.flatMap(({ link }) => [
      ...(link.error === '' ? [] : wrapped(`${link.name}: ${link.error}`, 'red')),
      ...[link.hint, link.dropped > 0 ? bufferNote(link) : '']
        .filter(Boolean)
        .flatMap((text) => wrapped(`${link.name}: ${text}`)),
    ]),
    ...(content.recorder ? recorderLines(content.recorder.state).flatMap(([text, style]) => wrapped(text, style)) : []),
    ...(notes.length > 0 ? [[], ...notes.flatMap((note) => wrapped(note))] : []),
  ];
  // the newest texts, in what room is left
  const said = texts.flatMap(({ id, text }) => wrapped(textLine(id, text)));
  const left = height - lines.length - 1;
  if (said.length > 0 && left > 0) lines.push([], ...said.slice(-left));
  return lines.slice(0, height).map((line) => drawn(line, room, paint));
}

/** Columns that do not fit beside the others follow below them, with the vehicle's id again. */
function vehicleLines(vehicles: readonly LiveVehicle[], now: number, room: number): CellLine[] {
  if (vehicles.length === 0) return [[{ text: 'no vehicle yet', style: 'plain' }]];
  const [id, ...columns] = vehicleColumns(now);
  const lines: CellLine[] = [];
  const space = widthOf([id, ...columns.slice(0, IMPORTANT - 1)], vehicles) > room ? LEAST_SPACE : SPACE;
  for (let at = 0; at < columns.length; ) {
    let count = columns.length - at;
    while (count > 1 && widthOf([id, ...columns.slice(at, at + count)], vehicles, space) > room) count--;
    if (at > 0) lines.push([]);
    lines.push(...grid([id, ...columns.slice(at, at + count)], vehicles, space));
    at += count;
  }
  return lines;
}

/** Columns that are in the first line at 80 characters: all up to the rate. */
const IMPORTANT = 8;

function vehicleColumns(now: number): TableColumn<LiveVehicle>[] {
  const column = (
    title: string,
    textOf: (vehicle: LiveVehicle) => string | null,
    partOf: (vehicle: LiveVehicle) => Freshness | null,
  ): TableColumn<LiveVehicle> => ({
    title,
    cell: (vehicle) => agedCell(textOf(vehicle), partOf(vehicle), vehicle, now),
  });
  const heartbeat = (vehicle: LiveVehicle): Freshness => vehicle.heartbeat;
  return [
    { title: 'id', cell: (vehicle) => plainCell(shortened(vehicle.id, ID_WIDTH), vehicle) },
    column('mode', ({ mode }) => mode, heartbeat),
    column('armed', ({ armed }) => (armed === null ? null : armed ? 'ARMED' : 'no'), heartbeat),
    column(
      'alt',
      ({ position }) => fixed(position?.relativeAlt ?? position?.alt, 1, ' m'),
      ({ position }) => position,
    ),
    column(
      'speed',
      ({ speed }) => fixed(speed?.ground, 1, ' m/s'),
      ({ speed }) => speed,
    ),
    column(
      'gps',
      ({ gps }) => gps && `${fixText(gps.fix)} ${gps.satellites ?? MISSING}`,
      ({ gps }) => gps,
    ),
    { title: 'heartbeat', cell: (vehicle) => plainCell(heartbeatText(vehicle, now), vehicle) },
    { title: 'msg/s', cell: (vehicle) => plainCell(vehicle.messageRate.toFixed(0), vehicle) },
    column(
      'battery',
      ({ battery }) => chargeText(battery),
      ({ battery }) => battery,
    ),
    { title: 'kind', cell: (vehicle) => plainCell(kindText(vehicle), vehicle) },
    column(
      'position',
      ({ position }) => position && `${position.lat.toFixed(6)} ${position.lon.toFixed(6)}`,
      ({ position }) => position,
    ),
  ];
}

function plainCell(text: string, { connected }: LiveVehicle): TableCell {
  return { text: safe(text), style: connected ? 'plain' : 'red' };
}

/** A value that is stale has its age beside it; of a vehicle that is lost, the heartbeat says it for all of them. */
function agedCell(text: string | null, part: Freshness | null, vehicle: LiveVehicle, now: number): TableCell {
  if (text === null) return plainCell(MISSING, vehicle);
  if (!vehicle.connected || !part?.isStale) return plainCell(text, vehicle);
  // mode and arming have that of the heartbeat, which has a column
  const age =
    part.time === vehicle.heartbeat.time || Number.isNaN(part.time)
      ? ''
      : ` (${Math.max(0, Math.round((now - part.time) / SECOND))}s)`;
  return { text: safe(text + age), style: 'dim' };
}

function kindText({ firmware: { name, version } }: LiveVehicle): string {
  return version === null ? name : `${name} ${version}`;
}

function chargeText({ voltage, remaining }: LiveVehicle['battery']): string | null {
  const known = [fixed(voltage, 2, ' V'), fixed(remaining, 0, ' %')].filter((each) => each !== null);
  return known.length === 0 ? null : known.join(' ');
}

function heartbeatText({ connected, lastHeartbeat }: LiveVehicle, now: number): string {
  const seconds = Math.max(0, now - lastHeartbeat) / SECOND;
  return connected ? `${seconds.toFixed(1)} s` : `LOST ${Math.round(seconds)} s`;
}

interface ShownLink {
  readonly link: LinkState;
  readonly isForward: boolean;
}

/** Columns that do not fit are left out, the last one first. */
function linkLines(links: readonly ShownLink[], now: number, room: number): CellLine[] {
  const cell = (text: string, style: Style = 'plain'): TableCell => ({ text: safe(text), style });
  const columns: TableColumn<ShownLink>[] = [
    { title: 'link', cell: ({ link, isForward }) => cell(isForward ? `forward ${link.name}` : link.name) },
    { title: 'state', cell: ({ link }) => cell(stateText(link, now), isBroken(link) ? 'red' : 'plain') },
    { title: 'in', cell: ({ link }) => cell(grouped(link.bytesIn)) },
    { title: 'out', cell: ({ link }) => cell(grouped(link.bytesOut)) },
    { title: 'dropped', cell: ({ link }) => cell(grouped(link.dropped)) },
    { title: 'peer', cell: ({ link }) => cell(link.peer ?? MISSING) },
  ];
  while (columns.length > 2 && widthOf(columns, links) > room) columns.pop();
  return grid(columns, links);
}

function isBroken({ state }: LinkState): boolean {
  return state === 'failed' || state === 'retry';
}

function recorderLines(state: RecorderState | undefined): [text: string, style: Style][] {
  if (!state) return [['recorder off', 'plain']];
  const { frames, bytes, dropped, recording, folder, error } = state;
  const words = [
    `recorder ${state.state}`,
    recording || folder,
    `${grouped(frames)} frames`,
    `${grouped(bytes)} bytes`,
  ];
  const lines: [string, Style][] = [[words.join('  '), state.state === 'failed' ? 'red' : 'plain']];
  if (error !== '') lines.push([`recorder: ${error}`, 'red']);
  if (dropped > 0) lines.push([`recorder: ${grouped(dropped)} records lost`, 'red']);
  return lines;
}

export function textLine(id: string, { time, level, text }: StatusText): string {
  return `${clock(time)} ${id} ${level}: ${text}`;
}

/** The time of day in UTC. */
export function clock(time: number): string {
  return new Date(time / 1000).toISOString().slice(11, 19);
}

/** Never -0.0. */
function fixed(value: number | null | undefined, digits: number, unit: string): string | null {
  if (value === null || value === undefined) return null;
  const text = value.toFixed(digits);
  return `${Number(text) === 0 ? text.replace('-', '') : text}${unit}`;
}

function safe(text: string): string {
  return terminalText(text).replaceAll(/[\n\t]/g, ' ');
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function columnWidth<T>({ title, cell }: TableColumn<T>, rows: readonly T[]): number {
  return rows.reduce((most, row) => Math.max(most, cell(row).text.length), title.length);
}

function widthOf<T>(columns: readonly TableColumn<T>[], rows: readonly T[], space: number = SPACE): number {
  return columns.reduce((sum, column) => sum + columnWidth(column, rows) + space, -space);
}

/** A line of titles and one for each row, with columns of equal width. */
function grid<T>(columns: readonly TableColumn<T>[], rows: readonly T[], space: number = SPACE): CellLine[] {
  const widths = columns.map((column, i) => (i === columns.length - 1 ? 0 : columnWidth(column, rows) + space));
  const head = columns.map(({ title }, i) => ({ text: title.padEnd(widths[i]), style: 'plain' as const }));
  return [
    head,
    ...rows.map((row) =>
      columns.map(({ cell }, i) => {
        const { text, style } = cell(row);
        return { text: text.padEnd(widths[i]), style };
      }),
    ),
  ];
}

/** A text in pieces that are no longer than the room, cut between words where there are any. */
function wrap(text: string, room: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const space = rest.lastIndexOf(' ', room);
    const end = space > room / 2 ? space : room;
    lines.push(rest.slice(0, end));
    rest = `  ${rest.slice(end).trimStart()}`;
    if (room < 8) break;
  }
  return [...lines, rest.slice(0, room)];
}

/** Cells side by side, cut to the room; codes of styles take none. */
function drawn(line: CellLine, room: number, paint: Paint): string {
  let left = room;
  let result = '';
  for (const [i, { text, style }] of line.entries()) {
    const part = (i === line.length - 1 ? text.trimEnd() : text).slice(0, left);
    left -= part.length;
    result += style === 'plain' || part === '' ? part : paint(part, style);
  }
  return result.trimEnd();
}
