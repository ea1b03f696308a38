import type { Column, Value } from '../../../src/entry/pages.ts';
import type { RawRecord } from './answers.ts';
import type { LogFile } from './open-log.ts';

/** Bytes of a record that are shown; the length says how many there are. */
const BYTES_SHOWN = 512;

/** Rows of a table with their place and bytes. */
export async function rawRecords(
  file: LogFile,
  name: string,
  stream: string,
  from: number,
  count: number,
): Promise<RawRecord[]> {
  const records: RawRecord[] = [];
  let passed = 0;
  for (const table of file.tablesOf(name, stream)) {
    const first = Math.max(0, from - passed);
    const last = Math.min(table.rows, from + count - passed);
    if (first < last) {
      const range = { from: first, to: last };
      const [columns, times] = [await table.columns(undefined, range), await table.times(range)];
      for (let row = first; row < last; row++) {
        const offset = table.offsets.at(row);
        const { size, maxSize } = table.schema;
        const bytes = await file.log.data.read(offset, Math.min(size || maxSize, BYTES_SHOWN));
        const values = columns.map((column) => shownValue(column, row - first));
        records.push({
          ...{ row: passed + row, time: times[row - first], offset: file.log.placeOf(offset) },
          ...{ bytes: bytes.slice(), values },
        });
      }
    }
    passed += table.rows;
  }
  return records;
}

function shownValue(column: Column, row: number): RawRecord['values'][number] {
  return { name: column.field.name, unit: column.field.unit, text: textOf(column.at(row)) };
}

export function textOf(value: Value): string {
  if (value === null) return '–';
  if (value instanceof Uint8Array) return Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  if (Array.isArray(value)) return `[${value.map((each) => each ?? '–').join(', ')}]`;
  return String(value);
}
