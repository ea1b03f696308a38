import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { Random } from '../../test/suite/random.ts';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { Header } from '../formats/mavlink/header.ts';
import { Lake } from '../lake/lake.ts';
import { FolderTakenError } from '../node/folder-lock.ts';
import { Archive, ArchiveTakenError } from './archive.ts';
import { BatchBuilder, newRun, withFloor } from './batch.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';
import type { BusMessage } from './reader.ts';
import { liveSubject } from './subject.ts';

const root = temporaryFolder();
const dialect = builtinDialect();
const START = 1.79e15;
let lakes = 0;
const newLake = (): Lake => new Lake(join(root, `lake-${lakes++}`));

interface Made {
  readonly value: number;
  readonly collector?: string;
  readonly link?: string;
  readonly number?: number;
  readonly floor?: number;
  readonly time?: number;
  /** A heartbeat that says whether it is armed, before the value. */
  readonly armed?: boolean;
  readonly uid?: number;
  /** The first byte of the collector's id. */
  readonly id?: number;
  readonly lost?: number;
}

/** A message of the stream with a value in it. */
function message(seq: number, made: Made): BusMessage {
  const {
    value,
    collector = 'base',
    link = 'l',
    number = value,
    time = START + value,
    armed,
    uid,
    id = 1,
    lost,
  } = made;
  const encoder = new Encoder(dialect, { system: 1, component: 1 });
  const builder = new BatchBuilder(newRun(new Uint8Array(8).fill(id), 1, 0), link, 1, '');
  const frames = [encoder.message('NAMED_VALUE_INT', { name: 'n', value })];
  if (armed !== undefined)
    frames.unshift(
      encoder.message('HEARTBEAT', { type: 2, autopilot: 3, base_mode: armed ? 129 : 1, system_status: 4 }),
    );
  if (uid !== undefined) frames.unshift(encoder.message('AUTOPILOT_VERSION', { uid }));
  for (const frame of frames) builder.add(time, frame, 0, frame.length);
  const data = withFloor(builder.take(number), made.floor ?? number, lost);
  return { seq, subject: liveSubject(collector, 1, ''), data };
}

