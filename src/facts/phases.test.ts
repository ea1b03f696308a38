import { describe, expect, test } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { openLog } from '../entry/index.ts';
import { factsOf } from './facts.ts';
import type { Phase } from './phase.ts';
import type { Phases } from './phases.ts';

const SECOND = 1_000_000;

/** A log of Copter with ATT records ten times a second over some stretches of seconds, and events between them. */
function copterLog(
  written: readonly (readonly [number, number])[],
  events: readonly (readonly [number, number])[],
  begin: (log: MadeLog) => void = () => undefined,
): MadeLog {
  const log = new MadeLog().define('MSG', 'QZ', 'TimeUS,Message').define('ATT', 'Qcc', 'TimeUS,Roll,Pitch');
  log.define('EV', 'QB', 'TimeUS,Id').add('MSG', 0, 'ArduCopter V4.5.7 (2a3dc4b7)');
  begin(log);
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
function words(stretches: readonly Phase[]): string[] {
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
      const phases = await factsOf(await copterLog(written, events).open()).phases();
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
    for (let time = 0; time < 30 * SECOND; time += SECOND / 10) {
      log.add('ATT', time, 1, 2);
      if (time === 20 * SECOND) log.add('EV', time, 10);
      if (time === 26 * SECOND) log.add('EV', time, 11);
    }
    const { armed } = await factsOf(await log.open()).phases();
    // the second run goes on where the first ends, at 160 s
    expect(words(armed)).toEqual(['110.0-160.0+', '180.0-186.0']);
  });

  test('a log that begins with its head and has none of them is of a vehicle that was not armed', async () => {
    expect(await factsOf(await copterLog([[0, 10]], []).open()).phases()).toEqual({
      armed: [],
      flying: [],
      armedSource: 'EV',
      flyingSource: 'EV',
    });
  });

  test('a log without any of them cannot tell', async () => {
    // its head is of another time: it may be a part of a log
    expect(await factsOf(await copterLog([[100, 110]], []).open()).phases()).toEqual({
      armed: [],
      flying: [],
      armedSource: null,
      flyingSource: null,
    });
    expect(await factsOf(await new MadeLog().open()).phases()).toMatchObject({ armed: [], armedSource: null });
  });
});

/** A log of Copter with height and attitude ten times a second, armed from 5 s on, that says it flew from 15 to 40 s. */
function flownLog(height: (second: number) => number, roll: (second: number) => number, said = true): MadeLog {
  const log = new MadeLog().define('MSG', 'QZ', 'TimeUS,Message').define('ATT', 'Qcc', 'TimeUS,Roll,Pitch');
  log.define('EV', 'QB', 'TimeUS,Id').define('BARO', 'Qf', 'TimeUS,Alt').define('GPS', 'QBf', 'TimeUS,Status,Alt');
  log.add('MSG', 0, 'ArduCopter V4.5.7 (2a3dc4b7)');
  const events = new Map(
    said
      ? [
          [5, 10],
          [15, 28],
          [40, 18],
          [41, 11],
        ]
      : [
          [5, 10],
          [41, 11],
        ],
  );
  for (let tenth = 0; tenth <= 600; tenth++) {
    const [second, time] = [tenth / 10, (tenth * SECOND) / 10];
    log.add('ATT', time, roll(second), 0).add('BARO', time, height(second));
    log.add('GPS', time, 3, 500 + height(second));
    const id = events.get(second);
    if (id !== undefined) log.add('EV', time, id);
  }
  return log;
}

describe('what an autopilot says of flying is checked', () => {
  const still = (): number => 2;
  const swinging = (second: number): number => 3 * Math.sin(second * 4);
  const climbing = (second: number): number => (second < 15 || second > 40 ? 0 : 8);
  const cases: readonly [string, (second: number) => number, (second: number) => number, string[]][] = [
    ['a flight', climbing, still, ['15.0-40.0']],
    ['a hover near the ground', () => 0.3, swinging, ['15.0-40.0']],
    ['throttle on a bench', () => 0.3, still, []],
    ['throttle on a bench, and an attitude that walks', () => 0.3, (second) => second, []],
    ['a board that is turned by hand', () => 0.3, (second) => 80 * Math.sin(second), []],
  ];
  test.each(cases)('%s', async (_, height, roll, flying) => {
    const phases = await factsOf(await flownLog(height, roll).open()).phases();
    expect(phaseWords(phases)).toEqual([['5.0-41.0'], flying]);
  });

  test('one that fails to say it flew is in the air where barometer and GPS say so', async () => {
    const log = copterLog(
      [[0, 60]],
      [
        [10, 10],
        [15, 28],
        [20, 18],
        [21, 11],
      ],
    );
    expect(words((await factsOf(await log.open()).phases()).flying)).toEqual(['15.0-20.0']);
    const silent = flownLog(climbing, still, false)
      .add('EV', 60 * SECOND, 10)
      .add('EV', 60 * SECOND, 28);
    const { flying } = await factsOf(await silent.open()).phases();
    expect(words(flying)).toEqual(['14.9-40.1']);
  });

  test('flickers are no landings, and hops of a second no flights', async () => {
    const log = copterLog(
      [[0, 60]],
      [
        [10, 10],
        [12, 28],
        [13, 18],
        [20, 28],
        [24, 18],
        [24.1, 28],
        [24.2, 18],
        [24.3, 28],
        [40, 18],
      ],
    );
    expect(words((await factsOf(await log.open()).phases()).flying)).toEqual(['20.0-40.0']);
  });
});

