// Captures without a file header, without messages, of links that are not decoded, and encrypted ones.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/facts/facts.ts';
import { openInput } from '../../../src/formats/open.ts';
import { pcap } from '../../../src/formats/pcap/index.ts';
import { skeinHere } from '../../helpers/cli.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { decode, difference, uncovered } from '../../suite/found.ts';
import { randomCuts } from '../../suite/fuzz.ts';
import { concat, Random } from '../../suite/random.ts';

const FIRST = 1_733_104_559;

/** A pcap file of packets, one a second. */
function capture(linkType: number, packets: readonly Uint8Array[]): Uint8Array {
  return concat(fileHeader(linkType), ...packets.flatMap((packet, k) => [recordHeader(packet, k), packet]));
}

function fileHeader(linkType: number): Uint8Array {
  const head = new DataView(new ArrayBuffer(24));
  head.setUint32(0, 0xa1b2c3d4, true);
  head.setUint16(4, 2, true);
  head.setUint16(6, 4, true);
  head.setUint32(16, 65_535, true);
  head.setUint32(20, linkType, true);
  return new Uint8Array(head.buffer);
}

function recordHeader(packet: Uint8Array, k: number): Uint8Array {
  const head = new DataView(new ArrayBuffer(16));
  head.setUint32(0, FIRST + k, true);
  head.setUint32(4, 250_000, true);
  head.setUint32(8, packet.length, true);
  head.setUint32(12, packet.length, true);
  return new Uint8Array(head.buffer);
}

const noise = (length: number): Uint8Array => new Random(length).bytes(length);
/** A data frame of 802.11 from a station to an access point; protected or not. */
const wireless = (isProtected: boolean): Uint8Array =>
  concat(Uint8Array.of(0x08, isProtected ? 0x41 : 0x01), noise(22), noise(60));
const radiotap = (frame: Uint8Array): Uint8Array => concat(Uint8Array.of(0, 0, 8, 0, 0, 0, 0, 0), frame);

describe('captures without messages', () => {
  test('have the times of their packets', async () => {
    const log = await openInput(capture(1, [noise(60), noise(61), noise(62)]));
    expect(log.clock).toMatchObject({ utc: true, source: 'times at which packets were captured' });
    expect(await factsOf(log).span()).toEqual({ start: FIRST * 1e6 + 250_000, end: (FIRST + 2) * 1e6 + 250_000 });
    const empty = await openInput(capture(1, []));
    expect(empty.clock.source).toBe('the capture has no times');
    expect(await factsOf(empty).span()).toEqual({ start: null, end: null });
  });

  test.each([
    [227, 'CAN (SocketCAN)'],
    [220, 'USB (Linux)'],
    [299, 'type 299'],
  ])('of link type %i name it', async (type, name) => {
    const { capture: found } = await openInput(capture(type, [noise(16), noise(16)]));
    expect(found?.interfaces).toMatchObject([{ linkType: type, link: name, isRead: false, packets: 2 }]);
  });

  test.each([
    ['802.11', 105, (frame: Uint8Array): Uint8Array => frame],
    ['radiotap', 127, radiotap],
  ] as const)('of encrypted %s count it', async (_, type, wrap) => {
    const frames = [wireless(true), wireless(false), wireless(true), Uint8Array.of(0x80, 0), new Uint8Array(0)];
    const { capture: found } = await openInput(capture(type, frames.map(wrap)));
    expect([found?.encrypted, found?.packets]).toEqual([2, 5]);
  });

  needShared(
    test,
    '..',
    'field',
    'wild',
  )('a toy drone: start and duration in info', async () => {
    const path = sharedData('..', 'field', 'wild', 'Artemish-1abced.pcap');
    const bytes = readFileSync(path);
    // by the headers of its records alone
    const times: number[] = [];
    for (let at = 24; at < bytes.length; at += 16 + bytes.readUInt32LE(at + 8))
      times.push(bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) / 1e6);
    expect(times.length).toBe(171);
    const { stdout, code } = await skeinHere('info', '--json', path);
    const { start, end, duration, records } = JSON.parse(stdout) as Record<string, number>;
    expect([code, records]).toEqual([0, 0]);
    expect(start).toBeCloseTo(Math.min(...times), 5);
    expect(end).toBeCloseTo(Math.max(...times), 5);
    expect(duration).toBeCloseTo(Math.max(...times) - Math.min(...times), 5);
  });
});

