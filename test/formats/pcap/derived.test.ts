// What is made from the records of sensors whose bytes were captured on a network.
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../src/formats/open.ts';
import { derivedTables } from '../../../src/sensors/derived.ts';
import type { DerivedRow } from '../../../src/sensors/derived-table.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { readBytes, sampleFile } from '../../suite/sample.ts';
import { CaptureWriter, ethernet, ipv4, udp } from './writer.ts';

const START = 1_700_000_000e6;
const PAYLOAD = 700;
const STEP = 250_000;

/** Bytes in datagrams of some length, one each quarter of a second. */
function captureOf(bytes: Uint8Array): Uint8Array {
  const writer = new CaptureWriter();
  for (let at = 0; at < bytes.length; at += PAYLOAD)
    writer
      .at(START + (at / PAYLOAD) * STEP)
      .packet(ethernet(ipv4(udp(bytes.subarray(at, at + PAYLOAD), 10110, 10110)), 0x0800));
  return writer.bytes();
}

async function rowsOf(bytes: Uint8Array, name: string): Promise<DerivedRow[]> {
  const rows: DerivedRow[] = [];
  for (const table of await derivedTables(await openInput(bytes)))
    if (table.name === name) for await (const row of table.records()) rows.push(row);
  return rows;
}

/** Rows of a capture are those of the bytes that it carries, but for when and where they came. */
async function expectSame(bytes: Uint8Array, name: string): Promise<number> {
  const capture = captureOf(bytes);
  const [plain, captured] = [await rowsOf(bytes, name), await rowsOf(capture, name)];
  expect(captured.map(({ data }) => data)).toEqual(plain.map(({ data }) => data));
  const headers = (place: number): number => 24 + Math.ceil((place + 1) / PAYLOAD) * (16 + 14 + 20 + 8);
  for (const [i, { time, at }] of captured.entries()) {
    expect(at).toBe(plain[i].at + headers(plain[i].at));
    // the packet that completed the first record of a row is that in which it began, or the next
    const packet = Math.floor(plain[i].at / PAYLOAD);
    expect([START + packet * STEP, START + (packet + 1) * STEP]).toContain(time);
  }
  return captured.length;
}

test('GNSSData goes by the UTC that sentences tell, its time by the capture', async () => {
  expect(await expectSame(sampleFile('copter-square.nmea').bytes, 'GNSSData')).toBeGreaterThan(100);
});

test('a capture without sensors has nothing that is made from them', async () => {
  const { bytes } = sampleFile('copter-square.tlog');
  expect(await derivedTables(await openInput(captureOf(bytes.subarray(0, 20_000))))).toEqual([]);
});

needShared(describe, 'xbus')('IMUData', () => {
  test.each(['1', '2', '4'])('of recording %s', async (name) => {
    expect(await expectSame(readBytes(sharedData('xbus', name, 'output.bin')), 'IMUData')).toBeGreaterThan(50);
  });
});

needShared(describe, 'pcap')('datagrams of IEC 61162-450', () => {
  test('a fix is made of what several of them tell', async () => {
    const rows = await rowsOf(readBytes(sharedData('pcap', 'ipal_iec450-nmea.pcap')), 'GNSSData');
    expect(rows.length).toBe(1);
    const [{ time, data }] = rows;
    // its sentences are of another day than the capture
    expect(new Date(time / 1000).toISOString()).toBe('2021-02-01T15:07:41.795Z');
    expect(data).toMatchObject({
      unix_time_us: Date.UTC(2018, 8, 21, 12, 6, 58, 284) * 1000,
      latitude: 54 + 12.51144 / 60,
      longitude: 12 + 3.87679 / 60,
      ground_speed: 37.8 * (1852 / 3600),
      satellites_used: 12,
      nmea_sentence: '$GPGGA,120658.284,5412.51144,N,01203.87679,E,1,12,2.27,0.0,M,,M,,*70',
      nmea_length: 68,
    });
  });
});
