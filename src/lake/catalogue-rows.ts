import { damageOf } from '../core/fault.ts';
import type { Log } from '../core/log.ts';
import { errorText } from '../core/text.ts';
import { wkbOf } from '../export/wkb.ts';
import type { LogEvent } from '../facts/event.ts';
import { factsOf } from '../facts/facts.ts';
import type { Flight } from '../facts/flights.ts';
import { isNoise } from '../facts/parameters.ts';
import { outlineOf } from '../geo/outline.ts';
import type { Track } from '../geo/track.ts';
import { makeReport, type Report } from '../report/report.ts';
import { blob, type CatalogueKind, type CatalogueRow, dayOf, moment } from './catalogue.ts';
import type { LogPlace } from './lake.ts';
import type { LakeFile } from './lake-file.ts';
import { LAKE_LIMITS } from './limits.ts';
import type { LogIdentity } from './log-identity.ts';
import { findVehicleId, type VehicleId, type VehicleRule } from './vehicle-id.ts';

/** Where a log goes, and whose it is. */
export interface Destination extends LogPlace {
  readonly vehicleFrom: VehicleId['source'];
  /** Microseconds. */
  readonly start: number | null;
  readonly end: number | null;
}

export async function destinationOf(log: Log, id: string, path: string, rule: VehicleRule): Promise<Destination> {
  const { start, end } = await factsOf(log).span();
  const vehicle = await findVehicleId(log, path, rule);
  const date = log.clock.utc ? dayOf(start) : null;
  return { log: id, vehicle: vehicle.id, vehicleFrom: vehicle.source, date, start, end };
}

export type LogRows = Readonly<Record<CatalogueKind, readonly CatalogueRow[]>>;

export async function catalogueRows(
  log: Log,
  path: string,
  identity: LogIdentity,
  destination: Destination,
  files: readonly LakeFile[],
): Promise<LogRows> {
  const about = { log: destination.log, vehicle: destination.vehicle, date: destination.date };
  const facts = factsOf(log);
  const remarks: string[] = [];
  /** A part that fails for an odd log must not keep the rest out. */
  const attempt = async <T>(what: string, work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      remarks.push(`${what}: ${errorText(error)}`);
      return otherwise;
    }
  };
  const events = await attempt('events', () => facts.events(), []);
  const flights = await attempt('flights', () => facts.flights(), []);
  const report = await attempt('report', () => makeReport(log), undefined);
  const parameters = await attempt('parameters', () => parameterRows(log), []);
  const track = await attempt('track', () => facts.track(), undefined);
  const rows: Omit<LogRows, 'logs'> = {
    tables: files.map(({ table, folder, rows, bytes, hash, columns }) => ({
      ...{ table, folder, rows, bytes, hash },
      columns: columns.map(({ name, type, unit }) => ({ name, type, unit })),
    })),
    flights: flights.map((flight) => flightRow(flight, track)),
    events: events.map(eventRow),
    findings: report ? findingRows(report) : [],
    parameters,
    tracks: track ? trackRows(track) : [],
    faults: log.faults.kept.map(({ code, offset, length, lost, text, subject = null }) => ({
      code,
      offset,
      length,
      lost,
      text,
      subject,
    })),
  };
  const own = await logRow(log, path, identity, destination, flights, report);
  const all: LogRows = { ...rows, logs: [{ ...own, tables: files.length, remark: remarks.join('; ') || null }] };
  return Object.fromEntries(
    Object.entries(all).map(([kind, list]) => [kind, list.map((row: CatalogueRow) => ({ ...about, ...row }))]),
  ) as unknown as LogRows;
}

async function logRow(
  log: Log,
  path: string,
  { bytes, marks }: LogIdentity,
  { vehicleFrom, start, end }: Destination,
  flights: readonly Flight[],
  report: Report | undefined,
): Promise<CatalogueRow> {
  const { kind, firmware, board } = await factsOf(log).vehicle();
  const { clock, faults } = log;
  return {
    vehicle_from: vehicleFrom,
    path,
    bytes,
    marks,
    format: log.format,
    kind,
    firmware: firmware?.name ?? null,
    version: firmware?.version ?? null,
    git: firmware?.git ?? null,
    board,
    start: moment(start),
    end: moment(end),
    utc: clock.utc,
    clock: `${clock.kind}: ${clock.source}`,
    records: log.records,
    flights: flights.length,
    in_air: flights.reduce((sum, { inAir }) => sum + inAir, 0),
    faults: faults.count,
    lost_bytes: faults.lostBytes,
    lost: damageOf(log) === 'lost',
    verdict: report?.verdict ?? null,
    ingested: Date.now() * 1000,
  };
}

function flightRow(flight: Flight, track: Track | undefined): CatalogueRow {
  const { battery, events } = flight;
  const count = (severity: LogEvent['severity']): number =>
    events.filter((event) => event.severity === severity).length;
  return {
    ...snakeCase(flight),
    ...snakeCase(battery ?? {}),
    flight: flight.number,
    start: moment(flight.start),
    end: moment(flight.end),
    takeoff: moment(flight.takeoff),
    landing: moment(flight.landing),
    modes: flight.modes.map(({ mode, seconds }) => ({ mode, seconds })),
    errors: count('error'),
    warnings: count('warning'),
    outline: track ? outline(track, flight) : null,
  };
}

/** Fields under the names of their columns: `maxHeight` is `max_height`. What has no column is not kept. */
function snakeCase(fields: object): CatalogueRow {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

function eventRow(event: LogEvent): CatalogueRow {
  return { ...event, time: moment(event.time), end: moment(event.end) };
}

function findingRows({ findings }: Report): CatalogueRow[] {
  return findings.map(({ from, to, ...finding }) => ({ ...finding, start: moment(from), end: moment(to) }));
}

async function parameterRows(log: Log): Promise<CatalogueRow[]> {
  return [...(await factsOf(log).parameters()).values()].map(({ name, value, default: initial, changes }) => ({
    name,
    value,
    first: changes[0]?.value ?? value,
    default: initial,
    changes: changes.length - 1,
    // what calibration and counters change is not a setting
    noise: isNoise(name),
  }));
}

function trackRows(track: Track): CatalogueRow[] {
  if (track.points === 0) return [];
  const { source, points, lon, lat, alt } = track;
  const [west, east] = extremes(lon);
  const [south, north] = extremes(lat);
  const [lowest, highest] = extremes(alt);
  return [
    { source, points, west, south, east, north, lowest, highest, wkb: blob(wkbOf(track)), outline: outline(track) },
  ];
}

/** Few points, for a map of many flights; null without a line. */
function outline(track: Track, flight?: Flight): string | null {
  const { outlinePoints, outlineDegrees } = LAKE_LIMITS;
  const found = outlineOf(track, outlinePoints, outlineDegrees, { from: flight?.start, to: flight?.end });
  return found.points > 1 ? blob(wkbOf(found)) : null;
}

/** The least and the greatest number; null if none. */
function extremes(values: Float64Array): [number | null, number | null] {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return least <= most ? [least, most] : [null, null];
}
