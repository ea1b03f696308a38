import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Column } from '../../../src/core/column.ts';
import type { Log } from '../../../src/core/log.ts';
import { bytesSource } from '../../../src/core/source.ts';
import type { RecordTable } from '../../../src/core/table.ts';
import { dataflash } from '../../../src/formats/dataflash/index.ts';
import { dataflashText } from '../../../src/formats/dataflash/text.ts';
import { openSource } from '../../../src/formats/open.ts';
import type { FieldClock } from '../../../src/time/field-clock.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { decode } from '../../suite/found.ts';
import { readBytes } from '../../suite/sample.ts';
import {
  isSame,
  logPath,
  type Message,
  type Reference,
  readReferences,
  unitOf,
  type Written,
} from '../mavlink/pymavlink.ts';

/** Microseconds by which times may differ: pymavlink adds seconds in floating point. */
const TIME_ERROR = 2;

const CLOCKS: Readonly<Record<string, string>> = {
  DFReaderClock_usec: 'usec',
  DFReaderClock_msec: 'msec',
  DFReaderClock_px4: 'px4',
  DFReaderClock_gps_interpolated: 'gps-interpolated',
};

/** GPS is this many seconds ahead of UTC from the time on, in seconds; pymavlink counts 18 always. */
const LEAPS: readonly (readonly [from: number, seconds: number])[] = [
  [Date.UTC(2012, 6) / 1000, 16],
  [Date.UTC(2015, 6) / 1000, 17],
  [Date.UTC(2017, 0) / 1000, 18],
];

/* Every way in which Skein differs from pymavlink on these files, with the reason why it is meant. */

/** pymavlink's rule for PX4 logs needs a GPS time; without it it guesses 50 records a second, though TIME is there. */
const OTHER_CLOCK: ReadonlySet<string> = new Set(['px4-coolkesword-log001.bin', 'px4-dragon-log001.px4log']);

/** A definition says 32 bytes, its format and its records 28: pymavlink finds none of them. */
const OTHER_COUNT: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'fmt_len_mismatch.BIN': { ATT: 752 },
};

/** FMTU names units or multipliers that the log does not explain: Skein takes the firmware's own, pymavlink none. */
const UNEXPLAINED_UNITS: ReadonlySet<string> = new Set(['alltypes.BIN', 'maikbasso-17.BIN']);

/** A record without columns has time 0 in pymavlink; it was written after the one before it. */
const EMPTY_RECORDS: ReadonlySet<string> = new Set(['EMPT']);

/** Before the first record with a time pymavlink gives 0 where there is no GPS; Skein gives that of the first. */
const isBeforeFirst = (reference: Reference, message: Message): boolean =>
  reference.timebase === 0 && message._timestamp === 0;

interface Place {
  readonly table: RecordTable;
  readonly row: number;
  readonly offset: number;
}

/** The records of each name in the order of the source. */
function placesOf(log: Log): Map<string, Place[]> {
  const places = new Map<string, Place[]>();
  for (const table of log.tables) {
    const list = places.get(table.name) ?? [];
    for (let row = 0; row < table.rows; row++) list.push({ table, row, offset: table.offsets.at(row) });
    places.set(table.name, list);
  }
  for (const list of places.values()) list.sort((a, b) => a.offset - b.offset);
  return places;
}

