import { expect, it } from 'vitest';
import { sampleFile } from '../../test/suite/sample.ts';
import { mavlink } from '../formats/mavlink/index.ts';
import { openInput } from '../formats/open.ts';
import { tlog } from '../formats/tlog/index.ts';
import { ColumnCollector } from './collector.ts';

const { bytes } = sampleFile('copter-square.tlog');

it('collects what a log has, in any pieces', async () => {
  const log = await openInput(bytes);
  const collector = new ColumnCollector(({ name }) => name === 'ATTITUDE' || name === 'STATUSTEXT');
  const decoder = tlog.decoder(collector);
  for (let at = 0; at < bytes.length; at += 5000) decoder.push(bytes.subarray(at, at + 5000));
  decoder.end();
  const collected = collector.collected();
  expect(collected.map(({ schema, stream }) => `${schema.name} ${stream}`)).toEqual(['STATUSTEXT 1:1', 'ATTITUDE 1:1']);
  for (const { schema, stream, rows, columns } of collected) {
    const table = log.table(schema.name, stream);
    expect(rows).toBe(table?.rows);
    const expected = (await table?.columns()) ?? [];
    expect(columns.map(({ bits8 }) => bits8)).toEqual(expected.map(({ bits8 }) => bits8));
  }
});

it('gives columns that stay as they are when more comes', () => {
  const collector = new ColumnCollector();
  const decoder = tlog.decoder(collector);
  decoder.push(bytes.subarray(0, 100_000));
  const [first] = collector.collected();
  const before = first.columns[0].bits8.slice();
  decoder.push(bytes.subarray(100_000));
  decoder.end();
  expect(first.columns[0].bits8).toEqual(before);
  expect(collector.collected()[0].rows).toBeGreaterThan(first.rows);
});

it('keeps what was wrong', () => {
  const collector = new ColumnCollector();
  const decoder = mavlink.decoder(collector);
  decoder.push(Uint8Array.of(1, 2, 3));
  decoder.end();
  expect(collector.faults.count).toBe(1);
  expect(collector.collected()).toEqual([]);
});
