import { describe, expect, test } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { openInput } from '../formats/open.ts';
import type { LogEvent } from './event.ts';
import { factsOf } from './facts.ts';

const SECOND = 1_000_000;

/** A log of Copter with a record ten times a second. */
class Flown {
  readonly log: MadeLog = new MadeLog()
    .define('MSG', 'QZ', 'TimeUS,Message')
    .define('ATT', 'Qcc', 'TimeUS,Roll,Pitch')
    .define('EV', 'QB', 'TimeUS,Id')
    .define('ERR', 'QBB', 'TimeUS,Subsys,ECode')
    .define('MODE', 'QMBB', 'TimeUS,Mode,ModeNum,Rsn')
    .define('ARM', 'QBIBB', 'TimeUS,ArmState,ArmChecks,Forced,Method')
    .define('PARM', 'QNf', 'TimeUS,Name,Value')
    .add('MSG', 0, 'ArduCopter V4.5.7 (2a3dc4b7)');
  private now = 0;

  /** Goes on to a second, and says something there. */
  at(second: number, name?: string, ...values: (number | string)[]): this {
    for (; this.now < second * SECOND; this.now += SECOND / 10) this.log.add('ATT', this.now, 0, 0);
    if (name) this.log.add(name, second * SECOND, ...values);
    return this;
  }

  /** Writes nothing until a second; it may be an earlier one. */
  skipTo(second: number): this {
    this.now = second * SECOND;
    return this;
  }

  async events(kind?: LogEvent['kind']): Promise<readonly LogEvent[]> {
    const all = await factsOf(await this.log.open()).events();
    return kind ? all.filter((event) => event.kind === kind) : all;
  }
}

/** Time and end in seconds, severity and text. */
function brief({ time, end, severity, text }: LogEvent): unknown[] {
  return [time / SECOND, end === null ? null : end / SECOND, severity, text];
}

describe('errors', () => {
  test('last from their code to their clearing', async () => {
    const flown = new Flown().at(5, 'ERR', 16, 2).at(6, 'ERR', 11, 2).at(8, 'ERR', 16, 0).at(9, 'ERR', 11, 0).at(20);
    expect((await flown.events('error')).map(brief)).toEqual([
      [5, 8, 'error', 'EKF check: bad variance'],
      [6, 9, 'error', 'GPS: glitch'],
    ]);
  });

  test('that change their code are others, and those repeated are not', async () => {
    const flown = new Flown()
      .at(5, 'ERR', 9, 1)
      .at(6, 'ERR', 9, 1)
      .at(7, 'ERR', 9, 3)
      .at(8, 'ERR', 9, 0)
      .at(9, 'ERR', 9, 0);
    expect((await flown.at(20).events('failsafe')).map(brief)).toEqual([
      [5, 7, 'error', 'fence failsafe: maximum altitude'],
      [7, 8, 'error', 'fence failsafe: maximum altitude and circle'],
    ]);
  });

  test('that nothing clears last until the end of the log, or until its clock begins anew', async () => {
    const flown = new Flown().at(5, 'ERR', 3, 4).at(9, 'ERR', 2, 2).at(10).skipTo(0).at(3, 'ERR', 5, 1).at(6);
    const errors = (await flown.events()).filter(({ table }) => table === 'ERR');
    expect(errors.map(brief)).toEqual([
      // the second run goes on where the first ends
      [5, 9.9, 'error', 'compass: unhealthy, not cleared'],
      [9, 9.9, 'error', 'radio: late frame, not cleared'],
      [12.9, 15.8, 'error', 'radio failsafe: on, not cleared'],
    ]);
  });

  test('are points where their code is no state', async () => {
    const flown = new Flown().at(5, 'ERR', 10, 3).at(6, 'ERR', 24, 0).at(7, 'ERR', 12, 1).at(8, 'ERR', 77, 3).at(10);
    expect((await flown.events('error')).map(brief)).toEqual([
      [5, null, 'warning', 'flight mode: AUTO refused'],
      [6, null, 'notice', 'primary EKF: core 0'],
      [7, null, 'error', 'crash check: crash'],
      [8, 9.9, 'error', 'subsystem 77: code 3, not cleared'],
    ]);
  });

  test('that were there before the log only have an end', async () => {
    expect((await new Flown().at(5, 'ERR', 3, 0).at(6, 'ERR', 3, 0).at(9).events('error')).map(brief)).toEqual([
      [5, null, 'info', 'compass: cleared'],
    ]);
  });
});

