import { expect, test } from 'vitest';
import { FMT_DEFINITION, schemaOf } from '../formats/dataflash/schema.ts';
import { NO_CLOCK } from './clock.ts';
import { bytesSource } from './source.ts';
import { RecordTable } from './table.ts';

test('records without a time have a clock that knows none', async () => {
  const table = new RecordTable(schemaOf(FMT_DEFINITION), '', bytesSource(new Uint8Array(0)));
  for (const offset of [0, 89, 178]) table.offsets.push(offset);
  expect(NO_CLOCK).toMatchObject({ kind: 'none', utc: false, remarks: [] });
  expect(NO_CLOCK.field(table)).toBeUndefined();
  expect(await NO_CLOCK.times(table, 1, 3)).toEqual(Float64Array.of(Number.NaN, Number.NaN));
  // a table that belongs to no log is in the same case
  expect(await table.times({ to: 2 })).toEqual(Float64Array.of(Number.NaN, Number.NaN));
});