/** The values in all recordings, one after the other in the order of their files. */
function valuesIn(lake: Lake): number[] {
  const folder = join(lake.root, '_archive', 'recordings');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tlog'));
  const count = (name: string): number => Number(/-(\d+)-\d+\.tlog$/.exec(name)?.[1]);
  const header = new Header();
  const values: number[] = [];
  for (const name of names.sort((a, b) => count(a) - count(b))) {
    const bytes = readFileSync(join(folder, name));
    for (let at = 8; at < bytes.length; at = header.end + 8) {
      if (!header.read(bytes, at)) throw new Error(`${name}: no frame at ${at}`);
      if (header.id === 252) values.push(bytes.readInt32LE(header.payload + 4));
    }
  }
  return values;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
const quiet = (): void => undefined;

describe('an archive', () => {
  test('killed at any moment has each message once when it goes on', { timeout: 600_000 }, async () => {
    const random = new Random(5);
    const messages: BusMessage[] = upTo(40).map((value) =>
      // every tenth comes behind its successors, and some come twice
      message(value, { value, floor: Math.max(1, value - 3), armed: value % 9 < 5, time: START + value * 3e6 }),
    );
    const stream = messages.flatMap((each, i) =>
      i % 10 === 4 ? [] : i % 10 === 6 ? [each, messages[i - 2], each] : [each],
    );
    const numbered = stream.map((each, i) => ({ ...each, seq: i + 1 }));
    const one = message(1, { value: 99, link: '' }).data;
    // behind the head: a time and a frame
    const stray = one.subarray(59);
    for (let round = 0; round < 12; round++) {
      let lake = newLake();
      for (let runs = 0; ; runs++) {
        const archive = await Archive.open(lake, quiet);
        const from = archive.position('made', Number.MAX_SAFE_INTEGER);
        const end = runs > 4 ? numbered.length : Math.min(numbered.length, from + 1 + random.below(20));
        for (const each of numbered.slice(from, end)) {
          archive.add(each);
          if (random.below(3) === 0) await archive.commit();
        }
        if (end === numbered.length) {
          archive.endSilent(true);
          await archive.commit();
          await archive.close();
          break;
        }
        // a kill: what was not committed is half in the files, or in files that nobody knows
        const next = newLake();
        cpSync(lake.root, next.root, { recursive: true });
        rmSync(join(next.root, '_archive', 'lock'));
        const recordings = join(next.root, '_archive', 'recordings', 'base');
        const state = JSON.parse(readFileSync(join(next.root, '_archive', 'state.json'), 'utf8'));
        for (const { path } of state.open) appendFileSync(join(recordings, '..', path), 'half a frame');
        mkdirSync(recordings, { recursive: true });
        writeFileSync(join(recordings, `20260921T000000-${state.files + 1}-1.tlog`), stray);
        await archive.close();
        lake = next;
      }
      expect(valuesIn(lake)).toEqual(upTo(40));
    }
  });

  test('ends a recording after the vehicle was disarmed, was silent, or its clock was set, under the name of its board', async () => {
    const lake = newLake();
    const archive = await Archive.open(lake, quiet);
    const made: Made[] = [
      { value: 1, time: START, armed: true },
      { value: 2, time: START + 60e6, armed: false, uid: 0xabc },
      { value: 3, time: START + 65e6 },
      { value: 4, time: START + 75e6 },
      { value: 5, time: START + 400e6 },
      { value: 6, time: 5 },
    ];
    for (const [i, each] of made.entries()) archive.add(message(i + 1, each));
    await archive.commit();
    expect(archive.complete.map(({ vehicle }) => vehicle)).toEqual(Array(3).fill('0000000000000abc'));
    const values = archive.complete.map(({ file }) => readFileSync(file).length);
    expect(values[0]).toBeGreaterThan(values[1]);
    for (const { path } of archive.complete) archive.done(path);
    await archive.commit();
    await archive.close();
    // the board is remembered over a restart, and where it is not told again
    const again = await Archive.open(lake, quiet);
    expect(again.complete).toEqual([]);
    again.endSilent(true);
    await again.commit();
    expect(again.complete.map(({ vehicle }) => vehicle)).toEqual(['0000000000000abc']);
    await again.close();
    expect(valuesIn(lake)).toEqual(upTo(6));
  });

  test('takes so many links of a collector, and no path from its name', async () => {
    const lake = newLake();
    const faults: string[] = [];
    const archive = await Archive.open(lake, (fault) => faults.push(fault));
    upTo(BUS_LIVE_LIMITS.links + 5).forEach((value) => {
      archive.add(message(value, { value, link: value === 1 ? '../../evil' : `l${value}`, collector: '__proto__' }));
    });
    await archive.commit();
    expect(faults).toHaveLength(5);
    expect(faults[0]).toContain(`more than ${BUS_LIVE_LIMITS.links} links`);
    expect(valuesIn(lake)).toEqual(upTo(BUS_LIVE_LIMITS.links));
    expect(readdirSync(join(lake.root, '_archive', 'recordings'))).toEqual(['__proto__']);
    await archive.close();
  });

  test('frees the place of a link when its recording ends', async () => {
    const archive = await Archive.open(newLake(), quiet);
    const links = BUS_LIVE_LIMITS.links;
    for (const value of upTo(links)) archive.add(message(value, { value, link: `l${value}` }));
    archive.add(message(links + 1, { value: links + 1, link: 'one more' }));
    expect(archive.faults).toBe(1);
    archive.endSilent(true);
    archive.add(message(links + 2, { value: links + 2, link: 'one more' }));
    expect([archive.faults, archive.frames]).toEqual([1, links + 1]);
    await archive.close();
  });

  test('keeps two collectors with one name apart, says so, and knows them after a restart', async () => {
    const lake = newLake();
    const told: string[] = [];
    const send = (archive: Archive, from: number, to: number): void => {
      for (let number = from; number <= to; number++)
        for (const id of [1, 2]) archive.add(message(2 * number + id, { value: number * 10 + id, number, id }));
    };
    const first = await Archive.open(lake, (sentence) => told.push(sentence));
    send(first, 1, 3);
    await first.commit();
    await first.close();
    expect(told).toEqual([expect.stringContaining('two collectors are called base')]);
    const again = await Archive.open(lake, quiet);
    send(again, 3, 5);
    again.endSilent(true);
    await again.commit();
    expect([again.frames, again.counts.duplicates, again.counts.conflicts, again.counts.missing]).toEqual([4, 2, 1, 0]);
    const vehicles = again.complete.map(({ vehicle }) => vehicle);
    expect(vehicles.sort()).toEqual(['base-system-1', 'base.02020202-system-1']);
    expect(valuesIn(lake)).toEqual([11, 21, 31, 41, 51, 12, 22, 32, 42, 52]);
    await again.close();
  });

  test('of an earlier version that had nothing of a run yet opens, and again after it was written', async () => {
    const lake = newLake();
    const first = await Archive.open(lake, quiet);
    await first.commit();
    await first.close();
    const path = join(lake.root, '_archive', 'state.json');
    for (const next of [0, 1, 3]) {
      const state = JSON.parse(readFileSync(path, 'utf8')) as object;
      writeFileSync(path, JSON.stringify({ ...state, places: { base: { run: next } } }));
      for (let turn = 0; turn < 2; turn++) {
        const told: string[] = [];
        await (await Archive.open(lake, (fault) => told.push(fault))).close();
        expect([next, turn, told]).toEqual([next, turn, []]);
      }
    }
  });

  test('counts what collectors say they lost, once', async () => {
    const lake = newLake();
    const archive = await Archive.open(lake, quiet);
    for (const lost of [0, 5, 5]) archive.add(message(lost + 1, { value: lost + 1, lost }));
    await archive.commit();
    await archive.close();
    expect(archive.counts.lost).toBe(5);
    const again = await Archive.open(lake, quiet);
    again.add(message(9, { value: 9, lost: 6 }));
    expect(again.counts.lost).toBe(1);
    await again.close();
  });

  test('begins anew with a stream that was made anew, and knows what it has', async () => {
    const lake = newLake();
    const archive = await Archive.open(lake, quiet);
    expect(archive.position('first', 105)).toBe(0);
    for (const value of upTo(5)) archive.add(message(value + 100, { value }));
    await archive.commit();
    expect(archive.position('first', 105)).toBe(0);
    // whoever made it anew put the same messages there
    expect(archive.position('second', 7)).toBe(0);
    for (const value of upTo(7)) archive.add(message(value, { value }));
    await archive.commit();
    expect(archive.counts.duplicates).toBe(5);
    await archive.close();
    expect(valuesIn(lake)).toEqual(upTo(7));
  });

  test('is one for a lake: a second is refused, and one on another machine ends the first', async () => {
    const lake = newLake();
    const archive = await Archive.open(lake, quiet);
    await expect(Archive.open(lake, quiet)).rejects.toThrow(FolderTakenError);
    archive.add(message(1, { value: 1 }));
    await archive.commit();
    const path = join(lake.root, '_archive', 'state.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), owner: 'another' }));
    archive.add(message(2, { value: 2 }));
    await expect(archive.commit()).rejects.toThrow(ArchiveTakenError);
    await archive.close();
    expect(valuesIn(lake)).toEqual([1]);
  });

  test('loses one recording that was cut, removed or replaced by a link, and no other', async () => {
    for (const harm of ['cut', 'removed', 'link'] as const) {
      const lake = newLake();
      const archive = await Archive.open(lake, quiet);
      archive.add(message(1, { value: 1, collector: 'one' }));
      archive.add(message(2, { value: 2, collector: 'two', number: 1 }));
      await archive.commit();
      await archive.close();
      const folder = join(lake.root, '_archive', 'recordings', 'one');
      const file = join(folder, readdirSync(folder)[0]);
      const victim = join(root, `victim-${harm}`);
      writeFileSync(victim, 'x'.repeat(500));
      if (harm === 'cut') truncateSync(file, 10);
      else rmSync(file);
      if (harm === 'link') symlinkSync(victim, file);
      const told: string[] = [];
      const again = await Archive.open(lake, (fault) => told.push(fault));
      expect([again.broken, told]).toEqual([1, [expect.stringMatching(/^recording one\//)]]);
      again.add(message(3, { value: 3, collector: 'two', number: 2 }));
      again.endSilent(true);
      await again.commit();
      expect(again.complete.map(({ vehicle }) => vehicle)).toContain('two-system-1');
      await again.close();
      expect(readFileSync(victim, 'utf8')).toHaveLength(500);
    }
  });

  test('goes on where the stream ends if that has fewer messages than there were', async () => {
    const archive = await Archive.open(newLake(), quiet);
    archive.add(message(90_000, { value: 1 }));
    await archive.commit();
    archive.position('', 90_000);
    expect([archive.latest, archive.position('', 50_000)]).toEqual([90_000, 50_000 - BUS_LIVE_LIMITS.overlap]);
    await archive.close();
  });

  test('removes what was not committed, and follows no link for it', async () => {
    const lake = newLake();
    const archive = await Archive.open(lake, quiet);
    archive.add(message(1, { value: 1, collector: 'one' }));
    await archive.commit();
    await archive.close();
    const folder = join(lake.root, '_archive', 'recordings');
    const name = '20260101T000000-99999-1.tlog';
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    for (const path of [join(folder, 'one', name), join(elsewhere, name)]) writeFileSync(path, 'x');
    symlinkSync(elsewhere, join(folder, 'linked'));
    mkdirSync(join(folder, 'one', `folder-${name}`));
    mkdirSync(join(folder, `folder-${name}`));
    await (await Archive.open(lake, quiet)).close();
    expect(readdirSync(elsewhere)).toEqual([name]);
    expect(readdirSync(join(folder, 'one'))).not.toContain(name);
    expect(readdirSync(join(folder, 'one'))).toHaveLength(2);
  });

  test.each<[string, (state: { open: object[]; closed: object[] }) => unknown]>([
    ['not JSON', () => undefined],
    [
      'a path out of the lake',
      (state) => ({ ...state, open: [{ ...state.open[0], path: '../../../victim.txt', bytes: 0 }] }),
    ],
    ['an absolute path', (state) => ({ ...state, closed: [{ path: '/etc/passwd', bytes: 0, vehicle: 'a' }] })],
    ['a negative length', (state) => ({ ...state, open: [{ ...state.open[0], bytes: -1 }] })],
    ['no host', (state) => ({ ...state, host: 1 })],
    ['places that are none', (state) => ({ ...state, places: { a: { r: '1' } } })],
    ['places below each other', (state) => ({ ...state, places: { a: { r: { delivered: [5, 2], lost: 0 } } } })],
    ['more files than have names', (state) => ({ ...state, files: 2 ** 53 - 1 })],
    ['names that are none', (state) => ({ ...state, names: { a: 1 } })],
    ['null in a list', (state) => ({ ...state, closed: [null] })],
  ])('puts a state aside that has %s, touches nothing, and goes on', async (_, change) => {
    const lake = newLake();
    const archive = await Archive.open(lake, quiet);
    archive.add(message(1, { value: 1 }));
    await archive.commit();
    await archive.close();
    const victim = join(root, 'victim.txt');
    writeFileSync(victim, 'precious');
    const path = join(lake.root, '_archive', 'state.json');
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))) ?? '{"owner":1');
    const told: string[] = [];
    const again = await Archive.open(lake, (fault) => told.push(fault));
    expect(told).toEqual([expect.stringContaining('is not the state of an archive: renamed')]);
    again.add(message(2, { value: 2, number: 1 }));
    await again.commit();
    await again.close();
    expect(valuesIn(lake)).toEqual([1, 2]);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readdirSync(join(lake.root, '_archive')).filter((name) => name.includes('.broken-'))).toHaveLength(1);
  });
});
