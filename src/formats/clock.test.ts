import { expect, test } from 'vitest';
import { bytesSource } from '../core/source.ts';
import { Table } from '../core/table.ts';
import { findClock } from './clock.ts';
import { FMT_DEFINITION, schemaOf } from './dataflash/schema.ts';

test('a format whose records carry no time has a clock that knows none', async () => {
  const table = new Table(schemaOf(FMT_DEFINITION), '', bytesSource(new Uint8Array(0)));
  for (const offset of [0, 89, 178]) table.offsets.push(offset);
  const clock = await findClock('some-other-format', [table], {});
  expect(clock).toMatchObject({ kind: 'none', utc: false, remarks: [] });
  expect(clock.field(table)).toBeUndefined();
  expect(await clock.times(table, 1, 3)).toEqual(Float64Array.of(Number.NaN, Number.NaN));
  // a table that belongs to no log is in the same case
  expect(await table.times({ to: 2 })).toEqual(Float64Array.of(Number.NaN, Number.NaN));
});