needShared(describe, 'pcap')('records without a file header', () => {
  const strict = sharedData('pcap', 'strict');

  test.each([
    ['pass.2', { ATTITUDE: 483 }],
    ['pass.3', { GLOBAL_POSITION_INT: 1 }],
    ['pass.4', { ATTITUDE: 483 }],
    ['pass.5', { GLOBAL_POSITION_INT: 161 }],
    ['pass.6', { ATTITUDE: 483, GLOBAL_POSITION_INT: 161 }],
  ])('%s is read as what it is, with its times', async (name, rows) => {
    const path = `${strict}/${name}`;
    const bytes = readFileSync(path);
    const info = await skeinHere('info', '--json', path);
    const found = JSON.parse(info.stdout) as {
      format: string;
      start: number;
      end: number;
      faults: { count: number };
      capture: { isHeadless: boolean; packets: number };
      tables: { name: string; rows: number }[];
    };
    expect([info.code, found.format, found.faults.count, found.capture.isHeadless]).toEqual([0, 'pcap', 0, true]);
    expect(Object.fromEntries(found.tables.map(({ name: table, rows: count }) => [table, count]))).toEqual(rows);
    const timeAt = (at: number): number => bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) / 1e6;
    expect(found.start).toBeCloseTo(timeAt(0), 5);
    expect(found.end).toBeCloseTo(timeAt(bytes.length - 88), 5);
    const { stdout } = await skeinHere('dump', path);
    const times = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { time: number }).time);
    expect(times.length).toBe(bytes.length / 88);
    for (const [k, time] of times.entries()) expect(time).toBeCloseTo(timeAt(88 * k), 5);
  });

  test.each(readdirSync(strict).filter((name) => name.startsWith('fail')))('%s is records too', async (name) => {
    const log = await openInput(new Uint8Array(readFileSync(`${strict}/${name}`)));
    expect([log.format, log.capture?.packets, log.capture?.isHeadless]).toEqual(['pcap', 1, true]);
  });

  // the same messages in each wrapping, the file header taken away; null_be_family and others have their own byte order
  const wrapped = [
    'eth',
    'eth_be',
    'eth_ns',
    'eth_padded60',
    'null_be',
    'raw101_v6',
    'sll2',
    'sll_vlan',
    'vlan',
    'qinq',
  ];
  test.each(wrapped)('%s', async (name) => {
    const path = sharedData('pcap', 'wrapped', `${name}.pcap`);
    const whole = await openInput(new Uint8Array(readFileSync(name === 'eth' ? `${path}.gz` : path)));
    const bytes = (await whole.source.read(0, whole.source.size)).slice(24);
    const log = await openInput(bytes);
    expect([log.format, log.records, log.faults.count, log.capture?.isHeadless]).toEqual(['pcap', 261, 0, true]);
    expect(log.capture?.packets).toBe(whole.capture?.packets);
    const found = decode(pcap, bytes);
    for (let run = 0; run < 5; run++)
      expect(difference(found, decode(pcap, bytes, randomCuts(new Random(run), bytes.length, 9)))).toBeUndefined();
    if (name === 'eth_ns') return;
    expect(await factsOf(log).span()).toEqual(await factsOf(whole).span());
  });

  test('damage costs what it costs in a file with a header', async () => {
    const bytes = new Uint8Array(readFileSync(`${strict}/pass.6`));
    const cut = await openInput(bytes.slice(0, -30));
    expect([cut.records, cut.format]).toEqual([643, 'pcap']);
    const random = new Random(4);
    for (let run = 0; run < 30; run++) {
      const damaged = bytes.slice();
      // the first record tells what the file is
      for (let n = 0; n < 3; n++) damaged[random.between(88, damaged.length - 1)] ^= 1 << random.below(8);
      const [log, whole] = [await openInput(damaged), await openInput(concat(fileHeader(0), damaged))];
      expect([log.format, log.records]).toEqual(['pcap', whole.records]);
      expect(uncovered(decode(pcap, damaged), damaged.length)).toBeUndefined();
    }
  });

  test('other bytes are not taken for them', () => {
    for (let seed = 0; seed < 200; seed++) expect(pcap.detect(new Random(seed).bytes(2000))).toBe(0);
    expect(pcap.detect(concat(recordHeader(noise(60), 0), noise(60)))).toBe(0);
  });
});
