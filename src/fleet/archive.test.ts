import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/folder.ts';
import { Random } from '../../test/suite/random.ts';
import { BUS_LIVE_LIMITS } from '../core/bus-live-limits.ts';
import { builtinDialect } from '../formats/mavlink/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { Header } from '../formats/mavlink/header.ts';
import { BatchBuilder, newRun, withFloor } from '../live/bus-batch.ts';
import { liveSubject } from '../live/bus-subject.ts';
import type { BusMessage } from '../node/bus-reader.ts';
import { FolderTakenError } from '../node/folder-lock.ts';
import { Archive, ArchiveTakenError } from './archive.ts';
import { Lake } from './lake.ts';

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
}

/** A message of the stream with a value in it. */
function message(seq: number, made: Made): BusMessage {
  const { value, collector = 'base', link = 'l', number = value, time = START + value, armed, uid } = made;
  const encoder = new Encoder(dialect, { system: 1, component: 1 });
  const builder = new BatchBuilder(newRun(1.79e12, 0), link, 1, '');
  const frames = [encoder.message('NAMED_VALUE_INT', { name: 'n', value })];
  if (armed !== undefined)
    frames.unshift(
      encoder.message('HEARTBEAT', { type: 2, autopilot: 3, base_mode: armed ? 129 : 1, system_status: 4 }),
    );
  if (uid !== undefined) frames.unshift(encoder.message('AUTOPILOT_VERSION', { uid }));
  for (const frame of frames) builder.add(time, frame, 0, frame.length);
  const data = withFloor(builder.take(number), made.floor ?? number);
  return { seq, subject: liveSubject(collector, 1, ''), data, pending: 0 };
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
  test('killed at any moment has each message once when it goes on', async () => {
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
    const stray = one.subarray(31);
    for (let round = 0; round < 12; round++) {
      let lake = newLake();
      for (let runs = 0; ; runs++) {
        const archive = await Archive.open(lake, quiet);
        const from = archive.position('made');
        const end = runs > 4 ? numbered.length : Math.min(numbered.length, from + 1 + random.below(20));
        for (const each of numbered.slice(from, end)) {
          archive.take(each);
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
    for (const [i, each] of made.entries()) archive.take(message(i + 1, each));
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
      archive.take(message(value, { value, link: value === 1 ? '../../evil' : `l${value}`, collector: '__proto__' }));
    });
    await archive.commit();
    expect(faults).toHaveLength(5);
    expect(faults[0]).toContain(`more than ${BUS_LIVE_LIMITS.links} links`);
    expect(valuesIn(lake)).toEqual(upTo(BUS_LIVE_LIMITS.links));
    expect(readdirSync(join(lake.root, '_archive', 'recordings'))).toEqual(['__proto__']);
    await archive.close();
  });

  test('begins anew with a stream that was made anew, and knows what it has', async () => {
    const lake = newLake();
    const archive = await Archive.open(lake, quiet);
    expect(archive.position('first')).toBe(0);
    for (const value of upTo(5)) archive.take(message(value + 100, { value }));
    await archive.commit();
    expect(archive.position('first')).toBe(0);
    // whoever made it anew put the same messages there
    expect(archive.position('second')).toBe(0);
    for (const value of upTo(7)) archive.take(message(value, { value }));
    await archive.commit();
    expect(archive.duplicates).toBe(5);
    await archive.close();
    expect(valuesIn(lake)).toEqual(upTo(7));
  });

  test('is one for a lake: a second is refused, and one on another machine ends the first', async () => {
    const lake = newLake();
    const archive = await Archive.open(lake, quiet);
    await expect(Archive.open(lake, quiet)).rejects.toThrow(FolderTakenError);
    archive.take(message(1, { value: 1 }));
    await archive.commit();
    const path = join(lake.root, '_archive', 'state.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), owner: 'another' }));
    archive.take(message(2, { value: 2 }));
    await expect(archive.commit()).rejects.toThrow(ArchiveTakenError);
    await archive.close();
    expect(valuesIn(lake)).toEqual([1]);
    writeFileSync(path, '{"owner":1');
    await expect(Archive.open(lake, quiet)).rejects.toThrow('is not the state of an archive');
  });
});
