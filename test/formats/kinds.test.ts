// What kind of file is it: every file of the shared data, and files that are not logs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { damageOf } from '../../src/core/fault.ts';
import { bytesSource } from '../../src/core/source.ts';
import { detectFormat, UnknownFormatError } from '../../src/formats/index.ts';
import { openInput } from '../../src/formats/open.ts';
import { pcap } from '../../src/formats/pcap/index.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { concat, Random } from '../suite/random.ts';

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function read(path: string): Uint8Array {
  const bytes = readFileSync(path);
  return new Uint8Array(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes);
}

/** The format that a file must have, by its first bytes and what READMEs, names and folders say; '' for none. */
function expected(path: string, bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  if (bytes.length === 0) return 'empty';
  // gpsd's answers repeat the sentences that they are about
  if (/\.chk(\.gz)?$/.test(path)) return /^[$!]/m.test(Buffer.from(bytes).toString('latin1')) ? 'nmea' : '';
  if (/\/ref\/|\/definitions\/|README|LICENSE|COPYING|\.(md|json|jsonl|tsv|golden|sha256|pck)$/.test(path)) return '';
  if (/\.ulo?g(\.gz)?$/.test(path)) return 'ulog';
  // magic numbers
  if (/^(a1b2c3d4|d4c3b2a1|a1b23c4d|4d3cb2a1|a1b2cd34|34cdb2a1|0a0d0d0a)/.test(head)) return 'pcap';
  // the made records of a capture without a file header
  if (/\/pcap\/strict\//.test(path)) return 'pcap';
  if (/\/(ubx|wild)\/.*(MIXED|c29722)/.test(path)) return 'mixed';
  if (/ublox-zed-f9(r|t-ubx_nmea_l5)\.log$/.test(path)) return 'mixed';
  if (/\.rtcm3$|rtcm3\.2|NTRIP|b2b669/.test(path)) return 'rtcm';
  if (/\/field\/ubx\/|b6b91d/.test(path)) return 'ubx';
  if (/corrupt\/zeros/.test(path)) return 'blank';
  if (/outputconfig\.bin$/.test(path)) return '';
  if (/\/xbus\//.test(path)) return 'xbus';
  if (/\/nmea\/|\.nmea$|AeroRust/.test(path)) return 'nmea';
  if (/dacabdi/.test(path)) return '';
  if (/\.tlog(\.gz)?$/.test(path)) return 'tlog';
  if (/\.(raw|mavlink)(\.gz)?$|\/mavlink\/.*\.bin$/.test(path)) return 'mavlink';
  if (/\.log$/.test(path)) return 'dataflash-text';
  if (/\.(bin|px4log)(\.gz)?$/i.test(path)) return 'dataflash';
  throw new Error(`${path}: nothing is known of it`);
}

async function kindOf(bytes: Uint8Array): Promise<string> {
  try {
    const found = await detectFormat(bytesSource(bytes));
    return found?.name ?? (bytes.length === 0 ? 'empty' : 'blank');
  } catch (error) {
    if (error instanceof UnknownFormatError) return '';
    throw error;
  }
}

for (const folder of ['data', 'field'] as const) {
  needShared(
    describe,
    '..',
    folder,
  )(`every file of ${folder}`, () => {
    test('is what it is known to be', async () => {
      const files = filesUnder(sharedData('..', folder));
      expect(files.length).toBeGreaterThan(100);
      const wrong: string[] = [];
      for (const path of files) {
        const bytes = read(path);
        const [kind, known] = [await kindOf(bytes), expected(path, bytes)];
        if (kind !== known) wrong.push(`${path}: ${kind || 'refused'}, known to be ${known || 'no log'}`);
      }
      expect(wrong).toEqual([]);
    }, 300_000);
  });
}

needShared(
  describe,
  '..',
  'field',
  'autopilot',
)('messages that carry a DataFlash log', () => {
  const folder = sharedData('..', 'field', 'autopilot');
  const captures = filesUnder(folder).filter((path) => path.endsWith('.pcapng'));

  /** The frames of a capture, one after the other in the order of time. */
  async function framesOf(path: string): Promise<Uint8Array[]> {
    const log = await openInput(read(path), { format: pcap });
    const places = log.tables.flatMap(({ offsets, rows }) => Array.from({ length: rows }, (_, row) => offsets.at(row)));
    const { data } = log;
    return Promise.all(
      places
        .sort((a, b) => a - b)
        .map(async (at) => {
          const head = await data.read(at, 3);
          return new Uint8Array(await data.read(at, 12 + head[1] + (head[2] & 1 ? 13 : 0)));
        }),
    );
  }

  const stamp = (k: number): Uint8Array => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(1_760_000_000_000_000 + k * 1000));
    return bytes;
  };

  test.each(captures.map((path) => [path.slice(folder.length + 1), path]))('%s as streams', async (_, path) => {
    const frames = await framesOf(path);
    expect(frames.length).toBeGreaterThan(100);
    const raw = concat(...frames);
    const tlog = concat(...frames.flatMap((frame, k) => [stamp(k), frame]));
    for (const [bytes, name] of [
      [raw, 'mavlink'],
      [tlog, 'tlog'],
    ] as const) {
      expect(await kindOf(bytes)).toBe(name);
      // from anywhere on, behind junk, behind a blank stretch, and in pieces that hold file transfer alone
      for (let part = 1; part < 8; part++)
        expect(await kindOf(bytes.slice(Math.floor((bytes.length * part) / 8) + part)), `part ${part}`).toBe(name);
      expect(await kindOf(concat(new Random(1).bytes(500), bytes))).toBe(name);
      expect(await kindOf(concat(new Uint8Array(200_000), bytes))).toBe(name);
      expect(await kindOf(concat(new Uint8Array(100_000).fill(0xff), bytes))).toBe(name);
    }
    const transfer = frames.filter((frame) => frame.length > 230);
    if (transfer.length > 20) {
      expect(await kindOf(concat(...transfer))).toBe('mavlink');
      expect(await kindOf(concat(...transfer.flatMap((frame, k) => [stamp(k), frame])))).toBe('tlog');
      // of a dialect that is not known: no checksum is right, and the headers still lead to each other
      const foreign = transfer.map((frame) => frame.map((byte, i) => (i >= frame.length - 2 ? byte ^ 0x55 : byte)));
      expect(await kindOf(concat(...foreign))).toBe('mavlink');
      expect(await kindOf(concat(...foreign.flatMap((frame, k) => [stamp(k), frame])))).toBe('tlog');
    }
  });

  test('the logs that were carried are logs', async () => {
    for (const path of filesUnder(folder).filter((each) => each.endsWith('.BIN')))
      expect(await kindOf(read(path))).toBe('dataflash');
  });
});

