import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Format } from '../../src/core/format.ts';
import { repaired, survey } from '../../src/export/repair.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { openInput } from '../../src/formats/open.ts';
import { SAMPLE, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { many } from '../helpers/long.ts';
import { corrupt } from '../suite/mutate.ts';
import { concat, Random } from '../suite/random.ts';

const folder = temporaryFolder();
const read = (path: string): Uint8Array => new Uint8Array(readFileSync(path));
const sample = (extension: string): Uint8Array => read(SAMPLE.replace(/BIN$/, extension));
const corpus = (format: string): Uint8Array[] => {
  const path = new URL(`../corpus/${format}/`, import.meta.url);
  return readdirSync(path)
    .filter((name) => !name.endsWith('.json'))
    .map((name) => new Uint8Array(readFileSync(new URL(name, path))));
};

/** Telemetry as it was sent: the frames of the sample without their times. */
const frames = concat(...tlogFrames(sample('tlog')));

function* tlogFrames(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 8; at < bytes.length; ) {
    const end =
      at + bytes[at + 1] + (bytes[at] === 0xfd ? 12 : 8) + (bytes[at] === 0xfd && bytes[at + 2] === 1 ? 13 : 0);
    yield bytes.subarray(at, end);
    at = end + 8;
  }
}

const KINDS: Readonly<Record<string, readonly Uint8Array[]>> = {
  dataflash: [sample('BIN'), ...corpus('dataflash')],
  'dataflash-text': corpus('dataflash-text'),
  tlog: [sample('tlog'), ...corpus('tlog')],
  mavlink: [frames, ...corpus('mavlink')],
  pcap: [sample('pcap'), ...corpus('pcap')],
  nmea: [sample('nmea'), ...corpus('nmea')],
  xbus: corpus('xbus'),
};
const MOST = 20_000;

describe('repaired logs', () => {
  for (const [kind, samples] of Object.entries(KINDS)) {
    const count = many(1_500, 60);
    test(`${kind}: ${count} damaged ones have all records again and no damage`, { timeout: 120_000 }, async () => {
      let [good, given] = [0, 0];
      for (let seed = 1; seed <= count; seed++) {
        const bytes = corrupt(new Random(seed), samples, MOST);
        const log = await openInput(bytes).catch(() => undefined);
        if (!log || log.records === 0) continue;
        const saved = await repaired(log.source, log.kind as Format);
        given++;
        if (!saved) continue;
        if (log.format !== 'pcap') expect(saved.records + saved.lost + saved.secrets, `seed ${seed}`).toBe(log.records);
        const again = await openInput(await saved.source.read(0, saved.source.size));
        // a few records may be too few to know what they are
        if (again.format !== log.format) continue;
        good++;
        if (log.format !== 'pcap')
          expect([again.records, again.faults.lostBytes], `seed ${seed}`).toEqual([saved.records, 0]);
        expect((await survey(again.source, again.kind as Format)).damaged, `seed ${seed}`).toEqual([]);
      }
      expect(given).toBeGreaterThan(count / 3);
      expect(good).toBeGreaterThan(0.9 * given);
    });
  }
});

describe('skein repair', () => {
  const hash = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
  const tlog = sample('tlog').subarray(0, 40_000);
  const put = (name: string, bytes: Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  const starts = [...recordStarts(tlog)];
  const damaged = concat(tlog.subarray(0, starts[50] + 3), new Uint8Array(300).fill(7), tlog.subarray(starts[60]));

  function* recordStarts(bytes: Uint8Array): Generator<number> {
    let at = 0;
    for (const frame of tlogFrames(bytes)) {
      yield at;
      at += 8 + frame.length;
    }
  }

  const CASES: readonly (readonly [name: string, bytes: Uint8Array, more: readonly string[], code: number])[] = [
    ['well', tlog.subarray(0, starts[100]), [], 0],
    ['a cut last record', tlog.subarray(0, starts[100] + 9), [], 0],
    ['a cut last record, strictly', tlog.subarray(0, starts[100] + 9), ['--strict'], 3],
    ['damage', damaged, [], 3],
    ['blank', new Uint8Array(5000), [], 1],
    ['empty', new Uint8Array(0), [], 1],
    ['no log', new TextEncoder().encode('a text of nobody '.repeat(50)), [], 1],
  ];
  for (const [i, [name, bytes, more, code]] of CASES.entries()) {
    test(`${name}: exit code ${code}, and the input stays`, async () => {
      const path = put(`in${i}.tlog`, bytes);
      const output = join(folder, `out${i}.tlog`);
      const before = hash(path);
      const run = await skeinHere('repair', path, '-o', output, '--json', ...more);
      expect([run.code, hash(path)]).toEqual([code, before]);
      expect(existsSync(output)).toBe(code !== 1);
      expect(readdirSync(folder).filter((each) => each.endsWith('.part'))).toEqual([]);
      if (code === 1) return;
      const { records } = JSON.parse(run.stdout) as { records: number };
      expect(records).toBe(code === 3 && more.length === 0 ? starts.length - 11 : 100);
      const info = JSON.parse((await skeinHere('info', '--json', '--strict', output)).stdout);
      expect(info).toMatchObject({ format: 'tlog', records, faults: { count: 0 } });
    });
  }

  test('writes over nothing without --force, never over its input, and needs a name', async () => {
    const path = put('in.tlog', damaged);
    const there = put('there.tlog', Uint8Array.of(1));
    expect((await skeinHere('repair', path, '-o', there)).code).toBe(1);
    expect(readFileSync(there)).toEqual(Buffer.of(1));
    expect((await skeinHere('repair', path, '-o', path, '--force')).code).toBe(1);
    expect(new Uint8Array(readFileSync(path))).toEqual(damaged);
    expect((await skeinHere('repair', path)).code).toBe(2);
    expect((await skeinHere('repair', path, '-o', join(folder, 'absent', 'x.tlog'))).code).toBe(1);
    expect((await skeinHere('repair', path, '-o', there, '--force')).code).toBe(3);
    expect(readFileSync(there).length).toBeGreaterThan(1000);
  });

  test('a frame with a signing key is not written again', async () => {
    const encoder = new Encoder(builtinDialect(), { system: 255, component: 190 });
    const secret = encoder.message('SETUP_SIGNING', { target_system: 1, secret_key: new Array(32).fill(0x5a) });
    const stamped = concat(tlog.subarray(0, 8), secret);
    const path = put(
      'secret.tlog',
      concat(tlog.subarray(0, starts[40]), stamped, tlog.subarray(starts[40], starts[80])),
    );
    const output = join(folder, 'kept.tlog');
    expect((await skeinHere('repair', path, '-o', output)).code).toBe(0);
    expect(new Uint8Array(readFileSync(output))).toEqual(tlog.slice(0, starts[80]));
  });
});
