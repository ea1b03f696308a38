// Phases, events and flights of every real log: what must hold for any of them, and what single records say.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Log, Span } from '../../src/core/log.ts';
import type { Row } from '../../src/core/table.ts';
import { openLog } from '../../src/entry/index.ts';
import { EVENT_KINDS, EVENT_SEVERITIES, type LogEvent } from '../../src/facts/event.ts';
import { factsOf } from '../../src/facts/facts.ts';
import type { Flight } from '../../src/facts/flights.ts';
import type { Phase } from '../../src/facts/phase.ts';
import type { Phases } from '../../src/facts/phases.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const FOLDERS = ['dataflash', 'dataflash/corrupt', 'flight', 'mavlink', 'pcap', 'xbus/1', 'nmea/gpsd'];
/** Damage that others of them have, too. */
const ALIKE = ['zerotail.BIN', 'unknown_type.BIN', 'no_first_fmt.BIN', 'bad_format_char.BIN'];
/** Files of one kind that are enough of them. */
const MOST = 60;

function logsIn(folder: string): string[] {
  const path = sharedData(...folder.split('/'));
  if (!existsSync(path)) return [];
  const names = readdirSync(path).filter(
    (name) => !/\.(json|jsonl|md|ulg|chk|txt|golden)$|^(COPYING|LICENSE|outputconfig)/.test(name),
  );
  const files = names.filter((name) => statSync(join(path, name)).isFile() && !ALIKE.includes(name));
  return files.slice(0, folder === 'nmea/gpsd' ? 4 : MOST);
}

interface Told {
  readonly log: Log;
  readonly span: Span;
  readonly phases: Phases;
  readonly events: readonly LogEvent[];
  readonly flights: readonly Flight[];
}

async function tell(...parts: string[]): Promise<Told> {
  const log = await openLog(sharedData(...parts));
  const events = await factsOf(log).events();
  return {
    log,
    span: await factsOf(log).span(),
    phases: await factsOf(log).phases(),
    events,
    flights: await factsOf(log).flights(),
  };
}

function expectInOrder(stretches: readonly Phase[], { start, end }: Span): void {
  for (const [i, each] of stretches.entries()) {
    expect(each.start).toBeLessThanOrEqual(each.end);
    expect(each.start).toBeGreaterThanOrEqual(start ?? Number.NaN);
    expect(each.end).toBeLessThanOrEqual(end ?? Number.NaN);
    if (i > 0) {
      expect(each.start).toBeGreaterThanOrEqual(stretches[i - 1].end);
      expect([stretches[i - 1].open, each.begunBefore]).toEqual([false, false]);
    }
  }
}

function expectEvents(events: readonly LogEvent[], { start, end }: Span): void {
  let last = Number.NEGATIVE_INFINITY;
  for (const event of events) {
    expect(EVENT_KINDS).toContain(event.kind);
    expect(EVENT_SEVERITIES).toContain(event.severity);
    if (Number.isNaN(event.time)) continue;
    expect(event.time).toBeGreaterThanOrEqual(last);
    last = event.time;
    if (event.end !== null) expect(event.end).toBeGreaterThanOrEqual(event.time);
    expect(event.time).toBeGreaterThanOrEqual(start ?? Number.NaN);
    expect(event.end ?? event.time).toBeLessThanOrEqual(end ?? Number.NaN);
  }
}

function expectFlights(flights: readonly Flight[], span: Span): void {
  expect(flights.map(({ number }) => number)).toEqual(flights.map((_, i) => i + 1));
  for (const stream of new Set(flights.map((each) => each.stream))) {
    const own = flights.filter((each) => each.stream === stream);
    expectInOrder(own, span);
  }
  for (const flight of flights) {
    expect(flight.duration).toBeCloseTo((flight.end - flight.start) / 1e6, 6);
    expect(flight.inAir).toBeLessThanOrEqual(flight.duration + 1e-6);
    const inModes = flight.modes.reduce((sum, { seconds }) => sum + seconds, 0);
    expect(inModes).toBeLessThanOrEqual(flight.duration + 1e-6);
    if (flight.takeoff !== null) expect(flight.takeoff).toBeGreaterThanOrEqual(flight.start);
    if (flight.landing !== null) expect(flight.landing).toBeLessThanOrEqual(flight.end);
    for (const figure of [flight.distance, flight.maxHomeDistance, flight.maxSpeed]) {
      if (figure !== null) expect(figure).toBeGreaterThanOrEqual(0);
    }
    if (flight.distance !== null && flight.maxHomeDistance !== null && flight.takeoff === null)
      expect(flight.maxHomeDistance).toBeLessThanOrEqual(flight.distance + 1);
  }
}

