import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { gpsTime, MadeLog, micros } from '../../test/helpers/made-log.ts';
import { sampleFile } from '../../test/suite/sample.ts';
import { type LogRecord, readRecords } from '../core/records.ts';
import { type FollowOptions, followLog, type Growth } from './follow.ts';
import { openLog } from './open.ts';

const folder = temporaryFolder();
let count = 0;

/** A new file with this content. */
function fileOf(content: Uint8Array): string {
  const path = join(folder, `file-${count++}`);
  writeFileSync(path, content);
  return path;
}

/** Follows a file by hand: every call of `next` is one look at it. */
class Follower {
  private readonly stopper = new AbortController();
  private readonly growths: AsyncGenerator<Growth>;

  constructor(path: string, options: Omit<FollowOptions, 'signal'> = {}) {
    this.growths = followLog(path, { every: 1, signal: this.stopper.signal, ...options });
  }

  /** The growth that one more look finds. */
  async look(): Promise<Growth> {
    const { value, done } = await this.growths.next();
    if (done) throw new Error('the following has ended');
    return value as Growth;
  }

  /** The records that one more look finds. */
  async next(): Promise<LogRecord[]> {
    const { log, after } = await this.look();
    const records: LogRecord[] = [];
    for await (const record of readRecords(log, { after })) records.push(record);
    return records;
  }

  /** Ends it; what was undecided comes with the last look. */
  async stop(): Promise<LogRecord[]> {
    this.stopper.abort();
    const last = await this.next();
    expect(await this.growths.next()).toEqual({ value: undefined, done: true });
    return last;
  }
}

/** Records that can be compared with those of another log of the same bytes. */
const plain = (records: readonly LogRecord[]): unknown[] =>
  records.map(({ table, time, offset, data }) => ({ title: `${table.name}[${table.stream}]`, time, offset, data }));

describe('a file that grows', () => {
  test('gives every record once, in order, with the time that it has in the whole', async () => {
    const bytes = sampleFile('copter-square.BIN').bytes.slice(0, 700_000);
    const path = fileOf(bytes.subarray(0, 0));
    const follower = new Follower(path);
    const seen: LogRecord[] = [];
    // pieces that end within records, a single byte among them
    const cuts = [0, 1, 50, 89, 90, 20_000, 300_001, 300_002, 485_000, 485_141, 485_300, 600_000, bytes.length];
    for (let i = 1; i < cuts.length; i++) {
      appendFileSync(path, bytes.subarray(cuts[i - 1], cuts[i]));
      seen.push(...(await follower.next()));
    }
    seen.push(...(await follower.stop()));
    const whole: LogRecord[] = [];
    const log = await openLog(path);
    for await (const record of readRecords(log)) whole.push(record);
    expect(seen.map(({ offset }) => offset)).toEqual(whole.map(({ offset }) => offset));
    // the first GPS record with a week stands at 485141: before it, times count from boot
    const isLater = ({ offset }: LogRecord): boolean => offset >= 485_141;
    expect(plain(seen.filter(isLater))).toEqual(plain(whole.filter(isLater)));
    expect(seen.filter(isLater).length).toBeGreaterThan(1000);
  });

  test('the clock becomes UTC when the GPS week comes, for tables that come later as well', async () => {
    const noon = gpsTime('2020-03-01T12:00:00Z', 18);
    const made = new MadeLog()
      .define('GPS', 'QBIH', 'TimeUS,Status,GMS,GWk')
      .define('ATT', 'QB', 'TimeUS,Roll')
      .define('EV', 'QB', 'TimeUS,Id')
      .define('NOTE', 'B', 'Id');
    made.add('ATT', 1_000_000, 1).add('GPS', 1_500_000, 1, 0, 0).add('ATT', 2_000_000, 2);
    const parts = [made.length];
    made
      .add('GPS', 3_000_000, 3, noon.millis, noon.week)
      .add('ATT', 4_000_000, 3)
      .add('NOTE', 1)
      .add('ATT', 5_000_000, 4);
    parts.push(made.length);
    made.add('EV', 6_000_000, 10).add('NOTE', 2).add('EV', 7_000_000, 11);
    const bytes = made.bytes();
    const path = fileOf(bytes.subarray(0, parts[0]));
    const follower = new Follower(path);
    const timesOf = (records: readonly LogRecord[], name: string): number[] =>
      records.filter(({ table }) => table.name === name).map(({ time }) => time);
    const first = await follower.next();
    // the last one is given out when something follows it
    expect(timesOf(first, 'ATT')).toEqual([1_000_000]);
    appendFileSync(path, bytes.subarray(parts[0], parts[1]));
    const second = await follower.next();
    const start = micros('2020-03-01T12:00:00Z') - 3_000_000;
    expect(timesOf(second, 'ATT')).toEqual([start + 2_000_000, start + 4_000_000]);
    expect(timesOf(second, 'NOTE')).toEqual([start + 4_000_000]);
    appendFileSync(path, bytes.subarray(parts[1]));
    const rest = [...(await follower.next()), ...(await follower.stop())];
    expect(timesOf(rest, 'EV')).toEqual([start + 6_000_000, start + 7_000_000]);
    expect(timesOf(rest, 'NOTE')).toEqual([start + 6_000_000]);
  });

  test('what does not grow gives nothing new', async () => {
    const follower = new Follower(fileOf(new MadeLog().define('A', 'B', 'Id').add('A', 1).add('A', 2).bytes()));
    // two definitions and the first record; the second one may still be followed by something else
    expect(await follower.next()).toHaveLength(3);
    expect(await follower.next()).toEqual([]);
    expect((await follower.stop()).map(({ data }) => ({ ...data }))).toEqual([{ Id: 2 }]);
  });

  test('leap seconds are those that were asked for', async () => {
    const noon = gpsTime('2014-03-01T12:00:00Z', 16);
    const made = new MadeLog().define('GPS', 'QBIH', 'TimeUS,Status,GMS,GWk').add('GPS', 1, 3, noon.millis, noon.week);
    const follower = new Follower(fileOf(made.bytes()), { leapSeconds: 18 });
    const records = [...(await follower.next()), ...(await follower.stop())];
    expect(records.at(-1)?.time).toBe(micros('2014-03-01T12:00:00Z') - 2_000_000);
  });
});

