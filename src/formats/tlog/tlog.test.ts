import { describe, expect, it } from 'vitest';
import { StreamWriter, stampBytes } from '../../../test/formats/mavlink/stream.ts';
import { decode, type Found, uncovered } from '../../../test/suite/found.ts';
import { openInput } from '../open.ts';
import { tlog } from './index.ts';

const HEARTBEAT = { id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50 };
const TIME = 1_700_000_000_000_000;
/** Of a record. */
const SIZE = 29;

function read(writer: StreamWriter): Found {
  const bytes = writer.bytes();
  const found = decode(tlog, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  return found;
}

/** Times of all records as a log gives them. */
async function timesOf(writer: StreamWriter): Promise<number[]> {
  const log = await openInput(writer.bytes(), { format: tlog });
  return [...((await log.table('HEARTBEAT')?.times()) ?? [])];
}

const log = (): StreamWriter => new StreamWriter(true, TIME);

describe('a telemetry log', () => {
  it('has the time before each frame as the beginning of its record', async () => {
    const writer = log().frame(HEARTBEAT).frame(HEARTBEAT);
    const found = read(writer);
    expect([found.offsets, found.sizes, found.faults]).toEqual([[0, SIZE], [SIZE, SIZE], []]);
    expect(await timesOf(writer)).toEqual([TIME, TIME + 1000]);
  });

  it('may have bytes in its times that could begin a frame', async () => {
    const times = [0x0006_fdfe_fdfe_fdfe, 0x0006_fdfe_fdfe_fdff, 0x0006_fdfe_fdfe_fe00];
    const writer = new StreamWriter(true);
    for (const time of times) writer.at(time).frame(HEARTBEAT);
    expect(read(writer).offsets).toEqual([0, SIZE, 2 * SIZE]);
    expect(await timesOf(writer)).toEqual(times);
  });

  it('may have frames without a time, which have that of their neighbour', async () => {
    const writer = log().frame(HEARTBEAT).bare(HEARTBEAT).frame(HEARTBEAT);
    const found = read(writer);
    expect([found.offsets, found.sizes]).toEqual([
      [0, 29, 50],
      [29, 21, 29],
    ]);
    expect(found.faults).toMatchObject([{ code: 'no-stamp', offset: 29, length: 0, lost: false }]);
    expect(await timesOf(writer)).toEqual([TIME, TIME, TIME + 1000]);
  });

  it('may have bytes before a frame that are no time', () => {
    const writer = log().frame(HEARTBEAT).raw([9, 9, 9, 9, 9, 9, 9, 9]).bare(HEARTBEAT).frame(HEARTBEAT);
    const found = read(writer);
    expect(found.offsets).toEqual([0, 37, 58]);
    expect(found.faults).toMatchObject([
      { code: 'bad-stamp', offset: 29, length: 8, lost: true },
      { code: 'no-stamp', offset: 37, length: 0 },
    ]);
  });

  it('finds a record behind damage with its time', () => {
    const writer = log().frame(HEARTBEAT).raw(stampBytes(TIME)).raw([0xfd, 9, 0, 0]).frame(HEARTBEAT);
    const found = read(writer);
    expect(found.offsets).toEqual([0, SIZE + 12]);
    expect(found.faults).toMatchObject([{ offset: SIZE, length: 12 }]);
  });

  it('believes no time behind damage that is far from the last one', () => {
    const writer = log()
      .frame(HEARTBEAT)
      .raw([1, 2, 3])
      .raw(stampBytes(TIME / 2))
      .bare(HEARTBEAT);
    const found = read(writer);
    expect(found.offsets).toEqual([0, SIZE + 11]);
    expect(found.faults.map(({ code }) => code)).toEqual(['garbage', 'no-stamp']);
  });

  it('may be torn anywhere', () => {
    for (let cut = 1; cut < SIZE; cut++) {
      const bytes = log()
        .frame(HEARTBEAT)
        .frame(HEARTBEAT)
        .bytes()
        .subarray(0, SIZE + cut);
      const found = decode(tlog, bytes);
      expect([found.count, found.faults.length], `${cut} bytes`).toEqual([1, 1]);
      expect(found.faults[0]).toMatchObject({ code: 'truncated', offset: SIZE, length: cut });
    }
  });

  it('says where its times jump', () => {
    const writer = log()
      .frame(HEARTBEAT)
      .at(TIME - 10e6)
      .frame(HEARTBEAT)
      .frame(HEARTBEAT);
    const found = read(writer.at(TIME + 2 * 86_400e6).frame(HEARTBEAT));
    expect(found.faults).toMatchObject([{ code: 'time-jump', offset: SIZE, length: 0, lost: false }]);
    expect(found.faults[0].text).toContain('2 frames');
  });

  it('may count from another time than 1970, and says so', async () => {
    const opened = await openInput(new StreamWriter(true, 47_333_000).frame(HEARTBEAT).bytes());
    expect(opened.clock).toMatchObject({ kind: 'tlog', utc: false });
  });
});
