// Logs in zip and tar archives, as Python's zipfile and tarfile, zip and tar write them, and archives made to be hostile.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { UnknownFormatError } from '../../src/core/format.ts';
import { bytesSource } from '../../src/core/source.ts';
import { readArchive } from '../../src/formats/archive.ts';
import { openInput } from '../../src/formats/open.ts';
import { SeveralLogsError } from '../../src/formats/unpack.ts';
import { openLog } from '../../src/node/open.ts';
import { skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needCommand } from '../helpers/need.ts';
import { concat, Random } from '../suite/random.ts';
import { sampleFile } from '../suite/sample.ts';
import { tar, zip } from './made-archive.ts';

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const nmea = text('$GPZDA,201530.00,04,07,2002,00,00*60\r\n'.repeat(300));
const tlog = sampleFile('copter-square.tlog').bytes.slice(0, 100_000);
const readme = text('Read me first.\n');

describe('an archive with one log is that log', () => {
  const files = [
    { name: 'flights/', bytes: new Uint8Array(0), method: 0 },
    { name: 'flights/read me.txt', bytes: readme },
    { name: 'flights/second.tlog', bytes: tlog },
    { name: '__MACOSX/flights/._second.tlog', bytes: tlog },
  ];
  const packed = { ...files[2], name: 'second.tlog.gz', bytes: new Uint8Array(gzipSync(tlog)) };

  test.each<[string, Uint8Array, string[]]>([
    ['zip', zip(files), ['zip']],
    ['zip, stored', zip(files.map((file) => ({ ...file, method: 0 }))), ['zip']],
    ['zip behind a program', zip(files, { before: new Random(1).bytes(777) }).subarray(0), ['zip']],
    ['zip with numbers of 64 bits', zip(files, { wide: true }), ['zip']],
    ['zip whose directory is lost', zip(files, { isCut: true }), ['zip']],
    ['zip of a gzip file', zip([packed]), ['zip', 'gzip']],
    ['tar', tar(files), ['tar']],
    ['tar.gz', new Uint8Array(gzipSync(tar(files))), ['gzip', 'tar']],
    ['tar of a gzip file', tar([packed]), ['tar', 'gzip']],
    ['gzip of a zip', new Uint8Array(gzipSync(zip(files))), ['gzip', 'zip']],
  ])('%s', async (name, bytes, layers) => {
    if (name.includes('behind')) {
      // what does not begin as an archive is not one
      await expect(openInput(bytes)).rejects.toThrow(UnknownFormatError);
      return;
    }
    const [log, plain] = [await openInput(bytes), await openInput(tlog)];
    expect([log.format, log.records, log.source.size]).toEqual(['tlog', plain.records, tlog.length]);
    expect(log.packing?.layers).toEqual(layers);
    expect(log.packing?.entry).toMatch(/second\.tlog/);
    expect(log.packedBytes).toBe(bytes.length);
    expect(log.faults.kept).toEqual(plain.faults.kept);
  });

  needCommand('python3', describe)('as Python writes it', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'b.nmea'), nmea);
    writeFileSync(join(folder, 'c.txt'), readme);
    const long = `${'folder with a long name/'.repeat(8)}b.nmea`;
    const script = `
import zipfile, tarfile, sys
for mode, name in ((zipfile.ZIP_DEFLATED, 'a.zip'), (zipfile.ZIP_STORED, 's.zip')):
    with zipfile.ZipFile(name, 'w', mode) as z:
        z.write('b.nmea', ${JSON.stringify(long)}); z.write('c.txt')
for mode, name, kind in (('w', 'g.tar', tarfile.GNU_FORMAT), ('w:gz', 'p.tgz', tarfile.PAX_FORMAT), ('w', 'u.tar', tarfile.USTAR_FORMAT)):
    with tarfile.open(name, mode, format=kind) as t:
        t.add('b.nmea', ${JSON.stringify(long)}); t.add('c.txt')
`;
    execFileSync('python3', ['-c', script], { cwd: folder });

    test.each(['a.zip', 's.zip', 'g.tar', 'p.tgz', 'u.tar'])('%s', async (name) => {
      const log = await openLog(join(folder, name));
      expect([log.format, log.records, log.packing?.entry]).toEqual(['nmea', 300, long]);
    });
  });
});

