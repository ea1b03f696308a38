import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLog } from '../../../src/entry/browser.ts';
import { SAMPLE } from '../../../test/helpers/cli.ts';
import { ArrivingSource } from './input.ts';

const bytes = new Uint8Array(readFileSync(SAMPLE)).slice(0, 1_000_000);

/** A stream that brings pieces of its own memory, each a moment after the one before. */
function streamOf(pieces: readonly Uint8Array[], ending?: Error): ReadableStream<Uint8Array<ArrayBuffer>> {
  const left = pieces.map((piece) => piece.slice());
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      const piece = left.shift();
      if (piece) controller.enqueue(piece);
      else if (ending) controller.error(ending);
      else controller.close();
    },
  });
}

function pieces(size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, k) => bytes.slice(k * size, (k + 1) * size));
}

test.each([999, 65_536, bytes.length])('a log is read while pieces of %d bytes arrive', async (size) => {
  const told: number[] = [];
  const source = new ArrivingSource(streamOf(pieces(size)), bytes.length, (done) => told.push(done));
  const log = await openLog(source);
  const whole = await openLog(bytes);
  expect([log.records, log.faults.count]).toEqual([whole.records, whole.faults.count]);
  expect(Buffer.compare(await source.read(0, bytes.length), bytes)).toBe(0);
  expect(told).toEqual(pieces(size).map((_, k) => Math.min(bytes.length, (k + 1) * size)));
});

test('the bytes of a Blob arrive in memory that is used again', async () => {
  const source = new ArrivingSource(new Blob([bytes, bytes, bytes]).stream(), bytes.length * 3, () => {});
  const [last, first] = await Promise.all([source.read(bytes.length * 2, 1e9), source.read(0, bytes.length)]);
  expect([Buffer.compare(first, bytes), Buffer.compare(last, bytes)]).toEqual([0, 0]);
});

test('who waits for bytes that never come learns why, who has his goes on', async () => {
  const half = pieces(500_000).slice(0, 1);
  const short = new ArrivingSource(streamOf(half), bytes.length, () => {});
  await expect(short.read(400_000, 200_000)).rejects.toThrow('connection ended after 500000 of 1000000 bytes');
  expect((await short.read(0, 500_000)).length).toBe(500_000);
  await expect(short.read(500_000, 1)).rejects.toThrow('connection ended after');
  const cut = new ArrivingSource(streamOf(half, new TypeError('network error')), bytes.length, () => {});
  await expect(openLog(cut)).rejects.toThrow('network error');
  const long = new ArrivingSource(streamOf(pieces(500_000)), 600_000, () => {});
  await expect(long.read(0, 600_000)).rejects.toThrow('received more than the announced 600000 bytes');
});

test('others have their turn while much is read', async () => {
  let turns = 0;
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      turns++;
      setImmediate(resolve);
    });
  const source = new ArrivingSource(streamOf(pieces(500_000)), bytes.length, () => {}, pause);
  await source.read(0, bytes.length);
  let heard = 0;
  const other = setInterval(() => heard++, 1);
  const begin = performance.now();
  const elapsed = (): number => performance.now() - begin;
  // on a busy machine a turn may take long
  while (elapsed() < 200 || (elapsed() < 10_000 && (turns <= 3 || heard <= 1))) await source.read(0, 1000);
  clearInterval(other);
  expect(turns).toBeGreaterThan(3);
  expect(turns / elapsed()).toBeLessThan(30 / 200);
  expect(heard).toBeGreaterThan(1);
});
