// UBX and RTCM 3, alone and beside NMEA, against what pyubx2 and pyrtcm found: their frames have right checksums.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../src/formats/open.ts';
import { findTraffic } from '../../../src/formats/ubx/traffic.ts';
import { skeinHere } from '../../helpers/cli.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { concat, Random } from '../../suite/random.ts';
import { rtcmBytes, ubxBytes } from '../mixed/random.ts';

interface Reference {
  readonly bytes: number;
  readonly frames: Readonly<Record<'ubx' | 'rtcm' | 'nmea', number>>;
  readonly other_bytes: number;
  /** By 'UBX 01-07 NAV-PVT', 'RTCM 1077', 'NMEA GNGLL'. */
  readonly messages: Readonly<Record<string, number>>;
  readonly samples: Readonly<Record<string, readonly { readonly offset: number; readonly length: number }[]>>;
}

needShared(
  describe,
  '..',
  'field',
  'ubx',
)('as pyubx2 and pyrtcm', () => {
  const folder = sharedData('..', 'field', 'ubx');
  const names = readdirSync(`${folder}/ref`).filter((name) => name.endsWith('.json.gz'));
  expect(names.length).toBeGreaterThan(15);

  test.each(names.map((name) => name.slice(0, -8)))('%s', async (name) => {
    const reference = JSON.parse(gunzipSync(readFileSync(`${folder}/ref/${name}.json.gz`)).toString()) as Reference;
    const own = `${folder}/${name}`;
    const bytes = new Uint8Array(readFileSync(existsSync(own) ? own : sharedData('nmea', 'gpsd', name)));
    const { frames, messages, samples } = reference;
    const log = await openInput(bytes);
    expect(log.format).toBe(frames.nmea > 0 ? 'mixed' : frames.ubx > 0 ? 'ubx' : 'rtcm');
    expect(log.records).toBe(frames.nmea + frames.ubx + frames.rtcm);

    const traffic = await findTraffic(log);
    const counted = Object.fromEntries(
      traffic.map(({ protocol, message, count }) => [`${protocol} ${message}`, count]),
    );
    const others = Object.entries(messages).filter(([message]) => !message.startsWith('NMEA'));
    expect(counted).toEqual(Object.fromEntries(others.map(([message, count]) => [shortened(message), count])));

    // every byte is in a record or in a fault
    const inFaults = [...log.faults.byCode.values()].reduce((sum, { bytes: each }) => sum + each, 0);
    expect(inFaults).toBe(reference.other_bytes);

    // payloads are those of the file
    for (const [message, places] of Object.entries(samples)) {
      if (message.startsWith('NMEA')) continue;
      const [protocol, table] = shortened(message).split(' ');
      const [before, after] = protocol === 'UBX' ? [6, 2] : [3, 3];
      for (const { offset, length } of places) {
        const payload = bytes.slice(offset + before, offset + length - after);
        expect(await payloadAt(log, table, offset)).toEqual(payload);
      }
    }
  });

  test.each([
    ['semuconsulting-b6b91d.log', 'ubx', 103],
    ['semuconsulting-b2b669.log', 'rtcm', 13],
  ])('%s of the wild', async (name, format, count) => {
    const log = await openInput(new Uint8Array(readFileSync(sharedData('..', 'field', 'wild', name))));
    expect([log.format, log.records, log.faults.count]).toEqual([format, count, 0]);
  });

  test('semuconsulting-c29722.log: sentences, UBX and RTCM', async () => {
    const path = sharedData('..', 'field', 'wild', 'semuconsulting-c29722.log');
    const log = await openInput(new Uint8Array(readFileSync(path)));
    const traffic = await findTraffic(log);
    expect([log.format, log.faults.lostBytes]).toEqual(['mixed', 0]);
    // all but the two sentences, which have 122 bytes
    expect(traffic.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(1227 - 122);
    expect(log.records - traffic.reduce((sum, { count }) => sum + count, 0)).toBe(2);
  });
});

function shortened(message: string): string {
  return message.replace(/^UBX \S+ /, 'UBX ');
}

async function payloadAt(
  log: Awaited<ReturnType<typeof openInput>>,
  name: string,
  offset: number,
): Promise<Uint8Array | undefined> {
  for (const table of log.tablesNamed(name)) {
    const row = table.offsets.rowFrom(offset);
    if (table.offsets.at(row) !== offset) continue;
    return (await table.column('payload')).at(row) as Uint8Array;
  }
  return undefined;
}

describe('made streams', () => {
  test('long and short payloads of one message are in tables of one name', async () => {
    const log = await openInput(concat(ubxBytes(new Random(1).bytes(3000)), ubxBytes([1, 2])));
    expect(log.tables.map(({ name, rows }) => [name, rows])).toEqual([
      ['NAV-PVT', 1],
      ['NAV-PVT', 1],
    ]);
    expect(await findTraffic(log)).toEqual([{ protocol: 'UBX', message: 'NAV-PVT', count: 2, bytes: 3018 }]);
  });

  test('a false header in front costs itself only', async () => {
    const good = concat(...Array.from({ length: 50 }, (_, k) => ubxBytes([k])));
    for (const head of [
      [0xb5, 0x62, 1, 7, 0xff, 0xff],
      [0xd3, 0, 0xff],
      [0xb5, 0x62, 1, 7, 0xff, 0x1f],
      [0x24, 0x47],
    ]) {
      const log = await openInput(concat(Uint8Array.from(head), good));
      expect([log.format, log.records, log.faults.lostBytes <= head.length]).toEqual(['ubx', 50, true]);
    }
  });

  test('any number of messages needs few tables, and none is lost', async () => {
    const frame = (k: number): Uint8Array => {
      const bytes = ubxBytes([k & 0xff]);
      bytes[2] = k >> 8;
      bytes[3] = k & 0xff;
      let [a, b] = [0, 0];
      for (const byte of bytes.subarray(2, -2)) {
        a = (a + byte) & 0xff;
        b = (b + a) & 0xff;
      }
      bytes.set([a, b], bytes.length - 2);
      return bytes;
    };
    const log = await openInput(concat(...Array.from({ length: 3000 }, (_, k) => frame(k))));
    expect([log.records, log.tables.length, log.faults.count]).toEqual([3000, 1025, 0]);
    expect(log.table('OTHER')?.rows).toBe(3000 - 1024);
  });

  test('one frame of corrections among thousands of sentences is not damage', async () => {
    const sentences = new TextEncoder().encode('$GPZDA,201530.00,04,07,2002,00,00*60\r\n'.repeat(2000));
    const log = await openInput(concat(sentences, rtcmBytes([0x43, 0x50, 1, 2]), sentences));
    // beyond what is looked at to tell the format
    expect(log.format).toBe('nmea');
    const near = await openInput(concat(sentences.subarray(0, 38_000), rtcmBytes([0x43, 0x50, 1, 2]), sentences));
    expect([near.format, near.faults.lostBytes]).toEqual(['mixed', 0]);
  });
});

test('payloads are written as long as they are', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'receiver.ubx');
  writeFileSync(path, concat(ubxBytes([1, 2, 3]), ubxBytes([4, 0]), ubxBytes([])));
  const dumped = await skeinHere('dump', path);
  const payloads = dumped.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { data: unknown }).data);
  expect(payloads).toEqual([
    { length: 3, payload: '010203' },
    { length: 2, payload: '0400' },
    { length: 0, payload: '' },
  ]);
  const query = 'SELECT length, octet_length(payload) AS bytes, hex(payload) AS hex FROM "NAV-PVT" ORDER BY length';
  const asked = await skeinHere('sql', query, path, '--to', 'csv');
  expect(asked.stdout.trim().split(/\r?\n/)).toEqual(['length,bytes,hex', '0,0,', '2,2,0400', '3,3,010203']);
});
