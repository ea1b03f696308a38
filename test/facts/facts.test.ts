// Facts are found once: how often columns and bytes of a log are read, counted.
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import type { Source } from '../../src/core/source.ts';
import { RecordTable } from '../../src/core/table.ts';
import { factsOf } from '../../src/facts/facts.ts';
import { keepPlanned, reportPlan } from '../../src/facts/read-plan.ts';
import { openInput } from '../../src/formats/open.ts';
import { makeReports } from '../../src/report/report.ts';

const SAMPLE = new Uint8Array(readFileSync(new URL('../../sample/copter-square.BIN', import.meta.url)));

/** A source that must be read piece by piece, and counts what is read of it. */
function counted(): { source: Source; bytes: () => number } {
  let bytes = 0;
  const readNow = (offset: number, length: number): Uint8Array => {
    const piece = SAMPLE.subarray(offset, offset + length);
    bytes += piece.length;
    return piece;
  };
  const read = async (offset: number, length: number): Promise<Uint8Array> => readNow(offset, length);
  return { source: { size: SAMPLE.length, read, readNow }, bytes: () => bytes };
}

async function findAll(log: Parameters<typeof factsOf>[0]): Promise<unknown[]> {
  const facts = factsOf(log);
  return [
    await facts.span(),
    await facts.vehicle(),
    await facts.modes(),
    await facts.messages(),
    await facts.parameters(),
    await facts.phases(),
    await facts.gaps(),
    await facts.events(),
    await facts.flights(),
    await facts.track(),
  ];
}

test('each fact is found once for all that ask, also at the same time', async () => {
  const log = await openInput(SAMPLE);
  const [a, b] = await Promise.all([findAll(log), findAll(log)]);
  for (const [i, fact] of a.entries()) expect(fact).toBe(b[i]);
  const columns = vi.spyOn(RecordTable.prototype, 'columns');
  await findAll(log);
  expect(columns).not.toHaveBeenCalled();
  columns.mockRestore();
  expect(factsOf(log)).toBe(factsOf(log));
  expect(factsOf(await openInput(SAMPLE))).not.toBe(factsOf(log));
});

test('what could not be read is asked for again', async () => {
  const { source } = counted();
  let isBroken = false;
  const read: Source['read'] = async (...place) => {
    if (isBroken) throw new Error('disk is gone');
    return source.read(...place);
  };
  const log = await openInput({ size: source.size, read });
  isBroken = true;
  await expect(factsOf(log).parameters()).rejects.toThrow('disk is gone');
  isBroken = false;
  expect((await factsOf(log).parameters()).size).toBeGreaterThan(1000);
});

test('a report of a log that is too large for memory reads it at most three times', async () => {
  const { source, bytes } = counted();
  const log = await openInput(source);
  await keepPlanned(log, reportPlan);
  const [report] = await makeReports(log);
  expect(bytes() / SAMPLE.length).toBeLessThanOrEqual(3);
  // and says the same as from memory
  expect(report).toEqual((await makeReports(await openInput(SAMPLE)))[0]);
});
