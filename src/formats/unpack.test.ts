import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../core/limits.ts';
import { bytesSource } from '../core/source.ts';
import { unpack, unzip } from './unpack.ts';

const MIB = 1 << 20;

/** Bytes that gzip cannot make smaller. */
function noise(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let i = 0, seed = 1; i < length; i++) {
    seed = (seed * 16807) % 2147483647;
    bytes[i] = seed;
  }
  return bytes;
}

test('damaged gzip is unpacked up to the same byte in each run', async () => {
  const bytes = new Uint8Array(gzipSync(noise(MIB)));
  bytes.fill(0, 600_000, 600_100);
  const answers = new Set<string>();
  for (let run = 0; run < 5; run++) {
    const { source, fault } = await unzip(bytesSource(bytes));
    answers.add(`${source.size} ${JSON.stringify(fault)}`);
  }
  expect([...answers]).toEqual([expect.stringContaining('gzip data is damaged')]);
});

describe('gzip beyond its limits', () => {
  /** 40 MiB of zeros become about 40 kB: a thousand times as much, and more than is harmless. */
  const bomb = new Uint8Array(gzipSync(new Uint8Array(40 * MIB)));

  test('is cut at the same byte in each run, with the same words', async () => {
    const answers = new Set<string>();
    for (let run = 0; run < 8; run++) {
      const { source, fault } = await unzip(bytesSource(bomb));
      answers.add(`${source.size} ${JSON.stringify(fault)}`);
    }
    expect([...answers]).toEqual([expect.stringContaining(`${16 * MIB} {"code":"bad-gzip"`)]);
  });

  test('is whole up to the limit, by the whole file and not by its densest part', async () => {
    expect(bomb.length * LIMITS.unzippedRatio).toBeLessThan(16 * MIB);
    // as dense as before, with bytes behind it that are not: the whole stays below 200 times
    const bytes = new Uint8Array(41 * MIB);
    bytes.set(noise(MIB), 40 * MIB);
    const { source, fault } = await unzip(bytesSource(new Uint8Array(gzipSync(bytes))));
    expect([source.size, fault]).toEqual([bytes.length, undefined]);
  });

  test('is cut by the size of the whole file where it was packed twice', async () => {
    const twice = new Uint8Array(gzipSync(gzipSync(new Uint8Array(160 * MIB))));
    expect(twice.length).toBeLessThan(MIB / 8);
    const { source, fault } = await unpack(bytesSource(twice));
    expect([source.size, fault?.code]).toEqual([16 * MIB, 'bad-gzip']);
  });

  test('gives what was asked for and no fault where a part is enough', async () => {
    const { source, fault } = await unzip(bytesSource(bomb), { enough: 1000 });
    expect([source.size, fault]).toEqual([1000, undefined]);
  });
});