describe('modes and arming', () => {
  test('say why and by whom', async () => {
    const flown = new Flown()
      .at(1, 'MODE', 5, 5, 1)
      .at(2, 'ARM', 1, 0, 1, 2)
      .at(2, 'EV', 10)
      .at(4, 'EV', 28)
      .at(8, 'MODE', 6, 6, 4)
      .at(9, 'MODE', 99, 99, 200)
      .at(12, 'EV', 18)
      .at(13, 'ARM', 0, 0, 0, 13)
      .at(13, 'EV', 11)
      .at(20);
    expect(
      (await flown.events()).filter(({ kind }) => kind !== 'text').map((each) => [each.kind, ...brief(each)]),
    ).toEqual([
      ['mode', 1, null, 'notice', 'mode LOITER, by the remote control'],
      ['arm', 2, null, 'notice', 'armed by an auxiliary switch by force'],
      ['takeoff', 4, null, 'notice', 'took off'],
      ['mode', 8, null, 'warning', 'mode RTL, by the battery failsafe'],
      ['mode', 9, null, 'notice', 'mode MODE(99), for reason 200'],
      ['landing', 12, null, 'notice', 'landed'],
      ['disarm', 13, null, 'notice', 'disarmed after landing'],
    ]);
  });

  test('a flight that ends with the disarming may not have ended well', async () => {
    const flown = new Flown().at(2, 'EV', 10).at(4, 'EV', 28).at(9, 'EV', 11).at(12);
    expect((await flown.events('landing')).map(brief)).toEqual([[9, null, 'notice', 'landed or disarmed']]);
  });

  test('other events are in words, unknown ones by their number', async () => {
    const flown = new Flown().at(2, 'EV', 51).at(3, 'EV', 62).at(4, 'EV', 201).at(6);
    expect((await flown.events('event')).map(brief)).toEqual([
      [2, null, 'error', 'parachute released'],
      [3, null, 'notice', 'EKF yaw reset'],
      [4, null, 'info', 'event 201'],
    ]);
  });
});

describe('interruptions', () => {
  test('are gaps, that matter while the vehicle is armed', async () => {
    const flown = new Flown().at(10).skipTo(20).at(22, 'EV', 10).at(30).skipTo(35).at(40, 'EV', 11).at(50);
    expect((await flown.events('gap')).map(brief)).toEqual([
      [9.9, 20, 'info', 'nothing logged for 10.1 s'],
      [29.9, 35, 'warning', 'nothing logged for 5.1 s while armed'],
    ]);
  });

  test('are reboots where the clock begins anew, but not where one time is damaged', async () => {
    const flown = new Flown().at(10).skipTo(1).at(20);
    flown.log.add('ATT', 500 * SECOND, 0, 0);
    flown.at(30);
    expect((await flown.events('reboot')).map(brief)).toEqual([
      // the second run goes on where the first ends
      [9.9, null, 'warning', 'rebooted: boot time went back'],
    ]);
    expect(await flown.events('gap')).toEqual([]);
  });
});

test('changes of parameters are told, what they were at first is not', async () => {
  const flown = new Flown()
    .at(1, 'PARM', 'ATC_RAT_RLL_P', 0.135)
    .at(1, 'PARM', 'STAT_BOOTCNT', 7)
    .at(9, 'PARM', 'ATC_RAT_RLL_P', 0.135)
    .at(10, 'PARM', 'ATC_RAT_RLL_P', 0.2)
    .at(11, 'PARM', 'STAT_BOOTCNT', 8)
    .at(20);
  expect((await flown.events('parameter')).map(brief)).toEqual([
    [10, null, 'notice', 'ATC_RAT_RLL_P changed from 0.135 to 0.2'],
    [11, null, 'info', 'STAT_BOOTCNT changed from 7 to 8'],
  ]);
});