describe('an archive with several logs', () => {
  const bytes = zip([
    { name: 'a.tlog', bytes: tlog },
    { name: 'day 2/b.nmea', bytes: nmea },
    { name: 'c.txt', bytes: readme },
  ]);

  test('lists them, and one is named', async () => {
    const error = await openInput(bytes).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SeveralLogsError);
    expect((error as SeveralLogsError).logs).toEqual(['a.tlog', 'day 2/b.nmea']);
    expect((error as Error).message).toBe(
      'zip archive with 2 logs: choose one, as in FILE#a.tlog; it has a.tlog, day 2/b.nmea',
    );
    expect((await openInput(bytes, { entry: 'day 2/b.nmea' })).format).toBe('nmea');
    expect((await openInput(bytes, { entry: 'b.nmea' })).format).toBe('nmea');
    await expect(openInput(bytes, { entry: 'x' })).rejects.toThrow('zip archive without x: it has a.tlog');
    await expect(openInput(nmea, { entry: 'x' })).rejects.toThrow('x cannot be taken out of a file that is not');
  });

  test('on the command line', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'flights #1.zip');
    writeFileSync(path, bytes);
    const before = readdirSync(folder);
    const refused = await skeinHere('info', path);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('zip archive with 2 logs');
    const named = await skeinHere('info', '--json', `${path}#day 2/b.nmea`);
    expect(JSON.parse(named.stdout)).toMatchObject({
      ...{ format: 'nmea', records: 300, entry: 'day 2/b.nmea', packing: ['zip'] },
      ...{ size: bytes.length, unpackedSize: nmea.length },
    });
    expect(readdirSync(folder)).toEqual(before);
    const dumped = await skeinHere('dump', '--limit', '1', `${path}#a.tlog`);
    expect(dumped.stdout).toContain('"time":');
    const checked = await skeinHere('check', `${path}#a.tlog`);
    expect(checked.stderr).toContain('unpacked from zip, a.tlog');
  });

  test('is ingested by name, once', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'in'));
    const [many, one] = [join(folder, 'in', 'many.zip'), join(folder, 'in', 'one.zip')];
    writeFileSync(many, bytes);
    writeFileSync(one, zip([{ name: 'b.nmea', bytes: nmea }]));
    const lake = ['--lake', join(folder, 'lake')];
    const all = await skeinHere('ingest', join(folder, 'in'), ...lake, '--json');
    expect(all.stdout + all.stderr).toContain('zip archive with 2 logs');
    const named = await skeinHere('ingest', `${many}#a.tlog`, `${many}#day 2/b.nmea`, ...lake, '--json');
    const results = named.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { path?: string; status?: string })
      .filter(({ path }) => path?.includes('#'));
    // the second is the log of the other archive
    expect(Object.fromEntries(results.map(({ path, status }) => [path?.split('#')[1], status]))).toEqual({
      'a.tlog': 'ingested',
      'day 2/b.nmea': 'present',
    });
  }, 60_000);
});

describe('an archive without a log says what it has', () => {
  test.each<[string, Uint8Array, RegExp]>([
    [
      'one file',
      zip([{ name: 'x.bag', bytes: concat(text('#ROSBAG V2.0\n'), readme) }]),
      /^x\.bag in the archive: ROS 1 bag: not supported; export /,
    ],
    [
      'several',
      zip([
        { name: 'a.txt', bytes: readme },
        { name: 'b.param', bytes: text('A_B,1\nC_D,2\n') },
      ]),
      /^zip archive without a log: it has a\.txt \(text\), b\.param \(parameter file\)$/,
    ],
    [
      'a map',
      zip([
        { name: 'doc.kml', bytes: text('<kml></kml>') },
        { name: 'files/a.png', bytes: readme },
      ]),
      /^KMZ map: /,
    ],
    ['nothing', zip([]), /^zip archive: it is empty$/],
    [
      'an encrypted log',
      zip([{ name: 'a.tlog', bytes: tlog, flags: 1 }]),
      /^zip archive: a\.tlog is encrypted; unpack it first$/,
    ],
    [
      'another compression',
      zip([{ name: 'a.tlog', bytes: tlog, method: 14 }]),
      /a\.tlog is compressed by LZMA; unpack/,
    ],
    [
      'an archive',
      zip([{ name: 'b.zip', bytes: zip([{ name: 'a.tlog', bytes: tlog }]) }]),
      /^b\.zip in the archive: zip archive: unpack it first/,
    ],
    [
      'a tar file',
      zip([{ name: 'b.tar', bytes: tar([{ name: 'a.tlog', bytes: tlog }]) }]),
      /^b\.tar in the archive: tar archive: unpack it first/,
    ],
  ])('%s', async (_, bytes, message) => {
    const error = await openInput(bytes).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnknownFormatError);
    expect((error as Error).message).toMatch(message);
  });
});

