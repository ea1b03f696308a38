// Streams in which several protocols take turns on one line.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bytesSource } from '../../../src/core/source.ts';
import { detectFormat } from '../../../src/formats/index.ts';
import { builtinDialect } from '../../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../../src/formats/mavlink/encode.ts';
import { SigningKey } from '../../../src/formats/mavlink/key.ts';
import { mixed } from '../../../src/formats/mixed/index.ts';
import { MIXED_LIMITS } from '../../../src/formats/mixed/limits.ts';
import { encodeSentence } from '../../../src/formats/nmea/encode.ts';
import { openInput } from '../../../src/formats/open.ts';
import { crc24 } from '../../../src/formats/ubx/frame.ts';
import { encodeXbusPacket } from '../../../src/formats/xbus/encode.ts';
import { readGnssData } from '../../../src/sensors/gnss.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { decode, difference, uncovered } from '../../suite/found.ts';
import { randomCuts } from '../../suite/fuzz.ts';
import { plainDifference } from '../../suite/plain.ts';
import { concat, join, Random } from '../../suite/random.ts';
import { randomMixed, rtcmBytes, ubxBytes } from './random.ts';
import { plainMixed } from './reference.ts';

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

const ubx = (...data: number[]): Uint8Array => ubxBytes(data);
const rtcm = (...data: number[]): Uint8Array => rtcmBytes(data);
const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
const sentence = (k: number): Uint8Array =>
  text(encodeSentence('RMC', { time: k, status: 'A', lat: 48, lon: 11, speed_kn: 1, course: 2, date: '2026-11-15' }));
const packet = (k: number): Uint8Array =>
  encodeXbusPacket([
    { item: 'PacketCounter', data: { value: k } },
    { item: 'SampleTimeFine', data: { value: k * 10_000 } },
    { item: 'Acceleration', data: { x: k, y: 2, z: 9.5 } },
  ]);
const attitude = (k: number): Uint8Array => encoder.message('ATTITUDE', { time_boot_ms: 5000 + k * 1000, roll: 0.5 });
const noise = (k: number): Uint8Array => new Random(k).bytes(300);

/** A second of a stream: one of each. */
const second = (k: number): Uint8Array[] => [
  packet(k),
  sentence(k),
  attitude(k),
  ubx(...noise(k).subarray(0, 92)),
  // number 1077 in its first 12 bits
  rtcm(0x43, 0x50, ...noise(k + 1000)),
];

const SECONDS = 40;
const stream = concat(...Array.from({ length: SECONDS }, (_, k) => second(k)).flat());

describe('a stream of all protocols', () => {
  test('is told as such', async () => {
    expect((await detectFormat(bytesSource(stream)))?.name).toBe('mixed');
    for (const one of [packet, sentence, attitude]) {
      const alone = concat(...Array.from({ length: SECONDS }, (_, k) => one(k)));
      expect(mixed.detect(alone)).toBe(0);
    }
  });

  test('has the records of each, and loses nothing', async () => {
    const log = await openInput(stream);
    const rows = Object.fromEntries(log.tables.map((table) => [table.name, table.rows]));
    expect(rows).toEqual({
      MTData2: SECONDS,
      PacketCounter: SECONDS,
      SampleTimeFine: SECONDS,
      Acceleration: SECONDS,
      RMC: SECONDS,
      ATTITUDE: SECONDS,
      'NAV-PVT': SECONDS,
      1077: SECONDS,
    });
    expect(log.faults.count).toBe(0);
    const x = await log.table('Acceleration')?.column('x');
    expect(Array.from({ length: SECONDS }, (_, row) => x?.at(row))).toEqual([...Array(SECONDS).keys()]);
    expect((await readGnssData(log)).epochs).toBe(SECONDS);
  });

  test('is on one clock: what does not know UTC has it from its neighbours', async () => {
    const log = await openInput(stream);
    const start = Date.UTC(2026, 10, 15) * 1e3;
    expect(log.clock).toMatchObject({ kind: 'nmea', utc: true });
    expect((await log.table('RMC')?.times())?.[7]).toBe(start + 7e6);
    for (const name of ['Acceleration', 'ATTITUDE']) {
      const times = await log.table(name)?.times();
      expect(Math.abs((times?.[7] ?? 0) - start - 7e6), name).toBeLessThanOrEqual(1e6);
      expect((times?.[8] ?? 0) - (times?.[7] ?? 0), name).toBe(1e6);
    }
    expect(log.clock.remarks.length).toBe(2);
  });
});