needShared(
  describe,
  'dataflash',
  'ref',
)('as pymavlink reads it', () => {
  describe.each(readReferences())('$file', (reference) => {
    const { file, samples, formats, counts, clock } = reference;
    const bytes = readBytes(logPath(file));
    const opened = openSource(bytesSource(bytes), { leapSeconds: 18 });
    const places = opened.then(placesOf);
    const isTimed = !OTHER_CLOCK.has(file);

    test('the same number of records of each type', async () => {
      const found = Object.fromEntries([...(await places)].map(([name, list]) => [name, list.length]));
      expect(found).toEqual({ ...counts, ...OTHER_COUNT[file] });
    });

    test('records end where they end there', async () => {
      const { format } = await opened;
      const found = decode(format === 'dataflash' ? dataflash : dataflashText, bytes);
      const ends = new Map(found.offsets.map((offset, i) => [offset, offset + found.sizes[i]]));
      for (const [name, messages] of Object.entries(samples)) {
        for (const { i, end_offset } of messages)
          expect(ends.get((await places).get(name)?.[i]?.offset ?? -1), `${name} ${i}`).toBe(end_offset);
      }
    });

    test('the same value in every field of every sample', async () => {
      for (const [name, messages] of Object.entries(samples)) {
        for (const { i, fields } of messages) {
          const place = (await places).get(name)?.[i] as Place;
          const columns = await columnsAt(place);
          expect(columns.map(({ field }) => field.name)).toEqual(Object.keys(fields));
          for (const [k, column] of columns.entries()) {
            const written = fields[column.field.name];
            const value = column.at(0);
            if (!isSame(value, written, formats[name]?.format[k]))
              expect.fail(`${name} ${i} ${column.field.name}: ${String(value)}, there ${JSON.stringify(written)}`);
          }
        }
      }
    });

    test('the same clock and base', async () => {
      const found = (await opened).clock;
      expect(found.kind).toBe(isTimed ? CLOCKS[clock] : 'px4');
      if (found.kind !== 'gps-interpolated')
        expect(Math.abs((found as FieldClock).base - reference.timebase * 1e6)).toBeLessThanOrEqual(TIME_ERROR);
    });

    test.runIf(isTimed)('the same time with 18 leap seconds, and UTC without', async ({ skip }) => {
      // pymavlink's guess puts neighbours seconds apart, which ours does not
      if ((await opened).clock.guessed) skip('no record has a time: both guess');
      const utc = placesOf(await openSource(bytesSource(bytes)));
      for (const [name, messages] of Object.entries(samples)) {
        for (const message of messages) {
          if (EMPTY_RECORDS.has(name) || isBeforeFirst(reference, message)) continue;
          const { i, _timestamp } = message;
          const time = await timeOf((await places).get(name)?.[i] as Place);
          expect(Math.abs(time - _timestamp * 1e6), `${name} ${i}`).toBeLessThanOrEqual(TIME_ERROR);
          const right = await timeOf(utc.get(name)?.[i] as Place);
          expect(right - time, `${name} ${i}`).toBe(missingSeconds(_timestamp) * 1e6);
        }
      }
    });

    test('the same instance field, and units where the log explains them', async () => {
      for (const [name, { columns, units, instance }] of Object.entries(formats)) {
        const table = (await opened).tablesNamed(name).at(-1);
        if (!table) continue;
        expect(table.fields.map((field) => field.name)).toEqual(columns);
        expect(table.fields[table.schema.instance]?.name ?? null, name).toBe(instance);
        for (const [i, { unit }] of table.fields.entries()) {
          const there = unitOf(units?.[i] ?? '');
          const isMore = UNEXPLAINED_UNITS.has(file) && unit.endsWith(there);
          if (unit !== there && !isMore) expect.fail(`${name}.${columns[i]} has unit '${unit}', there '${there}'`);
        }
      }
    });

    test('the same number of parameters', async () => {
      const names = new Set<unknown>();
      for (const table of (await opened).tablesNamed('PARM')) {
        const column = await table.column('Name');
        for (let row = 0; row < table.rows; row++) names.add(column.at(row));
      }
      expect(names.size).toBe(reference.nparams);
    });
  });
});

/** References of another shape, of our own flights: counts, and the first and the last message of each type. */
interface FlightReference {
  readonly file: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly clock_timebase: number;
  readonly first: Readonly<Record<string, FlightMessage>>;
  readonly last: Readonly<Record<string, FlightMessage>>;
}

interface FlightMessage {
  readonly t: number;
  readonly msg: Readonly<Record<string, Written>>;
}

needShared(
  describe,
  'flight',
  'ref',
)('our flights as pymavlink reads them', () => {
  test.each(['copter-square.BIN', 'rover.BIN'])('%s', async (file) => {
    const path = sharedData('flight', 'ref', `${file}.json`);
    const reference = JSON.parse(readFileSync(path, 'utf8')) as FlightReference;
    const log = await openSource(bytesSource(readBytes(sharedData('flight', file))));
    const places = placesOf(log);
    const found = Object.fromEntries([...places].map(([name, list]) => [name, list.length]));
    expect(found).toEqual(reference.counts);
    const base = (log.clock as FieldClock).base;
    expect(Math.abs(base - reference.clock_timebase * 1e6)).toBeLessThanOrEqual(TIME_ERROR);
    for (const [messages, which] of [[reference.first, 0] as const, [reference.last, -1] as const]) {
      for (const [name, { t, msg }] of Object.entries(messages)) {
        const place = places.get(name)?.at(which) as Place;
        expect(Math.abs((await timeOf(place)) - t * 1e6), name).toBeLessThanOrEqual(TIME_ERROR);
        for (const column of await columnsAt(place)) {
          const written = msg[column.field.name];
          const value = column.at(0);
          // these references say null for NaN
          if (!isSame(value, written) && !(Number.isNaN(value) && written === null))
            expect.fail(`${name} ${column.field.name}: ${String(value)}, there ${JSON.stringify(written)}`);
        }
      }
    }
  });
});

function columnsAt({ table, row }: Place): Promise<Column[]> {
  return table.columns(undefined, { from: row, to: row + 1 });
}

async function timeOf({ table, row }: Place): Promise<number> {
  return (await table.times({ from: row, to: row + 1 }))[0];
}

/** Seconds that pymavlink's time lacks, from the seconds that it gives; none for times since boot. */
function missingSeconds(seconds: number): number {
  const isUtc = seconds > 1e9;
  const leap = LEAPS.findLast(([from]) => seconds >= from)?.[1] ?? 15;
  return isUtc ? 18 - leap : 0;
}

describe('the leap seconds of a date', () => {
  test('are as the table of this test has them', () => {
    expect([1388989188, 1434401000, 1436520856, 1742366630, 9.2].map(missingSeconds)).toEqual([2, 2, 1, 0, 0]);
  });
});
