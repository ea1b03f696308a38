import { derivedTables } from '../analyze/derived.ts';
import type { LogEvent } from '../analyze/event.ts';
import { findEvents } from '../analyze/events.ts';
import { type Flight, findFlights } from '../analyze/flights.ts';
import { type GpsAgreement, gpsAgreement } from '../analyze/gps-agreement.ts';
import { findMessages, type Message } from '../analyze/messages.ts';
import { findModes, type ModeSpan } from '../analyze/modes.ts';
import { findParameters, type Parameter } from '../analyze/parameters.ts';
import { findSpan } from '../analyze/span.ts';
import { findVehicle, type Vehicle } from '../analyze/vehicle.ts';
import type { Capture } from '../core/capture.ts';
import type { Log, Span } from '../core/log.ts';
import { flightData, secondsOf as seconds } from './event-words.ts';

/** What `info` tells of a log. */
export interface Summary {
  readonly log: Log;
  readonly span: Span;
  readonly vehicle: Vehicle;
  readonly modes: readonly ModeSpan[];
  readonly messages: readonly Message[];
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly gps: readonly GpsAgreement[];
  readonly events: readonly LogEvent[];
  readonly flights: readonly Flight[];
}

export async function summarize(log: Log, leapSeconds: number | undefined): Promise<Summary> {
  const span = await findSpan(log);
  const vehicle = await findVehicle(log);
  const modes = await findModes(log, vehicle.kind, span.end ?? Number.NaN);
  const messages = await findMessages(log);
  const parameters = await findParameters(log);
  const gps = await gpsAgreement(log, leapSeconds);
  const events = await findEvents(log);
  const flights = await findFlights(log, events);
  return { log, span, vehicle, modes, messages, parameters, gps, events, flights };
}

/** The summary as plain data, for `--json`. */
export function summaryData(path: string, summary: Summary): Record<string, unknown> {
  const { log, span, vehicle, modes, messages, parameters, gps, flights } = summary;
  const { faults, clock } = log;
  return {
    file: path,
    format: log.format,
    size: log.packedBytes ?? log.source.size,
    ...(log.packedBytes === undefined ? {} : { unpackedSize: log.source.size }),
    start: seconds(span.start),
    end: seconds(span.end),
    duration: span.start === null || span.end === null ? null : (span.end - span.start) / 1e6,
    clock: {
      kind: clock.kind,
      utc: clock.utc,
      source: clock.source,
      remarks: clock.remarks,
      gps: gps.map(({ table, stream, fixes, median, least, most }) => ({
        table,
        stream,
        fixes,
        median: median / 1e6,
        least: least / 1e6,
        most: most / 1e6,
      })),
    },
    vehicle: vehicle.kind,
    firmware: vehicle.firmware,
    board: vehicle.board,
    flights: flights.map(flightData),
    events: eventCounts(summary),
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
    streams: log.streams,
    ...(log.capture ? { capture: captureData(log.capture) } : {}),
    tables: log.tables.map((table) => ({
      name: table.name,
      stream: table.stream,
      rows: table.rows,
      fields: table.fields.map(({ name, type, count, unit }) => ({
        name,
        type,
        ...(count > 1 ? { count } : {}),
        unit,
      })),
    })),
    derived: derivedTables(log).map(({ name, stream, fields }) => ({ name, stream, fields })),
    faults: {
      count: faults.count,
      lostBytes: faults.lostBytes,
      byCode: Object.fromEntries([...faults.byCode].map(([code, { count }]) => [code, count])),
      bySubject: [...faults.bySubject.values()],
      first: faults.kept.slice(0, 100),
    },
  };
}

function captureData({ kind, packets, interfaces, flows, bytes }: Capture): Record<string, unknown> {
  return {
    kind,
    packets,
    interfaces,
    flows: flows.map((flow) => ({ ...flow, start: seconds(flow.start), end: seconds(flow.end) })),
    bytes,
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

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