for (const folder of FOLDERS) {
  needShared(describe, folder)(`what happened in ${folder}`, () => {
    test.each(logsIn(folder))('%s', async (name) => {
      const { log, span, phases, events, flights } = await tell(folder, name);
      expectInOrder(phases.armed, span);
      expectInOrder(phases.flying, span);
      if (phases.armedSource !== null) {
        for (const each of phases.flying) {
          expect(phases.armed.some(({ start, end }) => start <= each.start && end >= each.end)).toBe(true);
        }
      }
      expectEvents(events, span);
      expectFlights(flights, span);
      await expectArmings(log, events);
      await expectHeartbeats(log, events);
      await expectErrors(log, events);
    });
  });
}

/** Records of a table that have a time of their own, with it. */
async function timedRows(log: Log, name: string): Promise<[number, Row][]> {
  const rows: [number, Row][] = [];
  for (const table of log.tablesNamed(name)) {
    if (log.clock.field(table) === undefined) continue;
    const times = await table.times();
    let row = 0;
    for await (const record of table.records()) rows.push([times[row++], record]);
  }
  return rows;
}

/** Every EV record of arming is an event at its time, unless the record just before it says the same. */
async function expectArmings(log: Log, events: readonly LogEvent[]): Promise<void> {
  const rows = (await timedRows(log, 'EV')).filter(([, { Id }]) => Id === 10 || Id === 11);
  for (const [i, [time, { Id }]] of rows.entries()) {
    const before = rows[i - 1];
    if (before && before[1].Id === Id && Id === 11) continue;
    if (before && before[1].Id === Id && time - before[0] < 2e6) continue;
    const kind = Id === 10 ? 'arm' : 'disarm';
    const near = events.filter((event) => event.kind === kind && Math.abs(event.time - time) < 1000);
    expect([kind, time, near.length]).toEqual([kind, time, 1]);
  }
}

/** Every change of the bit in heartbeats is an event. */
async function expectHeartbeats(log: Log, events: readonly LogEvent[]): Promise<void> {
  for (const { table } of await factsOf(log).autopilots()) {
    const { times, columns } = await table.timedColumns(['base_mode']);
    const bits = Array.from(columns[0].numbers(), (mode) => (mode & 128) !== 0);
    const changes = bits.flatMap((on, i) => (i > 0 && on !== bits[i - 1] ? [[on ? 'arm' : 'disarm', times[i]]] : []));
    const told = events.filter(({ kind, stream }) => (kind === 'arm' || kind === 'disarm') && stream === table.stream);
    expect(told.map(({ kind, time }) => [kind, time])).toEqual(changes);
  }
}

/** Subsystems of ERR whose codes nothing clears. */
const POINTS = [10, 12, 13, 15, 22, 24, 30];

/** Every ERR record is the beginning of an event, its end, or a repetition. */
async function expectErrors(log: Log, events: readonly LogEvent[]): Promise<void> {
  const told = events.filter(({ table }) => table === 'ERR');
  for (const [time, { Subsys, ECode }] of await timedRows(log, 'ERR')) {
    const own = told.filter(({ codes }) => codes.Subsys === Subsys);
    if (POINTS.includes(Number(Subsys)) || ECode !== 0)
      expect(own.some((each) => each.codes.ECode === ECode && time >= each.time && time <= (each.end ?? time))).toBe(
        true,
      );
    else expect(own.some((each) => each.time <= time && (each.end ?? each.time) <= time)).toBe(true);
  }
}

