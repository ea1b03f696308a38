// What the log of messages says of the sample flight is what the autopilot's own log says of it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Log } from '../../../src/core/log.ts';
import { writeTlog } from '../../../src/export/frames.ts';
import { factsOf } from '../../../src/facts/facts.ts';
import { distance } from '../../../src/geo/geodesy.ts';
import { readTrack } from '../../../src/geo/track.ts';
import { environmentKey, readKey } from '../../../src/node/key.ts';
import { openLog } from '../../../src/node/open.ts';
import { needShared, sharedData } from '../../helpers/need.ts';

const sample = (name: string): string => fileURLToPath(new URL(`../../../sample/${name}`, import.meta.url));
let tlog: Log;
let bin: Log;

beforeAll(async () => {
  tlog = await openLog(sample('copter-square.tlog'));
  bin = await openLog(sample('copter-square.BIN'));
});

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

describe('the sample flight, by radio and by its own log', () => {
  test('is of one vehicle and firmware', async () => {
    const [there, here] = [await factsOf(tlog).vehicle(), await factsOf(bin).vehicle()];
    expect(there.kind).toBe(here.kind);
    expect(there.firmware).toMatchObject({ name: 'ArduCopter', version: '4.8.0-dev', git: here.firmware?.git });
  });

  test('has the same modes at the same times', async () => {
    const there = await factsOf(tlog).modes();
    const here = await factsOf(bin).modes();
    expect(there.map(({ mode }) => mode)).toEqual(here.map(({ mode }) => mode));
    // heartbeats come once a second
    for (let i = 1; i < there.length; i++) expect(Math.abs(there[i].start - here[i].start)).toBeLessThan(1.5e6);
  });

  test('has the same parameters', async () => {
    const [there, here] = [await factsOf(tlog).parameters(), await factsOf(bin).parameters()];
    expect(there.size).toBeGreaterThan(1400);
    let equal = 0;
    for (const [name, { changes }] of there) {
      const values = here.get(name)?.changes.map(({ value }) => value) ?? [];
      if (changes.some(({ value }) => values.includes(value))) equal++;
    }
    // a few are counters that go on between the two
    expect(equal).toBeGreaterThan(there.size - 20);
  });

  test('has texts that both have', async () => {
    const here = new Set((await factsOf(bin).messages()).map(({ text }) => text));
    const there = (await factsOf(tlog).messages()).map(({ text }) => text);
    expect(there.filter((text) => here.has(text)).length).toBeGreaterThan(5);
  });

  test('is the same path', async () => {
    const [radio, log] = [await readTrack(tlog), await readTrack(bin, { source: 'POS' })];
    expect(radio.source).toBe('GLOBAL_POSITION_INT[1:1]');
    // stamps are those of who listened, so places are compared, not times
    let farthest = 0;
    for (let i = 0; i < radio.points; i++) {
      let nearest = Number.POSITIVE_INFINITY;
      for (let k = 0; k < log.points; k++) {
        const near = Math.abs(log.lat[k] - radio.lat[i]) < 1e-4 && Math.abs(log.lon[k] - radio.lon[i]) < 1e-4;
        if (near) nearest = Math.min(nearest, distance(radio.lat[i], radio.lon[i], log.lat[k], log.lon[k]));
      }
      farthest = Math.max(farthest, nearest);
    }
    // both are sampled ten times a second, at up to 10 m/s
    expect(farthest).toBeLessThan(1);
    expect(Math.max(...radio.alt) - Math.max(...log.alt)).toBeCloseTo(0, 0);
  });
});

describe('a telemetry log', () => {
  test('written from one is the same, byte for byte', async () => {
    expect((await bytesOf(writeTlog(tlog))).equals(readFileSync(sample('copter-square.tlog')))).toBe(true);
  });

  test('of one message and a stretch of time holds just that', async () => {
    const table = tlog.table('ATTITUDE') as NonNullable<ReturnType<Log['table']>>;
    const times = await table.times();
    const [from, to] = [times[100], times[200]];
    const part = await openLog(await bytesOf(writeTlog(tlog, { tables: new Set([table]), from, to })));
    expect(part.format).toBe('tlog');
    expect(part.records).toBe(times.filter((time) => time >= from && time < to).length);
    expect((await part.tables[0].times())[0]).toBe(from);
  });

  test('is not made of a log that has no frames', async () => {
    await expect(bytesOf(writeTlog(bin))).rejects.toThrow('a dataflash log has no MAVLink frames');
  });

  needShared(describe, 'flight')('of a bare stream', () => {
    test('has its frames, and the times of its clock', async () => {
      const raw = await openLog(sharedData('flight', 'copter-mavlink1.raw'));
      const made = await openLog(await bytesOf(writeTlog(raw)));
      expect(made.format).toBe('tlog');
      expect(made.records).toBe(raw.records);
      const [there, here] = [made.table('ATTITUDE'), raw.table('ATTITUDE')];
      expect(await there?.times()).toEqual(await here?.times());
    });

    test('never holds a signing key', async () => {
      const path = sharedData('flight', 'copter-signed.tlog');
      const signed = await openLog(path);
      expect(signed.table('SETUP_SIGNING')?.rows).toBeGreaterThan(0);
      const made = await openLog(await bytesOf(writeTlog(signed)));
      expect(made.table('SETUP_SIGNING')).toBeUndefined();
    });

    test('of PX4 has its name, version and modes', async () => {
      const px4 = await openLog(sharedData('flight', 'px4-quad.tlog'));
      const { kind, firmware } = await factsOf(px4).vehicle();
      expect({ kind, name: firmware?.name, version: firmware?.version }).toEqual({
        kind: 'Copter',
        name: 'PX4',
        version: '1.18.0-beta',
      });
      const modes = (await factsOf(px4).modes()).map(({ mode }) => mode);
      expect(modes).toEqual(expect.arrayContaining(['AUTO_TAKEOFF', 'AUTO_LOITER', 'AUTO_RTL']));
    });
  });
});

describe('a signing key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-key-'));
  const digits = 'ab'.repeat(32);
  afterAll(() => rmSync(folder, { recursive: true }));

  test('comes from a file that only its owner can read', () => {
    const path = join(folder, 'key');
    writeFileSync(path, `${digits}\n`, { mode: 0o600 });
    expect(readKey(path).signature(Uint8Array.of(1, 2, 3), 0, 3)).toHaveLength(6);
    writeFileSync(join(folder, 'open'), digits, { mode: 0o644 });
    expect(() => readKey(join(folder, 'open'))).toThrow(/is readable by others \(mode 644\)/);
  });

  test('comes from the environment, and is never in an error', () => {
    expect(environmentKey({})).toBeUndefined();
    const bytes = Uint8Array.of(1, 2, 3);
    const phrase = environmentKey({ SKEIN_SIGNING_PASSPHRASE: 'correct horse battery staple' });
    const key = environmentKey({ SKEIN_SIGNING_KEY: digits });
    expect(phrase?.signature(bytes, 0, 3)).not.toEqual(key?.signature(bytes, 0, 3));
    try {
      environmentKey({ SKEIN_SIGNING_KEY: `${digits}0` });
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('abab');
    }
  });
});