test('a log of nothing has no events', async () => {
  expect(await factsOf(await openInput(new Uint8Array(0))).events()).toEqual([]);
  expect(await factsOf(await openInput(new Uint8Array(100))).events()).toEqual([]);
});

describe('messages', () => {
  const heartbeat = { type: 2, autopilot: 3, custom_mode: 0, system_status: 4, mavlink_version: 3 };

  /** A telemetry log of frames, each with the second at which it came. */
  function recorded(frames: readonly (readonly [second: number, frame: Uint8Array])[]): Uint8Array {
    return Buffer.concat(
      frames.map(([second, frame]) => {
        const stamp = Buffer.alloc(8);
        stamp.writeBigUInt64BE(BigInt(Math.round((1_700_000_000 + second) * SECOND)));
        return Buffer.concat([stamp, frame]);
      }),
    );
  }

  test('of two vehicles say whose they are, and texts in pieces are whole', async () => {
    const [one, two] = [1, 2].map((system) => new Encoder(builtinDialect('common'), { system, component: 1 }));
    const frames: [number, Uint8Array][] = [];
    for (let second = 0; second < 20; second++) {
      const armed = second >= 5 && second < 15 ? 128 : 0;
      frames.push([second, one.message('HEARTBEAT', { ...heartbeat, base_mode: 81 + armed })]);
      frames.push([second + 0.1, two.message('HEARTBEAT', { ...heartbeat, base_mode: 81 })]);
    }
    const long = 'a text that does not fit into one single message at ';
    frames.push([20, one.message('STATUSTEXT', { severity: 4, text: long.slice(0, 50), id: 7, chunk_seq: 0 })]);
    frames.push([20.1, two.message('STATUSTEXT', { severity: 6, text: 'another', id: 7, chunk_seq: 0 })]);
    frames.push([20.2, one.message('STATUSTEXT', { severity: 4, text: `${long.slice(50)}all`, id: 7, chunk_seq: 1 })]);
    const events = await factsOf(await openInput(recorded(frames))).events();
    const base = 1_700_000_000 * SECOND;
    expect(
      events.map(({ kind, stream, time, severity, text }) => [kind, stream, (time - base) / SECOND, severity, text]),
    ).toEqual([
      ['mode', '1:1', 0, 'notice', 'mode STABILIZE'],
      ['mode', '2:1', 0.1, 'notice', 'mode STABILIZE'],
      ['arm', '1:1', 5, 'notice', 'armed'],
      ['disarm', '1:1', 15, 'notice', 'disarmed'],
      ['text', '1:1', 20, 'warning', `${long}all`],
      ['text', '2:1', 20.1, 'info', 'another'],
    ]);
  });

  test('a vehicle that counts from its boot again was started anew; two that take turns were not', async () => {
    const one = new Encoder(builtinDialect('common'), { system: 1, component: 1 });
    const events = async (boot: (second: number) => number): Promise<number> => {
      const frames: [number, Uint8Array][] = [];
      for (let second = 0; second < 60; second++) {
        frames.push([second, one.message('HEARTBEAT', { ...heartbeat, base_mode: 81 })]);
        frames.push([second, one.message('SYSTEM_TIME', { time_unix_usec: 0n, time_boot_ms: boot(second) })]);
      }
      const found = await factsOf(await openInput(recorded(frames))).events();
      return found.filter(({ kind }) => kind === 'reboot').length;
    };
    expect(await events((second) => 100_000 + second * 1000)).toBe(0);
    expect(await events((second) => (second < 30 ? 100_000 : -30_000) + second * 1000)).toBe(1);
    expect(await events((second) => (second % 2 ? 100_000 : 20_000) + second * 1000)).toBe(0);
    // 49.7 days after its boot the count overflows
    expect(await events((second) => (2 ** 32 - 30_000 + second * 1000) % 2 ** 32)).toBe(0);
  });
});
