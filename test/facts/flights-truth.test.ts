import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Facts, factsOf, openLog } from '../../src/entry/index.ts';
import { alteredLog } from '../helpers/altered-log.ts';
import { needShared, sharedData } from '../helpers/need.ts';

/*
 * When the vehicles of real logs were armed, took off and landed. Seconds count from the first arming (from the first
 * take-off where a log does not tell arming). The truth was read without Skein:
 *
 *   records  EV, ARM and STAT records, heartbeats and EXTENDED_SYS_STATE, as pymavlink reads them
 *   label    the label or description of the flight that came with it
 *   reading  the course of barometer, GPS, attitude, accelerometers and throttle, read by us: an opinion
 */
type Known = 'records' | 'label' | 'reading';

/** Armed from, take-off, landing, disarmed; null where the log ends before, or where the records do not tell it. */
type FlightTruth = readonly [armed: number, takeoff: number | null, landing: number | null, disarmed: number | null];

interface Truth {
  readonly known: Known;
  /** How often it was armed. */
  readonly armed: number;
  readonly flights: readonly FlightTruth[];
  /** The log begins armed, long after the arming. */
  readonly begun?: true;
  /** Seconds by which times may differ: more for logs without times, whose times are guessed. */
  readonly within?: number;
}

const one = (known: Known, ...flight: FlightTruth): Truth => ({ known, armed: 1, flights: [flight] });
const none = (known: Known, armed = 0): Truth => ({ known, armed, flights: [] });