describe('blank stretches', () => {
  const good = text('$GPZDA,201530.00,04,07,2002,00,00*60\r\n'.repeat(20));

  test.each([
    ['zeros before', concat(new Uint8Array(900_000), good)],
    ['ones before', concat(new Uint8Array(900_000).fill(0xff), good)],
    ['zeros, then ones', concat(new Uint8Array(400_000), new Uint8Array(3_000_000).fill(0xff), good)],
    ['junk between zeros', concat(new Uint8Array(900_000), new Random(2).bytes(50), new Uint8Array(900_000), good)],
  ])('%s', async (_, bytes) => {
    const log = await openInput(bytes);
    expect([log.format, log.records]).toEqual(['nmea', 20]);
  });

  test.each([
    ['nmea', good],
    ['dataflash', read(SAMPLE)],
    ['tlog', read(SAMPLE.replace('.BIN', '.tlog'))],
  ])('before the first record and after the last one cost nothing: %s', async (format, bytes) => {
    const { records } = await openInput(bytes);
    for (const byte of [0, 0xff]) {
      const fill = new Uint8Array(4096).fill(byte);
      const before = await openInput(concat(fill, bytes));
      expect([before.format, before.records, damageOf(before)]).toEqual([
        format,
        records,
        damageOf(await openInput(bytes)),
      ]);
      expect(before.faults.kept[0]).toMatchObject({ code: 'blank', offset: 0, length: 4096, lost: false });
    }
    const half = bytes.length >> 1;
    const inside = await openInput(concat(bytes.subarray(0, half), new Uint8Array(4096), bytes.subarray(half)));
    expect(damageOf(inside)).toBe('lost');
  });

  test('are found in linear time', async () => {
    const bytes = new Uint8Array(64 << 20);
    bytes[bytes.length - 1] = 7;
    await expect(openInput(bytes)).rejects.toThrow(UnknownFormatError);
  }, 10_000);

  needShared(
    test,
    '..',
    'field',
    'wild',
  )('a telemetry log with the times of its messages', async () => {
    const bytes = read(sharedData('..', 'field', 'wild', 'muramura-5fda7c.tlog.gz'));
    const log = await openInput(bytes);
    expect([log.format, log.records, log.clock.utc]).toEqual(['tlog', 93, true]);
    const [heartbeat] = (await log.table('HEARTBEAT')?.times()) ?? [];
    expect(new Date(heartbeat / 1000).toISOString().slice(0, 10)).toBe('2020-05-31');
    const [blank] = log.faults.kept;
    expect(blank).toMatchObject({ code: 'blank', offset: 0, length: 880_642, lost: false });
    // the end of a frame whose beginning was never written
    expect(log.faults.lostBytes).toBe(12);
  });
});

