import { describe, expect, test } from 'vitest';
import { concat } from '../../../test/suite/random.ts';
import type { Log } from '../../core/log.ts';
import { openInput } from '../open.ts';
import { encodeXbusFrame, encodeXbusMessage, encodeXbusPacket, type XbusOutgoingItem } from './encode.ts';
import { xbus } from './index.ts';

const open = (...frames: readonly Uint8Array[]): Promise<Log> => openInput(concat(...frames), { format: xbus });

const DAY = 864_000_000;
const NOON = Date.UTC(2024, 4, 17, 12, 0, 0) * 1000;

const fine = (value: number): XbusOutgoingItem => ({ item: 'SampleTimeFine', data: { value } });
const motion: XbusOutgoingItem = { item: 'Acceleration', data: { x: 0, y: 0, z: 9.8 } };

/** UTC so many milliseconds after noon. */
const utc = (millis: number, flags = 7): XbusOutgoingItem => {
  const date = new Date(NOON / 1000 + Math.floor(millis));
  const ns = date.getUTCMilliseconds() * 1e6 + Math.round((millis % 1) * 1e6);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  return { item: 'UtcTime', data: { ns, year, month, day, hour, minute, second, flags } };
};

const fix = (second: number, nano: number, valid = 7): XbusOutgoingItem => ({
  item: 'GnssPvtData',
  data: { year: 2024, month: 5, day: 17, hour: 12, min: 0, sec: second, nano, valid, flags: 1 },
});

const packet = (...items: readonly XbusOutgoingItem[]): Uint8Array => encodeXbusPacket(items);

/** Times of a table in milliseconds after `base`. */
async function times(log: Log, name: string, base = NOON): Promise<number[]> {
  const table = log.table(name);
  if (!table) throw new Error(`no table ${name}`);
  return [...(await table.times())].map((time) => (time - base) / 1000);
}

describe('packets with a valid UTC time', () => {
  test('have it, and so have all their items', async () => {
    const log = await open(packet(fine(100), utc(0.1), motion), packet(fine(200), utc(10.1), motion));
    expect(log.clock).toMatchObject({ kind: 'utc-time', utc: true, baseOffset: 11 });
    expect(await times(log, 'Acceleration')).toEqual([0.1, 10.1]);
    expect(await times(log, 'MTData2')).toEqual([0.1, 10.1]);
  });

  test('give it to those before and behind them by the sample time', async () => {
    const log = await open(
      packet(fine(1000), utc(77, 1), motion),
      packet(fine(1100), motion),
      packet(fine(1200), utc(500), motion),
      packet(fine(1300), motion),
    );
    expect(await times(log, 'Acceleration')).toEqual([480, 490, 500, 510]);
  });

  test('are followed where they change', async () => {
    const log = await open(
      packet(fine(1000), utc(0), motion),
      packet(fine(1100), utc(10.5), motion),
      packet(fine(1200), motion),
    );
    expect(await times(log, 'Acceleration')).toEqual([0, 10.5, 20.5]);
  });

  test('give it to messages behind them', async () => {
    const log = await open(
      encodeXbusMessage('GoToMeasurementAck'),
      packet(fine(100), utc(0), motion),
      encodeXbusMessage('Error', { code: 4 }),
      packet(fine(200), utc(10), motion),
    );
    expect(await times(log, 'Error')).toEqual([0]);
    expect(await times(log, 'GoToMeasurementAck')).toEqual([0]);
  });

  test('are timed alike from any row on', async () => {
    const log = await open(...[0, 1, 2, 3, 4].map((n) => packet(fine(n * 100), utc(n * 10), motion)));
    const table = log.table('Acceleration');
    expect(await table?.times({ from: 2, to: 4 })).toEqual(Float64Array.of(NOON + 20_000, NOON + 30_000));
  });
});

describe('the sample time alone', () => {
  test('counts from the start of the device', async () => {
    const log = await open(packet(fine(10_000), motion), packet(fine(10_100), motion));
    expect(log.clock).toMatchObject({ kind: 'sample-time', utc: false });
    expect(await times(log, 'Acceleration', 0)).toEqual([1000, 1010]);
  });

  test.each([
    ['a day', DAY],
    ['32 bits', 2 ** 32],
  ])('goes on when it begins again after %s', async (_, wrap) => {
    const log = await open(packet(fine(wrap - 100), motion), packet(fine(0), motion), packet(fine(100), motion));
    const [first, ...rest] = await times(log, 'Acceleration', 0);
    expect(first).toBe((wrap - 100) / 10);
    expect(rest.map((time) => time - first)).toEqual([10, 20]);
  });

  test('has seconds beside it on some devices', async () => {
    const coarse = (value: number): XbusOutgoingItem => ({ item: 'SampleTimeCoarse', data: { value } });
    const log = await open(packet(coarse(99), fine(999_500), motion), packet(coarse(100), fine(0), motion));
    expect(await times(log, 'Acceleration', 0)).toEqual([99_950, 100_000]);
  });

  test('says when the device was started anew', async () => {
    const log = await open(packet(fine(500_000_000), motion), packet(fine(50), motion));
    // its time goes on from the last one
    expect(await times(log, 'Acceleration', 0)).toEqual([50_000_000, 50_000_000]);
    expect(log.parts().map(({ records }) => records)).toEqual([log.records / 2, log.records / 2]);
    expect(log.clock.remarks[0]).toMatch(/^2 parts: the vehicle rebooted/);
  });
});