const LOGS: Readonly<Record<string, Truth>> = {
  'data/dataflash/1202martin-5.BIN': none('records', 3),
  'data/dataflash/LA-mechanical_fail.log': one('reading', 0, 7.2, 106.9, 110.1),
  // 27 lines a second once GPS tells the time, 94 lines from EV 10 to EV 16
  'data/dataflash/LA-octo_PM.log': one('reading', 0, 3.5, null, null),
  // it has no times: by the CTUN records between its events, of which Copter writes ten a second
  'data/dataflash/LA-underpowered.log': {
    known: 'reading',
    armed: 2,
    flights: [
      [0, 5.9, 51.7, 51.7],
      [51.7, 53.7, 430.2, 430.2],
    ],
  },
  'data/dataflash/abdullah-1.BIN': one('records', 0, 2.4, null, null),
  'data/dataflash/akj127-1.BIN': one('records', 0, 2.5, null, null),
  'data/dataflash/auvc-1.BIN': one('records', 0, null, null, 8.6),
  'data/dataflash/beast-sample.bin': {
    known: 'records',
    armed: 2,
    flights: [
      [0, 5.7, 42.9, 42.9],
      [670.8, 678.4, 700.8, 700.8],
    ],
  },
  'data/dataflash/bluerov-1.BIN': one('records', 0, null, null, null),
  'data/dataflash/delorean-130.BIN': one('records', 0, 2.5, 84.2, 84.7),
  'data/dataflash/edancain-5.BIN': one('records', 0, 7, 24.3, null),
  // three times armed, the barometer within 1 m, attitude still
  'data/dataflash/erle-copter_19-4-2015_7.BIN': none('reading', 3),
  'data/dataflash/erle-copter_27-9-2014_70.BIN': none('reading', 1),
  'data/dataflash/erle-copter_6-11-2014_GPS_issues1.BIN': one('reading', 0, 14.3, 109.8, null),
  'data/dataflash/erle-copter_6-3-2014_7.BIN': {
    known: 'records',
    armed: 3,
    flights: [
      [0, 1.8, 204.7, 204.7],
      [214.4, 220.8, 238.1, 238.1],
    ],
    within: 5,
  },
  // its barometer runs away by kilometres; two hops of 3 and 2 s with a still attitude are no flights
  'data/dataflash/erle-copter_PXFv2.0b+Rpi.BIN': {
    known: 'reading',
    armed: 15,
    flights: [
      [391.6, 402.3, 427.3, 427.3],
      [598.6, 605.6, 622.4, 627.8],
      [642.2, 657.9, 687.6, 689.5],
      [716.1, 719.6, 751.3, 751.3],
      [792.5, 801.6, 809.5, 811.6],
      [886.9, 889.5, 965, 968.7],
      [988.7, 997, 1029, 1029],
      [1036.6, 1041, 1085.7, 1086.8],
      [1106.1, 1135.2, 1154.2, 1154.2],
    ],
  },
  'data/dataflash/erle-erlebrain_APM_7.BIN': one('records', 0, 17.3, 103.8, 103.8),
  // it tells no arming: three hand launches by GPS height and speed
  'data/dataflash/erle-plane_4-12-2014_329.BIN': {
    known: 'reading',
    armed: 0,
    flights: [
      [0, 0, 5, 5],
      [47.4, 47.4, 191.4, 191.4],
      [258.3, 258.3, 316.6, 316.6],
    ],
  },
  'data/dataflash/erle-rover_2-8-2014_mpu9250-ms5611_10.BIN': none('reading'),
  'data/dataflash/erle-rover_2-8-2014_mpu9250-ms5611_11.BIN': none('reading'),
  'data/dataflash/erle-rover_27-8-2014_51.BIN': none('reading'),
  'data/dataflash/macs-214.BIN': one('records', 0, 3.2, 59.7, 60.2),
  'data/dataflash/maikbasso-17.BIN': { known: 'records', armed: 6, flights: [[77.5, 79.8, 138.1, 138.1]] },
  'data/dataflash/pbarker-1.BIN': {
    known: 'records',
    armed: 8,
    flights: [
      [0, 0, 156, 156],
      [295.1, 296.8, 319.6, 325.9],
      [355.7, 356.5, 369.2, 370.3],
      [392.6, 393.4, 420.7, 422.1],
      [477.5, 479.5, 549, 550.8],
      [568.7, 569.9, 598.9, 601.2],
      [699.6, 703, 789.9, 791.5],
      [814.6, 815.6, null, null],
    ],
  },
  'data/dataflash/pbarker-5.BIN': none('records'),
  'data/dataflash/pbarker-6.BIN': none('reading', 1),
  // a board that was turned by hand to 85 degrees: the barometer stays within 0.5 m
  'data/dataflash/px4-coolkesword-log001.bin': none('reading', 1),
  'data/dataflash/px4-dragon-log001.px4log': { ...one('records', 0, 2.6, null, null), begun: true },
  'data/dataflash/pymavlink-test.BIN': { ...none('records', 1), begun: true },
  'data/dataflash/skapila-fc1.BIN': none('records'),
  'data/dataflash/soaring-1.BIN': none('records'),
  'data/dataflash/spark404-log.bin': { known: 'records', armed: 2, flights: [[0, null, 50.9, 50.9]], begun: true },
  'data/flight/copter-square.BIN': one('records', 0, 3.3, 81.9, 82.4),
  // by its own log it touched the ground 80.3 s after arming
  'data/flight/copter-square.tlog': one('records', 0, 3.3, 80.3, 82),
  'data/flight/copter-mavlink1.raw': one('records', 0, 3.5, 123.6, 127),
  'data/flight/copter-serial-boot.raw': none('records'),
  'data/flight/copter-signed.tlog': none('records'),
  'data/flight/px4-quad.tlog': one('records', 0, 1, 90.9, 92.9),
  'data/flight/rover.BIN': one('records', 0, 1.7, 30.1, 30.2),
  'data/flight/rover.tlog': one('records', 0, 0.8, 30, 30),
  'data/mavlink/EAICS_flight.tlog': none('records'),
  'data/mavlink/EAICS_flight.tlog.raw': none('records'),
  'data/mavlink/ardusub_2023-04-18.tlog': none('records'),
  'data/mavlink/ardusub_small.tlog': one('records', 0, null, null, 16),
  'data/mavlink/node-mavlink_vtol.tlog': { ...one('records', 0, null, 176.5, 176.5), begun: true },
  'data/pcap/thayer_rural.tlog': { known: 'records', armed: 3, flights: [[0, 3.5, 199.9, 202.1]] },
  'field/autopilot/ardupilot/ftp.BIN': none('records', 1),
  'field/autopilot/ardupilot/log-protocol.BIN': none('records', 1),
  'field/autopilot/ardupilot/remote-log.BIN': none('records', 1),
  'field/autopilot/ardupilot/arm-refused.pcapng': one('records', 0, 3.1, 21.1, 23),
  'field/autopilot/px4/arm-refused.pcapng': one('records', 0, 2, 28.3, 30.3),
  'field/faults/copter-01.BIN.gz': one('label', 0, 3.3, 127.8, 128.3),
  'field/faults/copter-01.tlog.gz': one('label', 0, 0.6, 21, 21.3),
  'field/faults/copter-02.BIN.gz': one('label', 0, 3.3, 37.2, 48.1),
  'field/faults/copter-03.BIN.gz': one('label', 0, 3.3, 68.7, 69.2),
  'field/faults/copter-03.tlog.gz': one('label', 0, 0.6, 11, 11.5),
  'field/faults/copter-04.BIN.gz': one('label', 0, 3.3, 79.2, 79.7),
  'field/faults/copter-05.BIN.gz': one('label', 0, 3.3, 101.5, 102),
  'field/faults/copter-06.BIN.gz': one('label', 0, 3.3, 55.7, 56.2),
  'field/faults/copter-06.tlog.gz': one('label', 0, 0.6, 9.2, 9.7),
  'field/faults/copter-07.BIN.gz': one('label', 0, 3.3, 101.9, 102.4),
  'field/faults/copter-08.BIN.gz': one('label', 0, 3.3, 101.9, 102.4),
  'field/faults/copter-09.BIN.gz': one('label', 0, 3.3, 41.4, 54.1),
  'field/faults/copter-10.BIN.gz': one('label', 0, 3.3, 84.6, 85.1),
  'field/faults/plane-01.BIN.gz': one('label', 0, 1.2, 74.5, 87.5),
  'field/faults/plane-02.BIN.gz': one('label', 0, 1.1, 39.8, 59.8),
  'field/tuning/bat-01.BIN.gz': one('label', 0, 2.4, 49.3, 49.8),
  'field/tuning/mag-01.BIN.gz': one('label', 0, 2.3, 55.7, 56.2),
  'field/tuning/mag-02.BIN.gz': one('label', 0, 2.3, 58.1, 58.6),
  'field/tuning/mag-03.BIN.gz': one('label', 0, 2.4, 37.6, 38.1),
  'field/tuning/rate-01.BIN.gz': one('label', 0, 2.4, 23.3, 23.8),
  'field/tuning/rate-02.BIN.gz': one('label', 0, 2.3, 23.3, 23.8),
  'field/tuning/rate-03.BIN.gz': one('label', 0, 2.3, 23.3, 23.8),
  'field/tuning/rate-04.BIN.gz': one('label', 0, 2.3, 39.2, 39.7),
  'field/tuning/vib-01.BIN.gz': one('label', 0, 2.3, 33.6, 34.1),
  'field/tuning/vib-02.BIN.gz': one('label', 0, 1.6, 35.1, 35.6),
  'field/tuning/vib-03.BIN.gz': one('label', 0, 2.3, 17, 17.5),
  'field/wild/0oCybrao0-d6cdb8.raw.gz': none('records'),
  'field/wild/Avalanche-MQP-b58570.raw.gz': one('label', 0, 1.1, 15, 16.9),
  'field/wild/BeastAyyG-17312d.bin.gz': {
    known: 'records',
    armed: 2,
    flights: [
      [0, 2, 8.3, 9.2],
      [30.4, 32.4, null, null],
    ],
  },
  'field/wild/Chaitya2108-867114.raw': none('records'),
  'field/wild/Daniel-Arbelo-63bd53.raw': none('records'),
  'field/wild/DependableSystemsLab-c3c8fd.BIN': none('label'),
  'field/wild/DigitalSarcasm-9811af.BIN': none('label'),
  'field/wild/LesterThomas-7d8f46.raw.gz': none('label', 4),
  'field/wild/Manikanth-N-dcc7f7.BIN.gz': none('records', 1),
  'field/wild/Mason-Moffitt-2151a9.tlog.gz': one('records', 0, 4.8, null, null),
  'field/wild/ab31mohit-c802b2.BIN.gz': one('label', 0, 2.5, null, null),
  'field/wild/brunoolivieri-886f02.bin.gz': none('label'),
  'field/wild/code-lever-3e8aaf.tlog.gz': one('label', 0, 26, 302.5, 307.4),
  'field/wild/erlerobot-0729cc.BIN.gz': none('label', 1),
  'field/wild/erlerobot-b29cdb.BIN.gz': { known: 'label', armed: 2, flights: [[7.9, 18, 105.2, null]] },
  'field/wild/erlerobot-ed86c3.bin.gz': {
    known: 'label',
    armed: 2,
    flights: [
      [0, 6.8, 27.9, 30.9],
      [53.1, 56.1, 254, null],
    ],
  },
  'field/wild/issue_servo_signal.BIN': none('label', 2),
  'field/wild/joeydouglas-cdeda4.bin.gz': one('label', 0, 1.4, null, null),
  'field/wild/joeydouglas-e0b831.bin.gz': one('label', 0, 1.6, 295.6, null),
  // the first flight is low, up to 7 m; the second ends armed at 53 m
  'field/wild/tradheli_brownout.log': {
    known: 'label',
    armed: 2,
    flights: [
      [0, null, null, null],
      [131.7, null, null, null],
    ],
    within: 4,
  },
};

