import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { inOrder } from '../core/records.ts';
import type { RecordTable } from '../core/table.ts';
import { CONSTELLATIONS } from './constellation.ts';
import { type GsvPart, Sky } from './sky.ts';

export interface SatelliteOptions {
  /** Seconds after which what GSV and GSA said counts no more; 10 by default. */
  readonly expiry?: number | undefined;
}

/** Satellites in view as columns: a row for each satellite of each complete set of GSV sentences. */
export interface Satellites {
  readonly rows: number;
  /** Microseconds, as the log's clock has them. */
  readonly time: Float64Array;
  /** Which set a row belongs to, counted from 0: all that one talker sent about one signal at a time. */
  readonly set: Uint32Array;
  readonly constellation: Uint8Array;
  /** The satellite's number in its system, and the one that the sentence has for it. */
  readonly svid: Uint16Array;
  readonly prn: Uint16Array;
  /** Signal id of version 4.10; NaN if unknown. */
  readonly signal: Float64Array;
  /** Degrees; NaN if they are missing. */
  readonly elevation: Float64Array;
  readonly azimuth: Float64Array;
  /** Signal to noise ratio in dB; NaN for a satellite that is not tracked. */
  readonly snr: Float64Array;
  /** 1 where GSA names the satellite as used. */
  readonly used: Uint8Array;
}

/** The satellites of a log with NMEA sentences. GSV parts are merged per talker and signal, GSA says which are used. */
export async function readSatellites(log: Log, { expiry }: SatelliteOptions = {}): Promise<Satellites> {
  const sky = new Sky(expiry);
  const readers = await skyReaders(log, log.clock);
  const rows: number[][] = [];
  let sets = 0;
  for (const { table, row } of inOrder([...readers.keys()])) {
    const reader = readers.get(table) as SkyReader;
    const time = reader.times[row];
    const set = reader.feed(sky, row);
    if (!set) continue;
    for (const satellite of set.satellites) {
      const { constellation, svid, prn, elevation, azimuth, snr } = satellite;
      const code = CONSTELLATIONS.indexOf(constellation);
      const used = Number(sky.isUsed(satellite, time));
      rows.push([time, sets, code, svid, prn, set.signal, elevation, azimuth, snr, used]);
    }
    sets++;
  }
  const column = (k: number): number[] => rows.map((row) => row[k]);
  return {
    rows: rows.length,
    time: Float64Array.from(column(0)),
    set: Uint32Array.from(column(1)),
    constellation: Uint8Array.from(column(2)),
    svid: Uint16Array.from(column(3)),
    prn: Uint16Array.from(column(4)),
    signal: Float64Array.from(column(5)),
    elevation: Float64Array.from(column(6)),
    azimuth: Float64Array.from(column(7)),
    snr: Float64Array.from(column(8)),
    used: Uint8Array.from(column(9)),
  };
}

/** Rows of a table with GSV or GSA sentences, as the sky wants them. */
export interface SkyReader {
  readonly times: Float64Array;
  feed(sky: Sky, row: number): ReturnType<Sky['gsv']>;
}

/** Readers of all tables of a log with satellites, with times by a clock. */
export async function skyReaders(log: Log, clock: Clock): Promise<Map<RecordTable, SkyReader>> {
  const readers = new Map<RecordTable, SkyReader>();
  for (const table of log.tables) {
    if (table.rows === 0) continue;
    if (table.name === 'GSV' && table.field('prn')) readers.set(table, await gsvReader(table, clock));
    if (table.name === 'GSA' && table.field('satellite_ids')) readers.set(table, await gsaReader(table, clock));
  }
  return readers;
}

const GSV_FIELDS = ['messages', 'message', 'signal_id', 'system_id', 'prn', 'elevation', 'azimuth', 'snr'] as const;

async function gsvReader(table: RecordTable, clock: Clock): Promise<SkyReader> {
  const columns = await table.columns(GSV_FIELDS);
  const [messages, message, signal, system, ...parts] = columns.map(({ data }) => data as Float64Array);
  const { count } = columns[4].field;
  const times = await clock.times(table, 0, table.rows);
  return {
    times,
    feed(sky, row) {
      const satellites: GsvPart['satellites'][number][] = [];
      for (let k = row * count; k < (row + 1) * count; k++) {
        const [prn, elevation, azimuth, snr] = parts.map((part) => part[k]);
        if (prn > 0) satellites.push([prn, elevation, azimuth, snr]);
      }
      const part = {
        talker: table.stream,
        messages: messages[row],
        message: message[row],
        signal: signal[row],
        system: system[row],
        satellites,
      };
      return sky.gsv(part, times[row]);
    },
  };
}

async function gsaReader(table: RecordTable, clock: Clock): Promise<SkyReader> {
  const [ids, system] = await table.columns(['satellite_ids', 'system_id']);
  const { count } = ids.field;
  const times = await clock.times(table, 0, table.rows);
  return {
    times,
    feed(sky, row) {
      const prns = [...(ids.data as Float64Array).subarray(row * count, (row + 1) * count)].filter((prn) => prn > 0);
      sky.gsa(table.stream, (system.data as Float64Array)[row], prns, times[row]);
      return undefined;
    },
  };
}