/** A sentence and the same with a wrong checksum. */
const WRONG = '$GPGLL,4807.038,N,01131.000,E,123519,A*00\r\n'.repeat(30);

const utf16 = (content: string, isBig: boolean): Uint8Array => {
  const bytes = new Uint8Array(Buffer.from(content, 'utf16le'));
  return isBig ? new Uint8Array(Buffer.from(bytes).swap16()) : bytes;
};

describe('a file that is not a log is named, with what to do', () => {
  test.each<[string, Uint8Array, RegExp]>([
    [
      'a ULog with an unknown flag',
      concat(
        bytesOf('554c6f6701123501'),
        new Uint8Array(8),
        bytesOf('280042'),
        new Uint8Array(9),
        bytesOf('08'),
        new Uint8Array(30),
      ),
      /^PX4 ULog: not read, since bit 3 of byte 1 of the incompatible flags is set/,
    ],
    [
      'a ULog without its header',
      bytesOf('554c6f670112350100'),
      /^PX4 ULog: cut after 9 bytes; its header alone has 16/,
    ],
    [
      'an encrypted ULog',
      concat(text('ULogEnc'), bytesOf('01'), new Uint8Array(8), bytesOf('0402000118'), new Random(1).bytes(5000)),
      /^encrypted PX4 ULog \(\.ulge\): its key is wrapped by public key 2 of the vehicle/,
    ],
    ['MCAP', concat(bytesOf('894d434150300d0a'), new Random(1).bytes(5000)), /^MCAP recording: /],
    ['Parquet', concat(text('PAR1'), new Random(1).bytes(5000), text('PAR1')), /^Parquet table: .*DuckDB/],
    ['a ROS 1 bag', text(`#ROSBAG V2.0\n${'E\0\0\0\x0a\0\0\0'.repeat(99)}`), /^ROS 1 bag: /],
    [
      'a ROS 2 bag',
      text(`SQLite format 3\0${'\0'.repeat(3000)}CREATE TABLE messages(id)CREATE TABLE topics(id)${'\0'.repeat(900)}`),
      /^ROS 2 bag: /,
    ],
    ['another database', text(`SQLite format 3\0${'\0'.repeat(3000)}CREATE TABLE birds(id)`), /^SQLite database: /],
    ['7z', concat(bytesOf('377abcaf271c0004'), new Random(1).bytes(500)), /^7-Zip archive: unpack it first: 7z x/],
    ['bzip2', concat(text('BZh9'), bytesOf('314159265359'), new Random(1).bytes(500)), /^bzip2 file: unpack it first/],
    ['xz', concat(bytesOf('fd377a585a000004'), new Random(1).bytes(500)), /^xz file: unpack it first: unxz/],
    ['zstd', concat(bytesOf('28b52ffd'), new Random(1).bytes(500)), /^Zstandard file: unpack/],
    ['UTF-16 with a mark', concat(bytesOf('fffe'), utf16(WRONG, false)), /^UTF-16 text: .*iconv -f UTF-16 /],
    ['UTF-16LE', utf16('$GPGLL,4807.038,N\r\n'.repeat(9), false), /^UTF-16LE text: .*iconv -f UTF-16LE /],
    ['UTF-16BE', utf16('$GPGLL,4807.038,N\r\n'.repeat(9), true), /^UTF-16BE text: /],
    ['PNG', concat(bytesOf('89504e470d0a1a0a'), new Random(1).bytes(5000)), /^PNG image: not a log$/],
    ['JPEG', concat(bytesOf('ffd8ffe000104a464946'), new Random(1).bytes(5000)), /^JPEG image: not a log$/],
    ['PDF', text('%PDF-1.7\n%âãÏÓ\n1 0 obj'), /^PDF document: not a log$/],
    [
      'a parameter file',
      text('# saved\nACRO_YAW_P,4.5\nAHRS_EKF_TYPE,3\nANGLE_MAX,3000\n'),
      /^parameter file: .*skein params/,
    ],
    ['one of MAVProxy', text('ACRO_YAW_P       4.500000\nAHRS_EKF_TYPE    3.0\n'), /^parameter file: /],
    [
      'one of QGroundControl',
      text('# Onboard\n1\t1\tACRO_YAW_P\t4.5\t9\n1\t1\tANGLE_MAX\t3000\t4\n'),
      /^parameter file: /,
    ],
    [
      'JSON of mavlogdump',
      text('{"meta": {"type": "ATT", "timestamp": 1700000000.1}, "data": {"Roll": 1.5}}\n'.repeat(9)),
      /^JSON of mavlogdump\.py: open the log/,
    ],
    [
      'text of mavlogdump',
      text('2024-01-01 12:00:00.00: ATTITUDE {time_boot_ms : 1, roll : 0.1}\n'.repeat(9)),
      /^text of mavlogdump\.py: open the log/,
    ],
    ['KML', text('<?xml version="1.0"?>\n<kml xmlns="x"><Placemark/></kml>'), /^KML map: /],
    ['GPX', text('<?xml version="1.0"?>\n<gpx version="1.1"></gpx>'), /^GPX track: /],
    ['GeoJSON', text('{\n "type": "FeatureCollection", "features": []}'), /^GeoJSON map: /],
    ['other JSON', text('{"a": [1, 2]}'), /^JSON: not a log$/],
    ['CSV', text('time,lat,lon\n1,2,3\n2,3,4\n3,4,5\n'), /^CSV table: /],
    ['CSV with semicolons', text('time;lat;lon\n1,5;2;3\n2,5;3;4\n3,5;4;5\n'), /^CSV table with semicolons: /],
    ['CSV of two columns', text('time,lat\n1,2\n2,\n3,4\n4,5\n'), /^CSV table: /],
    ['CSV of words', text('name,what,who\na,b,c\nd,e,f\n'), /^CSV table: /],
    ['prose', text('Dear pilot, hello\nwe came, we saw\nit rained, again\nso long, then\n'), /^text: not a log; /],
    [
      'the end of a text log',
      text('1, 0.2\nATT, 11000, 0.1, 0.2\nGPS, 11200, 3, 1, 2\nMSG, 11300, Hello there\nATT, 12000, 0.1, 0.2\n'),
      /^text log of ArduPilot without its FMT lines: not read, /,
    ],
    ['NMEA with wrong checksums', text(WRONG), /^NMEA 0183 in which every checksum is wrong: /],
    ['a hex dump', text('24 47 50 47 4C 4C 2C 34 38 30 37\n'.repeat(9)), /^hex dump: .*bytes/],
    [
      'one of xxd',
      text('00000000: 2447 5047 4c4c 2c34  $GPGLL,4\n'.replace(/(\w\w)(\w\w) /g, '$1 $2 ').repeat(9)),
      /^hex dump/,
    ],
    ['plain digits', text('faff3662102002a9861060040314ed53\n'.repeat(9)), /^hex dump/],
    ['a web page', text('<!DOCTYPE html><html><body>404</body></html>'), /^web page: .*download/],
    [
      'a pointer of Git LFS',
      text('version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n'),
      /^Git LFS pointer: .*git lfs pull/,
    ],
    ['a mission', text('QGC WPL 110\n0\t1\t0\t16\t0\t0\t0\t0\t1\t2\t3\t1\n'), /^mission file: /],
    ['a blackbox log', text('H Product:Blackbox flight data recorder by Nicholas Sherlock\nH x:1\n'), /^Betaflight/],
    ['text', text('Dear reader,\nthis is not a log.\n'), /^text: not a log; it begins with "Dear reader,"$/],
    ['random bytes', new Random(7).bytes(9000), /^9000 bytes of unknown binary data: they begin with [0-9a-f]{32}$/],
  ])('%s', async (_, bytes, message) => {
    const refusal = await openInput(bytes).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnknownFormatError);
    expect((refusal as Error).message).toMatch(message);
    expect((refusal as Error).message.startsWith(`${(refusal as UnknownFormatError).kind}: `)).toBe(true);
    // the same inside of gzip
    await expect(openInput(new Uint8Array(gzipSync(bytes)))).rejects.toThrow((refusal as Error).message);
  });

  needShared(
    test,
    '..',
    'field',
    'wild',
  )('the hex dump of u-center', async () => {
    const bytes = read(sharedData('..', 'field', 'wild', 'dacabdi-791ce4.cap'));
    await expect(openInput(bytes)).rejects.toThrow(/^hex dump: /);
  });

  test('what is inside of such a file is not a log', async () => {
    const inside = text('$GPZDA,201530.00,04,07,2002,00,00*60\r\n'.repeat(200));
    for (const head of ['554c6f67456e6301', '894d434150300d0a', '504152310000', '89504e470d0a1a0a'])
      await expect(openInput(concat(bytesOf(head), inside))).rejects.toThrow(UnknownFormatError);
  });

  test('texts made to be hard take no longer than they are long', async () => {
    for (const piece of ['A', 'A ', '1 1 A ', '0x', 'ab ', '{"type":', '"at":1', ',', '<', '$GPGLL,', '1:1.', '*00'])
      await expect(openInput(text(piece.repeat(400_000)))).rejects.toThrow(UnknownFormatError);
  }, 20_000);

  test('an empty file and a blank one open, and say so', async () => {
    expect((await openInput(new Uint8Array(0))).format).toBe('empty');
    const blank = await openInput(new Uint8Array(5000));
    expect([blank.format, blank.faults.kept[0].text]).toEqual(['blank', 'file is blank: 5000 bytes of 0x00']);
  });
});