needShared(describe, 'flight')('figures of flights', () => {
  /** Degrees to metres on a sphere: good to half a percent. */
  const metres = (a: Row, b: Row): number => {
    const north = (Number(b.Lat) - Number(a.Lat)) * 111_195;
    const east = (Number(b.Lng) - Number(a.Lng)) * 111_195 * Math.cos((Number(a.Lat) * Math.PI) / 180);
    return Math.hypot(north, east);
  };

  test('of the square are those of its records', async () => {
    const { log, flights } = await tell('flight', 'copter-square.BIN');
    expect(flights).toHaveLength(1);
    const [flight] = flights;
    const during = async (name: string, from: number, to: number): Promise<Row[]> =>
      (await timedRows(log, name)).filter(([time]) => time >= from && time <= to).map(([, row]) => row);
    const [takeoff, landing] = [flight.takeoff ?? Number.NaN, flight.landing ?? Number.NaN];
    const gps = await during('GPS', takeoff, landing);
    const flown = gps.slice(1).reduce((sum, row, i) => sum + metres(gps[i], row), 0);
    expect(flight.distance).toBeGreaterThan(flown * 0.995);
    expect(flight.distance).toBeLessThan(flown * 1.005);
    expect(flight.maxSpeed).toBe(Math.max(...gps.map(({ Spd }) => Number(Spd))));
    const [home] = await during('GPS', flight.start, flight.end);
    const farthest = Math.max(...gps.map((row) => metres(home, row)));
    expect(Math.abs((flight.maxHomeDistance ?? 0) / farthest - 1)).toBeLessThan(0.005);
    const before = (await timedRows(log, 'POS')).findLast(([time]) => time <= takeoff)?.[1].RelHomeAlt;
    const heights = (await during('POS', takeoff, landing)).map(({ RelHomeAlt }) => Number(RelHomeAlt));
    expect(flight.maxHeight).toBeCloseTo(Math.max(...heights) - Number(before), 6);
    const battery = await during('BAT', flight.start, flight.end);
    const last = battery[battery.length - 1];
    expect(flight.battery).toMatchObject({
      startVolts: battery[0].Volt,
      endVolts: last.Volt,
      leastVolts: Math.min(...battery.map(({ Volt }) => Number(Volt))),
      milliampHours: Number(last.CurrTot) - Number(battery[0].CurrTot),
      percent: Number(battery[0].RemPct) - Number(last.RemPct),
    });
    expect(flight.modes.map(({ mode }) => mode)).toEqual(['GUIDED', 'RTL']);
    expect(flight.events.map(({ kind }) => kind)).toContain('takeoff');
  });

  test('of two vehicles in one recording are told apart', async () => {
    const { flights, events } = await tell('mavlink', 'MACS_uav-cyber-sim_mav.tlog');
    expect(flights.map(({ stream }) => stream)).toEqual(['1:1', '2:1']);
    for (const stream of ['1:1', '2:1']) {
      const own = events.filter(
        (event) => event.stream === stream && ['arm', 'takeoff', 'disarm'].includes(event.kind),
      );
      expect(own.map(({ kind }) => kind)).toEqual(['arm', 'takeoff', 'disarm']);
    }
  });
});

needShared(describe, 'flight')('parameters of PX4', () => {
  test('are the integers whose bytes were sent', async () => {
    const log = await openLog(sharedData('flight', 'px4-quad.tlog'));
    const found = await factsOf(log).parameters();
    const view = new DataView(new ArrayBuffer(4));
    let integers = 0;
    for await (const row of log.tablesNamed('PARAM_VALUE')[0].records()) {
      view.setFloat32(0, Number(row.param_value));
      const isInteger = row.param_type === 5 || row.param_type === 6;
      const integer = row.param_type === 5 ? view.getUint32(0) : view.getInt32(0);
      const value = isInteger ? integer : Number(row.param_value);
      // a pattern of bits that is no number may not survive being one
      if (isInteger && Number.isNaN(Number(row.param_value))) continue;
      // the checksum of all of them
      if (row.param_id === '_HASH_CHECK') continue;
      expect(found.get(String(row.param_id))?.changes.map((each) => each.value)).toContain(value);
      if (isInteger) integers++;
    }
    expect(integers).toBeGreaterThan(100);
    // CAL_ACC0_ID of PX4's simulated accelerometer: 1310988
    expect(found.get('CAL_ACC0_ID')?.value).toBe(1_310_988);
  });
});