describe('a file that is not yet a log', () => {
  test('is waited for as long as it is empty or too short to tell', async () => {
    const bytes = new MadeLog().define('A', 'B', 'Id').add('A', 1).add('A', 2).bytes();
    const path = fileOf(new Uint8Array(0));
    const follower = new Follower(path);
    expect((await follower.look()).log).toMatchObject({ format: 'empty', tables: [] });
    appendFileSync(path, bytes.subarray(0, 2));
    expect((await follower.look()).log.format).toBe('empty');
    appendFileSync(path, bytes.subarray(2));
    const records = [...(await follower.next()), ...(await follower.stop())];
    expect(records.map(({ table }) => table.name)).toEqual(['FMT', 'FMT', 'A', 'A']);
  });

  test('one that is not there is an error', async () => {
    await expect(new Follower(join(folder, 'nothing')).look()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the end', () => {
  test('a record that is cut when it is stopped is a fault', async () => {
    const bytes = new MadeLog().define('A', 'Q', 'TimeUS').add('A', 1).add('A', 2).bytes();
    const stopper = new AbortController();
    const seen: Growth[] = [];
    for await (const growth of followLog(fileOf(bytes.subarray(0, -3)), { every: 1, signal: stopper.signal })) {
      seen.push(growth);
      stopper.abort();
    }
    // one look, and the last one after the stop
    expect(seen).toHaveLength(2);
    expect(seen[1].log.faults.kept).toMatchObject([{ code: 'truncated', length: 8, lost: true }]);
  });

  test('comes at once when it is stopped, however long it would sleep', async () => {
    const stopper = new AbortController();
    const path = fileOf(new MadeLog().bytes());
    const began = performance.now();
    setTimeout(() => stopper.abort(), 20);
    for await (const growth of followLog(path, { every: 60_000, signal: stopper.signal })) expect(growth).toBeDefined();
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('a file that was cut is an error, not the same log', async () => {
    const path = fileOf(new MadeLog().define('A', 'B', 'Id').add('A', 1).bytes());
    const follower = new Follower(path);
    await follower.next();
    const { length } = readFileSync(path);
    truncateSync(path, 100);
    const expected = `${path} has 100 bytes, fewer than the ${length} that were read: truncated or replaced`;
    await expect(follower.look()).rejects.toThrow(expected);
  });

  test('a file that takes the place of another is not read on as if it were the same', async () => {
    const made = new MadeLog().define('A', 'B', 'Id').add('A', 1).add('A', 2);
    const path = fileOf(made.bytes());
    const follower = new Follower(path, { every: 1100 });
    await follower.next();
    renameSync(fileOf(made.add('A', 3).add('A', 4).bytes()), path);
    // it sleeps for longer than an unused file stays open
    await expect(follower.look()).rejects.toThrow('was replaced while it was read');
  });
});
