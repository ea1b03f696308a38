// Two logs in one file, as `cat a.BIN b.BIN` makes them: the parts of both, as each has them alone.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../../src/core/log.ts';
import { factsOf, openLog } from '../../../src/entry/index.ts';
import { needShared, sharedData } from '../../helpers/need.ts';

const MOST_BYTES = 9e6;

interface Single {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly kind: string;
  readonly parts: readonly number[];
}

/** Seconds of each part. */
async function partsOf(log: Log): Promise<number[]> {
  const { start, end } = await factsOf(log).span();
  const parts = log.clock.parts ?? (start === null || end === null ? [] : [{ start, end }]);
  return parts.map((part) => Math.round((part.end - part.start) / 1e6));
}

async function singleOf(folder: string, name: string): Promise<Single> {
  const bytes = new Uint8Array(readFileSync(`${folder}/${name}`));
  const log = await openLog(bytes);
  return { name, bytes, kind: log.clock.kind, parts: await partsOf(log) };
}

needShared(describe, 'dataflash')('two logs in one file', () => {
  test('have the parts of each, whichever firmware wrote them', async () => {
    const folder = sharedData('dataflash');
    const names = readdirSync(folder).filter((name) => /\.bin$/i.test(name));
    const singles = await Promise.all(names.map((name) => singleOf(folder, name)));
    const timed = singles.filter(({ bytes, parts }) => bytes.length < MOST_BYTES && parts.length > 0);
    const wrong: object[] = [];
    let pairs = 0;
    for (const [i, a] of timed.entries()) {
      // of one count of time: nobody joins a log of 2014 to one of today
      const others = timed.filter((b) => b !== a && b.kind === a.kind);
      for (const b of [others[i % others.length], others[(5 * i + 3) % others.length]]) {
        if (!b) continue;
        pairs++;
        const bytes = new Uint8Array(a.bytes.length + b.bytes.length);
        bytes.set(a.bytes);
        bytes.set(b.bytes, a.bytes.length);
        const found = await partsOf(await openLog(bytes));
        const expected = [...a.parts, ...b.parts];
        const isEqual = found.length === expected.length && found.every((part, k) => Math.abs(part - expected[k]) <= 1);
        if (!isEqual) wrong.push({ names: [a.name, b.name], found, expected });
      }
    }
    expect(pairs).toBeGreaterThan(40);
    expect(wrong).toEqual([]);
  });
});