const at = (file: string): string => sharedData('..', ...file.split('/'));

async function factsOfFile(file: string): Promise<Facts> {
  return factsOf(await openLog(at(file)));
}

/** Names that are logs of a vehicle, in the folders of the table. */
function logsThere(): string[] {
  const folders = ['data/dataflash', 'data/flight', 'field/faults', 'field/tuning', 'field/wild'];
  return folders
    .flatMap((folder) => readdirSync(at(folder)).map((name) => `${folder}/${name}`))
    .filter((name) => /\.(bin|px4log|tlog|raw)(\.gz)?$/i.test(name) || /(LA-.*|brownout)\.log$/.test(name));
}

needShared(
  describe,
  '..',
  'field',
)('arming, take-offs and landings of real logs', () => {
  test('all are in the table', () => {
    // its first 880,642 bytes are 0; no heartbeat of the 93 messages after them says more than that it is disarmed
    const others = new Set(['field/wild/muramura-5fda7c.tlog.gz']);
    expect(logsThere().filter((name) => !LOGS[name] && !others.has(name))).toEqual([]);
  });

  test.each(Object.entries(LOGS))('%s', async (file, { armed: armings, flights: truth, begun, within = 2 }) => {
    const facts = await factsOfFile(file);
    const [flights, phases] = [await facts.flights(), await facts.phases()];
    expect(phases.armed).toHaveLength(armings);
    expect(flights.map(({ begunBefore, takeoff }) => begunBefore && takeoff === null)).toEqual(
      truth.map(([, takeoff], i) => begun === true && i === 0 && takeoff === null),
    );
    expect(phases.armed[0]?.begunBefore ?? false).toBe(begun === true);
    const zero = phases.armed[0]?.start ?? flights[0]?.start ?? 0;
    const seconds = (time: number | null): number | null => (time === null ? null : (time - zero) / 1e6);
    for (const [i, [start, takeoff, landing, end]] of truth.entries()) {
      const flight = flights[i];
      const found = [flight.start, flight.takeoff, flight.landing, flight.open ? null : flight.end].map(seconds);
      for (const [k, known] of [start, takeoff, landing, end].entries()) {
        const what = `${['arming', 'take-off', 'landing', 'disarming'][k]} of flight ${i + 1}`;
        if (known !== null) expect(Math.abs((found[k] ?? Number.NaN) - known), what).toBeLessThan(within);
      }
    }
  });

  test('a vehicle on a bench stays there while its barometer drifts, with and without the time before', async () => {
    const bytes = new Uint8Array(gunzipSync(readFileSync(at('field/wild/erlerobot-0729cc.BIN.gz'))));
    const begin = (await factsOf(await openLog(at('field/wild/erlerobot-0729cc.BIN.gz'))).span()).start ?? 0;
    for (const perSecond of [0.05, -0.05])
      for (const cut of [0, 6]) {
        const drifting = alteredLog(bytes, (record) => {
          const seconds = record.number('TimeMS') / 1000 || record.seconds;
          if (record.name === 'BARO') record.change('Alt', (height) => height + perSecond * (seconds - begin / 1e6));
          return !(seconds < begin / 1e6 + cut && /^(BARO|ATT|CTUN|GPS)$/.test(record.name));
        });
        expect([perSecond, cut, await factsOf(await openLog(drifting)).flights()]).toEqual([perSecond, cut, []]);
      }
  });

  test('nothing is in the air for less than 3 s, and nothing lies outside of the log', async () => {
    for (const file of Object.keys(LOGS)) {
      const facts = await factsOfFile(file);
      const { start, end } = await facts.span();
      for (const stream of (await facts.kinds()).keys()) {
        const { armed, flying } = await facts.phases(stream);
        for (const each of [...armed, ...flying]) expect(each.end, file).toBeGreaterThanOrEqual(each.start);
        for (const each of flying) expect((each.end - each.start) / 1e6, file).toBeGreaterThanOrEqual(3);
        for (const each of armed) {
          expect(each.start, file).toBeGreaterThanOrEqual(start ?? Number.NaN);
          expect(each.end, file).toBeLessThanOrEqual(end ?? Number.NaN);
        }
      }
    }
  });
});
