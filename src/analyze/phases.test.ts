import { describe, expect, test } from 'vitest';
import { MadeLog } from '../../test/made-log.ts';
import { needShared, sharedData } from '../../test/need.ts';
import { openLog } from '../index.ts';
import { findPhases, type Phases } from './phases.ts';
import type { Stretch } from './stretch.ts';

const SECOND = 1_000_000;

/** A log of Copter with ATT records ten times a second over some stretches of seconds, and events between them. */
function copterLog(written: readonly (readonly [number, number])[], events: readonly (readonly [number, number])[]) {
  const log = new MadeLog().define('MSG', 'QZ', 'TimeUS,Message').define('ATT', 'Qcc', 'TimeUS,Roll,Pitch');
  log.define('EV', 'QB', 'TimeUS,Id').add('MSG', 0, 'ArduCopter V4.5.7 (2a3dc4b7)');
  const rows: [time: number, add: () => void][] = events.map(([time, id]) => [
    time * SECOND,
    () => log.add('EV', time * SECOND, id),
  ]);
  for (const [from, to] of written) {
    for (let time = from * SECOND; time <= to * SECOND; time += SECOND / 10) {
      rows.push([time, () => log.add('ATT', time, 1, 2)]);
    }
  }
  for (const [, add] of rows.sort(([a], [b]) => a - b)) add();
  return log;
}

/** Stretches in seconds, '~' where the log begins in one and '+' where it ends in one. */
function words(stretches: readonly Stretch[]): string[] {
  return stretches.map(
    ({ start, end, open, begunBefore }) =>
      `${begunBefore ? '~' : ''}${(start / SECOND).toFixed(1)}-${(end / SECOND).toFixed(1)}${open ? '+' : ''}`,
  );
}

function phaseWords({ armed, flying }: Phases): [string[], string[]] {
  return [words(armed), words(flying)];
}

describe('armed and flying by the events of Copter', () => {
  const cases: readonly [string, [number, number][], [number, number][], string[], string[]][] = [
    [
      'one flight',
      [[0, 60]],
      [
        [10, 10],
        [15, 28],
        [40, 18],
        [41, 11],
      ],
      ['10.0-41.0'],
      ['15.0-40.0'],
    ],
    [
      'never armed',
      [[0, 60]],
      [
        [1, 18],
        [2, 25],
      ],
      [],
      [],
    ],
    [
      'a log that ends in the air',
      [[0, 60]],
      [
        [10, 10],
        [15, 28],
      ],
      ['10.0-60.0+'],
      ['15.0-60.0+'],
    ],
    [
      'a log that begins in the air',
      [[5, 60]],
      [
        [40, 18],
        [41, 11],
      ],
      ['~5.0-41.0'],
      ['~5.0-40.0'],
    ],
    [
      'arming that was not logged',
      [[5, 60]],
      [
        [7, 15],
        [8, 28],
        [40, 18],
        [41, 11],
      ],
      ['~5.0-41.0'],
      ['8.0-40.0'],
    ],
    [
      'a disarming without a landing',
      [[0, 60]],
      [
        [10, 10],
        [15, 28],
        [30, 11],
      ],
      ['10.0-30.0'],
      ['15.0-30.0'],
    ],
    [
      'armed but never off the ground',
      [[0, 60]],
      [
        [10, 10],
        [12, 57],
        [20, 11],
      ],
      ['10.0-20.0'],
      [],
    ],
    [
      'a log that begins armed on the ground',
      [[5, 60]],
      [
        [9, 11],
        [20, 10],
        [22, 28],
      ],
      ['~5.0-9.0', '20.0-60.0+'],
      ['22.0-60.0+'],
    ],
    [
      'disarmings that were not logged, since nothing is while disarmed',
      [
        [0, 20],
        [50, 80],
      ],
      [
        [0, 10],
        [2, 28],
        [50.05, 10],
        [55, 28],
      ],
      ['0.0-20.0', '50.0-80.0+'],
      ['2.0-20.0', '55.0-80.0+'],
    ],
    [
      'an arming that is said twice',
      [[0, 60]],
      [
        [10, 10],
        [10, 10],
        [15, 28],
        [30, 18],
        [31, 11],
      ],
      ['10.0-31.0'],
      ['15.0-30.0'],
    ],
    [
      'landing and taking off again',
      [[0, 60]],
      [
        [10, 10],
        [15, 28],
        [20, 18],
        [25, 28],
        [30, 18],
        [31, 11],
      ],
      ['10.0-31.0'],
      ['15.0-20.0', '25.0-30.0'],
    ],
    [
      'what Copter said until 3.1',
      [[0, 60]],
      [
        [10, 10],
        [12, 15],
        [15, 16],
        [31, 11],
      ],
      ['10.0-31.0'],
      ['15.0-31.0'],
    ],
  ];
  for (const [title, written, events, armed, flying] of cases) {
    test(title, async () => {
      const phases = await findPhases(await copterLog(written, events).open());
      expect(phaseWords(phases)).toEqual([armed, flying]);
      expect(phases.armedSource).toBe('EV');
    });
  }

  test('a vehicle that was started anew is not armed because it was before', async () => {
    const log = copterLog(
      [[100, 160]],
      [
        [110, 10],
        [120, 28],
      ],
    );
    for (let time = 0; time < 30 * SECOND; time += SECOND / 10) log.add('ATT', time, 1, 2);
    log
      .add('EV', 20 * SECOND, 10)
      .add('ATT', 25 * SECOND, 1, 2)
      .add('EV', 26 * SECOND, 11);
    const { armed } = await findPhases(await log.open());
    expect(words(armed)).toEqual(['20.0-26.0', '110.0-120.0']);
  });

  test('a log without any of them cannot tell', async () => {
    expect(await findPhases(await copterLog([[0, 10]], []).open())).toEqual({
      armed: [],
      flying: [],
      armedSource: null,
      flyingSource: null,
    });
    expect(await findPhases(await new MadeLog().open())).toMatchObject({ armed: [], armedSource: null });
  });
});

