import { damageOf } from '../core/fault.ts';
import type { Capture, Log, Span } from '../core/log.ts';
import type { Field, Schema } from '../core/schema.ts';
import type { RecordTable } from '../core/table.ts';
import { finite } from '../core/text.ts';
import type { LogEvent } from '../facts/event.ts';
import { factsOf } from '../facts/facts.ts';
import type { Flight } from '../facts/flights.ts';
import { type GpsAgreement, gpsAgreement } from '../facts/gps-agreement.ts';
import { leftOut } from '../facts/limits.ts';
import type { Message } from '../facts/messages.ts';
import type { ModeInterval } from '../facts/modes.ts';
import type { Parameter } from '../facts/parameters.ts';
import type { LossOf } from '../facts/senders.ts';
import { coveredTime, partsOf } from '../facts/span.ts';
import type { Vehicle } from '../facts/vehicle.ts';
import type { GPSInterpolated } from '../formats/dataflash/gps-interpolated.ts';
import type { Traffic } from '../formats/ubx/traffic.ts';
import type { Track } from '../geo/track.ts';
import { derivedTables } from '../sensors/derived.ts';
import type { DerivedTable } from '../sensors/derived-table.ts';
import { flightData, secondsOf as seconds } from './words.ts';

/** What `info` shows of a log. */
export interface Summary {
  readonly log: Log;
  readonly span: Span;
  readonly vehicle: Vehicle;
  readonly modes: readonly ModeInterval[];
  readonly messages: readonly Message[];
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly gps: readonly GpsAgreement[];
  readonly events: readonly LogEvent[];
  readonly flights: readonly Flight[];
  readonly track: Track;
  readonly lossOf: LossOf;
  readonly traffic: readonly Traffic[];
  /** What the times of a log without any go by. */
  readonly interpolation: GPSInterpolated | undefined;
  readonly derived: readonly DerivedTable[];
}

export async function summarize(log: Log, leapSeconds: number | undefined): Promise<Summary> {
  const facts = factsOf(log);
  return {
    log,
    span: await facts.span(),
    vehicle: await facts.vehicle(),
    modes: await facts.modes(),
    messages: await facts.messages(),
    parameters: await facts.parameters(),
    gps: await gpsAgreement(log, leapSeconds),
    events: await facts.events(),
    flights: await facts.flights(),
    track: await facts.track(),
    lossOf: await facts.losses(),
    traffic: log.isOnboard ? [] : await trafficOf(log),
    interpolation: log.clock.kind === 'gps-interpolated' ? await interpolationOf(log, leapSeconds) : undefined,
    derived: await derivedTables(log),
  };
}

/** Loaded only for logs that may need it: what a vehicle logs has no such messages. */
async function trafficOf(log: Log): Promise<readonly Traffic[]> {
  const { findTraffic } = await import('../formats/ubx/traffic.ts');
  return findTraffic(log);
}

/** Loaded only for logs that need it. */
async function interpolationOf(log: Log, leapSeconds: number | undefined): Promise<GPSInterpolated | undefined> {
  const { GPSInterpolated } = await import('../formats/dataflash/gps-interpolated.ts');
  return GPSInterpolated.of(log, leapSeconds);
}