describe('fixes of the GNSS receiver', () => {
  test('put the sample time on UTC', async () => {
    // the fix is of 400 ticks before the packets around it
    const log = await open(
      packet(fine(10_000), motion),
      packet(fine(9_600), fix(1, 500_000_000)),
      packet(fine(10_100), motion),
    );
    expect(log.clock).toMatchObject({ kind: 'gnss', utc: true });
    expect(await times(log, 'Acceleration')).toEqual([1540, 1550]);
    expect(await times(log, 'GnssPvtData')).toEqual([1500]);
    expect(log.clock.remarks).toEqual([expect.stringContaining('0.0 ms ahead')]);
  });

  test('that are not valid do not', async () => {
    const log = await open(packet(fine(10_000), motion), packet(fine(9_600), fix(1, 0, 1)));
    expect(log.clock).toMatchObject({ kind: 'sample-time', utc: false });
  });

  test('without a fix carry any sample time, which moves nothing', async () => {
    const log = await open(
      packet(fine(500_000_000), motion),
      packet(fine(7), fix(1, 0, 0)),
      packet(fine(500_000_100), motion),
    );
    expect(await times(log, 'Acceleration', 0)).toEqual([50_000_000, 50_000_010]);
    expect(await times(log, 'GnssPvtData', 0)).toEqual([50_000_000]);
  });
});

describe('old devices', () => {
  test.each([
    [1152, 0, 10],
    [576, 2, 15],
  ])('count packets at the period %i of their configuration, which leaves %i out', async (period, skip, millis) => {
    const configuration = new Uint8Array(118);
    const view = new DataView(configuration.buffer);
    view.setUint16(4, period);
    view.setUint16(6, skip);
    view.setUint16(104, 4);
    view.setUint32(106, 5);
    const data = (counter: number): Uint8Array => {
      const euler = new Uint8Array(14);
      new DataView(euler.buffer).setUint16(12, counter);
      return encodeXbusFrame(0x32, euler);
    };
    const log = await open(encodeXbusFrame(0x0d, configuration), data(65_535), data(0), data(3));
    expect(log.clock).toMatchObject({ kind: 'sample-counter', utc: false });
    expect(await times(log, 'EulerAngles', 0)).toEqual([0, millis, 4 * millis]);
  });

  test.each([
    ['of a length that no device has', new Uint8Array(50)],
    ['without a period', new Uint8Array(118)],
  ])('a configuration %s does not help', async (_, configuration) => {
    const counted = packet({ item: 'PacketCounter', data: { value: 1 } });
    const log = await open(encodeXbusFrame(0x0d, configuration), counted, counted);
    expect(log.clock.kind).toBe('none');
    expect(await times(log, 'PacketCounter')).toEqual([Number.NaN, Number.NaN]);
  });
});

test('packets without any time have none', async () => {
  const log = await open(packet(motion), packet(motion));
  expect(log.clock).toMatchObject({ kind: 'none', utc: false });
  expect(await times(log, 'Acceleration')).toEqual([Number.NaN, Number.NaN]);
});

test('a sample time of a length that it cannot have is none', async () => {
  const odd: XbusOutgoingItem = { item: 'SampleTimeFine', data: Uint8Array.of(1, 2, 3) };
  const log = await open(packet(odd, motion), packet(odd, motion));
  expect(log.clock.kind).toBe('none');
});

test('devices of one bus have clocks of their own', async () => {
  const of = (bus: number, ...items: readonly XbusOutgoingItem[]): Uint8Array => encodeXbusPacket(items, { bus });
  const log = await open(
    of(1, fine(1000), utc(0), motion),
    of(2, fine(800_000_000), utc(5), motion),
    of(1, fine(1100), motion),
    of(2, fine(800_000_100), motion),
  );
  const tables = log.tablesNamed('Acceleration');
  const found = await Promise.all(
    tables.map(async (table) => [...(await table.times())].map((t) => (t - NOON) / 1000)),
  );
  expect(found).toEqual([
    [0, 10],
    [5, 15],
  ]);
});