needShared(describe, 'flight')('recordings of one flight', () => {
  test('agree on when it was armed and in the air', async () => {
    const log = await findPhases(await openLog(sharedData('flight', 'copter-square.BIN')));
    // EV 10, 28, 18 and 11 in the log's own microseconds since boot
    const base = log.armed[0].start - 41_599_187;
    expect(log.armed.map(({ start, end }) => [start - base, end - base])).toEqual([[41_599_187, 124_012_042]]);
    expect(log.flying.map(({ start, end }) => [start - base, end - base])).toEqual([[44_914_527, 123_504_745]]);
    for (const name of ['copter-square.tlog', 'copter-square.pcap']) {
      const phases = await findPhases(await openLog(sharedData('flight', name)));
      expect([name, phases.armedSource, phases.flyingSource]).toEqual([name, 'HEARTBEAT', 'GLOBAL_POSITION_INT']);
      expect(phases.armed).toHaveLength(1);
      expect(phases.flying).toHaveLength(1);
      // heartbeats come once a second
      expect(Math.abs(phases.armed[0].start - log.armed[0].start)).toBeLessThan(2.5 * SECOND);
      expect(Math.abs(phases.armed[0].end - log.armed[0].end)).toBeLessThan(2.5 * SECOND);
      expect(Math.abs(phases.flying[0].start - log.flying[0].start)).toBeLessThan(3 * SECOND);
      expect(Math.abs(phases.flying[0].end - log.flying[0].end)).toBeLessThan(4 * SECOND);
    }
  });

  test('of PX4 and of a rover too', async () => {
    const px4 = await findPhases(await openLog(sharedData('flight', 'px4-quad.tlog')));
    expect([px4.armed.length, px4.flying.length, px4.flyingSource]).toEqual([1, 1, 'EXTENDED_SYS_STATE']);
    const [logged, sent] = await Promise.all(
      ['rover.BIN', 'rover.tlog'].map(async (name) => findPhases(await openLog(sharedData('flight', name)))),
    );
    expect([logged.flyingSource, sent.flyingSource]).toEqual(['GPS', 'VFR_HUD']);
    for (const { armed, flying } of [logged, sent]) expect([armed.length, flying.length]).toEqual([1, 1]);
    const seconds = ([{ start, end }]: readonly Stretch[]): number => (end - start) / SECOND;
    expect(Math.abs(seconds(logged.flying) - seconds(sent.flying))).toBeLessThan(2);
  });
});