export function summaryData(path: string, summary: Summary): Record<string, unknown> {
  const { log, span, vehicle, modes, messages, parameters, gps, flights, lossOf } = summary;
  const { faults, clock } = log;
  const parts = partsOf(log, span);
  // thousands of senders may have tables of one schema
  const known = new Map<Schema, unknown>();
  const fieldsOf = ({ schema, fields }: RecordTable): unknown => {
    const data = known.get(schema) ?? fields.map(fieldData);
    known.set(schema, data);
    return data;
  };
  return {
    file: path,
    format: log.format,
    size: log.packedBytes ?? log.source.size,
    ...(log.packing ? { unpackedSize: log.source.size, packing: log.packing.layers } : {}),
    ...(log.packing?.entry === undefined ? {} : { entry: log.packing.entry }),
    start: seconds(span.start),
    end: seconds(span.end),
    duration: parts.length === 0 ? null : coveredTime(parts) / 1e6,
    parts: parts.map(({ start, end }) => ({ start: seconds(start), end: seconds(end), duration: (end - start) / 1e6 })),
    clock: {
      kind: clock.kind,
      utc: clock.utc,
      source: clock.source,
      ...(clock.guessed ? { guessed: true } : {}),
      remarks: clock.remarks,
      gps: gps.map(({ table, stream, fixes, median, least, most }) => ({
        table,
        stream,
        fixes,
        median: median / 1e6,
        least: least / 1e6,
        most: most / 1e6,
      })),
      ...(summary.interpolation ? { interpolation: interpolationData(summary.interpolation) } : {}),
    },
    vehicle: vehicle.kind,
    firmware: vehicle.firmware,
    board: vehicle.board,
    flights: flights.map(flightData),
    track: trackData(summary.track),
    events: eventCounts(summary),
    leftOut: leftOut(log),
    modes: modes.map(({ mode, start, end, reason }) => ({ mode, start: seconds(start), end: seconds(end), reason })),
    messages: messages.map(({ time, text }) => ({ time: seconds(time), text })),
    parameters: {
      count: parameters.size,
      changed: [...parameters.values()]
        .filter(({ changes }) => changes.length > 1)
        .map(({ name, changes }) => ({
          name,
          changes: changes.map(({ time, value }) => ({ time: seconds(time), value: finite(value) })),
        })),
    },
    records: log.records,
    ...(summary.traffic.length > 0 ? { traffic: summary.traffic } : {}),
    streams: log.streams.map((each) => ({ ...each, lost: lossOf(each) })),
    ...(log.capture ? { capture: captureData(log.capture, lossOf) } : {}),
    tables: log.tables.map((table) => ({
      name: table.name,
      stream: table.stream,
      rows: table.rows,
      fields: fieldsOf(table),
    })),
    derived: summary.derived.map(({ derivation: { name, stream, fields } }) => ({ name, stream, fields })),
    faults: {
      count: faults.count,
      lostBytes: faults.lostBytes,
      damage: damageOf(log),
      byCode: Object.fromEntries([...faults.byCode].map(([code, { count }]) => [code, count])),
      bySubject: [...faults.bySubject.values()],
      first: faults.kept.slice(0, 100),
    },
  };
}

function fieldData({ name, type, count, unit }: Field): Record<string, unknown> {
  return { name, type, ...(count > 1 ? { count } : {}), unit };
}

function trackData({ source, points, rows, dropped, badAltitudes }: Track): Record<string, unknown> | null {
  return source === '' ? null : { source, points, records: rows, leftOut: { ...dropped, badAltitudes } };
}

function interpolationData(clock: GPSInterpolated): Record<string, unknown> {
  return {
    msgRate: Object.fromEntries(clock.msgRate),
    counts: Object.fromEntries(clock.counts),
    countsSinceGPS: Object.fromEntries(clock.countsSinceGPS),
    timebase: finite(clock.timebase),
    timestamp: finite(clock.timestamp),
  };
}

function captureData(capture: Capture, lossOf: LossOf): Record<string, unknown> {
  return {
    ...capture,
    start: seconds(capture.start),
    end: seconds(capture.end),
    flows: capture.flows.map((flow) => ({
      ...flow,
      start: seconds(flow.start),
      end: seconds(flow.end),
      streams: flow.streams.map((each) => ({ ...each, lost: lossOf(each) })),
    })),
  };
}

/** How many events there are, and of which kinds and severities. */
export function eventCounts({ events }: Summary): {
  count: number;
  byKind: Record<string, number>;
  bySeverity: Record<string, number>;
} {
  const count = (names: readonly string[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  };
  const byKind = count(events.map(({ kind }) => kind));
  return { count: events.length, byKind, bySeverity: count(events.map(({ severity }) => severity)) };
}