describe('a log that arming begins', () => {
  const log = (begin?: (log: MadeLog) => void): MadeLog =>
    copterLog(
      [[0, 60]],
      [
        [1, 15],
        [3, 28],
        [40, 18],
        [41, 11],
      ],
      begin,
    );

  test('is armed before it where nothing says more', async () => {
    expect(words((await factsOf(await log().open()).phases()).armed)).toEqual(['~0.0-41.0']);
  });

  test('is armed from its beginning by a text', async () => {
    const { armed } = await factsOf(await log((made) => made.add('MSG', 0, 'Arming motors')).open()).phases();
    expect(words(armed)).toEqual(['0.0-41.0']);
  });

  test('is armed after the last pause before it first says so', async () => {
    const events: [number, number][] = [
      [31, 15],
      [33, 28],
      [40, 18],
      [41, 11],
    ];
    const paused = copterLog(
      [
        [0, 10],
        [30, 60],
      ],
      events,
    );
    expect(words((await factsOf(await paused.open()).phases()).armed)).toEqual(['30.0-41.0']);
  });

  test('is armed when a text says so, also later', async () => {
    const made = copterLog([[0, 20]], []).add('MSG', 20 * SECOND, 'Arming motors');
    for (let time = 20.1; time < 60; time += 0.1) made.add('ATT', Math.round(time * SECOND), 1, 2);
    made.add('EV', 60 * SECOND, 28).add('EV', 61 * SECOND, 11);
    expect(words((await factsOf(await made.open()).phases()).armed)).toEqual(['20.0-61.0']);
  });

  test('or where logs are only written while armed', async () => {
    const made = log((begun) => begun.define('PARM', 'QNf', 'TimeUS,Name,Value').add('PARM', 0, 'LOG_DISARMED', 0));
    const events = await factsOf(await made.open()).events();
    expect(events.filter(({ kind }) => kind === 'arm').map(({ time, text }) => [time, text])).toEqual([[0, 'armed']]);
  });
});

needShared(describe, 'flight')('recordings of one flight', () => {
  test('agree on when it was armed and in the air', async () => {
    const log = await factsOf(await openLog(sharedData('flight', 'copter-square.BIN'))).phases();
    // EV 10, 28, 18 and 11 in the log's own microseconds since boot
    const base = log.armed[0].start - 41_599_187;
    expect(log.armed.map(({ start, end }) => [start - base, end - base])).toEqual([[41_599_187, 124_012_042]]);
    expect(log.flying.map(({ start, end }) => [start - base, end - base])).toEqual([[44_914_527, 123_504_745]]);
    for (const name of ['copter-square.tlog', 'copter-square.pcap']) {
      const phases = await factsOf(await openLog(sharedData('flight', name))).phases();
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
    const px4 = await factsOf(await openLog(sharedData('flight', 'px4-quad.tlog'))).phases();
    expect([px4.armed.length, px4.flying.length, px4.flyingSource]).toEqual([1, 1, 'EXTENDED_SYS_STATE']);
    const [logged, sent] = await Promise.all(
      ['rover.BIN', 'rover.tlog'].map(async (name) => factsOf(await openLog(sharedData('flight', name))).phases()),
    );
    expect([logged.flyingSource, sent.flyingSource]).toEqual(['GPS', 'VFR_HUD']);
    for (const { armed, flying } of [logged, sent]) expect([armed.length, flying.length]).toEqual([1, 1]);
    const seconds = ([{ start, end }]: readonly Phase[]): number => (end - start) / SECOND;
    expect(Math.abs(seconds(logged.flying) - seconds(sent.flying))).toBeLessThan(2);
  });
});