describe('whose the bytes are', () => {
  test('is decided by the stronger check', () => {
    const inner = sentence(1);
    const found = decode(mixed, concat(sentence(0), ubx(...inner), sentence(2)));
    expect(found.count).toBe(3);
    expect(found.name(1)).toBe('NAV-PVT');
    expect(uncovered(found, sentence(0).length * 2 + inner.length + 8)).toBeUndefined();
  });

  test('damage costs the damaged frame only, and sentences say what it is', () => {
    const bad = sentence(1);
    bad[10] ^= 1;
    const parts = [packet(0), bad, attitude(0), text('booting\r\n'), packet(1), Uint8Array.of(1, 2, 3), sentence(2)];
    const found = decode(mixed, concat(...parts));
    expect(found.faults.map(({ code, length }) => [code, length])).toEqual([
      ['bad-checksum', bad.length],
      ['text', 9],
      ['garbage', 3],
    ]);
    expect(found.count).toBe(4 + 1 + 4 + 1);
  });

  test('and is the same where more came than is held back, as plainly', () => {
    // parts of all protocols, many of them inside of others
    const random = new Random(6);
    const parts = Array.from({ length: 400 }, () => randomMixed(random));
    const long = join([...Array.from({ length: 60 }, (_, k) => second(k)).flat(), ...parts, stream]);
    expect(long.length).toBeGreaterThan(4 * MIXED_LIMITS.lookahead);
    const whole = decode(mixed, long);
    expect(uncovered(whole, long.length)).toBeUndefined();
    expect(plainDifference(whole, plainMixed(long))).toBeUndefined();
    for (let run = 0; run < 10; run++)
      expect(difference(whole, decode(mixed, long, randomCuts(random, long.length, 40)))).toBeUndefined();
  });

  test('a sentence is cut where a frame of another protocol begins', () => {
    const cut = text('$GPGGA,123');
    const found = decode(mixed, concat(cut, ubx(1, 2), sentence(1)));
    expect(found.faults.map(({ code, offset, length }) => [code, offset, length])).toEqual([
      ['cut-sentence', 0, cut.length],
    ]);
    expect(found.count).toBe(2);
  });

  test('frames of MAVLink that are refused are named', async () => {
    const log = await openInput(stream, { keys: [SigningKey.fromPassphrase('horse')] });
    const { length } = attitude(0);
    expect(log.faults.byCode.get('unsigned')).toEqual({ count: SECONDS, bytes: SECONDS * length });
    expect(log.table('ATTITUDE')).toBeUndefined();
    expect(log.table('RMC')?.rows).toBe(SECONDS);
    expect(log.faults.byCode.has('garbage')).toBe(false);
  });
});

test('CRC-24Q of a message of RTCM 10403', () => {
  // 1005 as the standard prints it
  const hex = 'D300133ED7D30202980EDEEF34B4BD62AC0941986F33360B98';
  expect(crc24(Uint8Array.from(Buffer.from(hex, 'hex')), 0, hex.length / 2)).toBe(0);
});

needShared(
  describe,
  'nmea',
  'gpsd',
)('receivers that send UBX, RTCM3 and NMEA', () => {
  test.each([
    ['ublox-zed-f9r.log', 871, 277 + 224],
    ['ublox-zed-f9t-ubx_nmea_l5.log', 252, 83],
  ])('%s: all is accounted for, nothing is lost', async (name, sentences, others) => {
    const bytes = new Uint8Array(readFileSync(sharedData('nmea', 'gpsd', name)));
    const log = await openInput(bytes);
    expect(log.format).toBe('mixed');
    const rowsOf = (isSentence: boolean): number =>
      log.tables.filter(({ stream }) => (stream !== '') === isSentence).reduce((sum, { rows }) => sum + rows, 0);
    expect(rowsOf(true)).toBe(sentences);
    expect(rowsOf(false)).toBe(others);
    expect(log.faults.lost).toBe(false);
    expect([...log.faults.byCode.keys()]).toEqual(['text']);
  });
});
