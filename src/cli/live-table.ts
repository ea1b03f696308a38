import { terminalText } from '../core/names.ts';
import { bufferRemark, type LinkState, stateText } from '../live/link-state.ts';
import type { StatusText } from '../live/texts.ts';
import type { VehicleState } from '../live/vehicle.ts';
import { grouped } from './words.ts';

/** Texts of vehicles that are shown below the table. */
const TEXTS = 6;
const MISSING = '-';
const SECOND = 1e6;

/** What a table is drawn of. */
export interface TableContent {
  readonly vehicles: readonly VehicleState[];
  readonly links: readonly LinkState[];
  readonly notes: readonly string[];
  /** Microseconds UTC. */
  readonly now: number;
}

/** The lines of the live table, each cut to the width of the terminal. All that is shown is safe for one. */
export function tableLines({ vehicles, links, notes, now }: TableContent, width: number): string[] {
  const head = ['vehicle', 'kind', 'mode', 'armed', 'battery', 'position', 'alt', 'speed', 'gps', 'heartbeat', 'msg/s'];
  const rows = vehicles.map((vehicle) => vehicleCells(vehicle, now));
  const texts = vehicles
    .flatMap((vehicle) => vehicle.texts.map((text) => ({ id: vehicle.id, text })))
    .sort((a, b) => a.text.time - b.text.time)
    .slice(-TEXTS);
  const lines = [
    ...(rows.length > 0 ? aligned([head, ...rows]) : ['no vehicle yet']),
    '',
    ...aligned([['link', 'state', 'peer', 'in', 'out', 'dropped'], ...links.map((link) => linkCells(link, now))]),
    ...links.flatMap((link) => remarks(link).map((said) => `  ${link.name}: ${said}`)),
    ...(texts.length > 0 ? ['', ...texts.map(({ id, text }) => textLine(id, text))] : []),
    ...(notes.length > 0 ? ['', ...notes] : []),
  ];
  return lines.map((line) =>
    terminalText(line)
      .replaceAll(/[\n\t]/g, ' ')
      .slice(0, Math.max(1, width - 1)),
  );
}

function vehicleCells(vehicle: VehicleState, now: number): string[] {
  const { position, battery, gps, speed } = vehicle;
  const charge = [fixed(battery.voltage, 2, ' V'), fixed(battery.remaining, 0, ' %')].filter(
    (each) => each !== MISSING,
  );
  return [
    vehicle.id,
    vehicle.firmware.version === null ? vehicle.firmware.name : `${vehicle.firmware.name} ${vehicle.firmware.version}`,
    vehicle.mode,
    vehicle.armed === null ? '?' : vehicle.armed ? 'ARMED' : 'no',
    charge.join(' ') || MISSING,
    position ? `${position.lat.toFixed(6)} ${position.lon.toFixed(6)}` : MISSING,
    fixed(position?.relativeAlt ?? position?.alt ?? null, 1, ' m'),
    fixed(speed?.ground ?? null, 1, ' m/s'),
    gps ? `${gps.fix}D ${gps.satellites ?? MISSING}`.replace(/^[01]D/, 'none').replace(/^[456]D/, 'diff') : MISSING,
    vehicle.connected ? `${((now - vehicle.lastHeartbeat) / SECOND).toFixed(1)} s` : `LOST ${lostFor(vehicle, now)}`,
    vehicle.messageRate.toFixed(0),
  ];
}

function lostFor({ lastHeartbeat }: VehicleState, now: number): string {
  return `${Math.round((now - lastHeartbeat) / SECOND)} s`;
}

function remarks(link: LinkState): string[] {
  return [link.error, link.hint, link.dropped > 0 ? bufferRemark(link) : ''].filter(Boolean);
}

function linkCells(link: LinkState, now: number): string[] {
  const { name, peer, bytesIn, bytesOut, dropped } = link;
  return [name, stateText(link, now), peer ?? MISSING, grouped(bytesIn), grouped(bytesOut), grouped(dropped)];
}

/** One text of a vehicle as a line. */
export function textLine(id: string, { time, level, text }: StatusText): string {
  return `${clock(time)} ${id} ${level}: ${text}`;
}

/** The time of day in UTC. */
export function clock(time: number): string {
  return new Date(time / 1000).toISOString().slice(11, 19);
}

function fixed(value: number | null, digits: number, unit: string): string {
  return value === null ? MISSING : `${value.toFixed(digits)}${unit}`;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd(),
  );
}