describe('hostile archives', () => {
  test('names are only shown, never used as paths, and hold no control characters', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'evil.zip');
    const names = ['../../../etc/passwd', '/etc/shadow', 'C:\\x', 'a\u001b[31m\n.tlog', '\u202egolt'];
    writeFileSync(path, zip(names.map((name) => ({ name, bytes: tlog }))));
    const error = (await openLog(path).catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(SeveralLogsError);
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect((await openLog(`${path}#../../../etc/passwd`)).format).toBe('tlog');
    expect(readdirSync(folder)).toEqual(['evil.zip']);
  });

  test('a bomb is not unpacked any further than its limits', async () => {
    const bomb = new Uint8Array(deflateRawSync(new Uint8Array(256 << 20)));
    const log = await openInput(rewritten(bomb, 256 << 20));
    expect(log.source.size).toBeLessThan(128 << 20);
    expect(log.faults.byCode.has('bad-gzip')).toBe(true);
    // among others only its beginning is looked at
    const began = process.cpuUsage().user;
    await expect(openInput(rewritten(bomb, 256 << 20, 40))).rejects.toThrow('zip archive without a log');
    expect((process.cpuUsage().user - began) / 1e6).toBeLessThan(10);
  }, 60_000);

  test('a wrong checksum is a fault, and what came is kept', async () => {
    const log = await openInput(zip([{ name: 'a.nmea', bytes: nmea, sum: 1 }]));
    expect([log.format, log.records > 250, log.faults.byCode.has('bad-gzip')]).toEqual(['nmea', true, true]);
  });

  test('any damage is an answer or a sentence', async () => {
    const random = new Random(5);
    const wholes = [
      zip([
        { name: 'a.nmea', bytes: nmea },
        { name: 'b', bytes: readme },
      ]),
      tar([{ name: 'a.nmea', bytes: nmea }]),
    ];
    for (const whole of wholes)
      for (let run = 0; run < 150; run++) {
        const bytes = random.chance(0.5) ? whole.slice(0, random.below(whole.length)) : whole.slice();
        for (let n = random.below(4); n > 0 && bytes.length > 0; n--)
          bytes[random.below(bytes.length)] = random.below(256);
        const result = await openInput(bytes).catch((error: unknown) => error);
        if (!(result instanceof Error)) continue;
        expect(
          [UnknownFormatError, SeveralLogsError].some((kind) => result instanceof kind),
          result.message,
        ).toBe(true);
      }
  }, 60_000);

  test('a list without an end is cut', async () => {
    const many = zip(Array.from({ length: 6000 }, (_, k) => ({ name: `${k}`, bytes: readme, method: 0 })));
    expect((await readArchive(bytesSource(many)))?.entries.length).toBe(4096);
    const began = process.cpuUsage().user;
    await expect(openInput(many)).rejects.toThrow(/^zip archive without a log: it has .* and 54 more$/);
    expect((process.cpuUsage().user - began) / 1e6).toBeLessThan(10);
    // sizes that lead nowhere or in circles
    for (const size of [0o77777777777, 1, 511]) {
      const bytes = tar([{ name: 'a', bytes: readme, size }]);
      await expect(openInput(bytes)).rejects.toThrow(UnknownFormatError);
    }
  }, 60_000);
});

/** An archive whose files share the same deflated bytes. */
function rewritten(deflated: Uint8Array, size: number, count = 1): Uint8Array {
  const local = (name: string): Uint8Array => {
    const head = new DataView(new ArrayBuffer(30));
    head.setUint32(0, 0x04034b50, true);
    head.setUint16(8, 8, true);
    head.setUint32(18, deflated.length, true);
    head.setUint32(22, size, true);
    head.setUint16(26, name.length, true);
    return concat(new Uint8Array(head.buffer), text(name));
  };
  const first = local('0');
  const directory = Array.from({ length: count }, (_, k) => {
    const head = new DataView(new ArrayBuffer(46));
    head.setUint32(0, 0x02014b50, true);
    head.setUint16(10, 8, true);
    head.setUint32(20, deflated.length, true);
    head.setUint32(24, size, true);
    head.setUint16(28, String(k).length, true);
    return concat(new Uint8Array(head.buffer), text(String(k)));
  });
  const list = concat(...directory);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint32(12, list.length, true);
  end.setUint32(16, first.length + deflated.length, true);
  return concat(first, deflated, list, new Uint8Array(end.buffer));
}
