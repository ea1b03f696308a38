import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import type { Column, Field, Table, TableRange, Value } from '../../../src/entry/pages.ts';

/** How a field is stored: the parts of its entry in the schema of the file. */
type Element = NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']>[number];

const TIME: Element = {
  name: 'time',
  type: 'INT64',
  repetition_type: 'OPTIONAL',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
};

/** A table as Parquet, time first, arrays as JSON, missing as null: https://parquet.apache.org/docs/file-format/ */
export async function parquetBytes(table: Table, names: readonly string[], range: TableRange): Promise<Uint8Array> {
  const times: (bigint | null)[] = [];
  const cells: unknown[][] = table.fields.map(() => []);
  for await (const { from, to, times: stamps, columns } of table.blocks(range)) {
    for (let row = from; row < to; row++) {
      times.push(Number.isNaN(stamps[row]) ? null : BigInt(Math.round(stamps[row])));
      for (let k = 0; k < columns.length; k++) cells[k].push(cellOf(columns[k], row));
    }
  }
  const elements = table.fields.map((field, k) => elementOf(field, names[k + 1]));
  const columnData: ColumnSource[] = [
    { name: names[0], data: times },
    ...cells.map((data, k) => ({ name: names[k + 1], data })),
  ];
  const root: Element = { name: 'root', num_children: columnData.length };
  return new Uint8Array(parquetWriteBuffer({ columnData, schema: [root, { ...TIME, name: names[0] }, ...elements] }));
}

function elementOf(field: Field, name: string): Element {
  return { name, repetition_type: 'OPTIONAL', ...storageOf(field) };
}

function storageOf({ type, count, isList, divisor }: Field): Pick<Element, 'type' | 'converted_type'> {
  if (type === 'text' || type === 'unknown') return { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  if (type === 'bytes') return { type: 'BYTE_ARRAY' };
  if (count !== 1 || isList) return { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  if (divisor !== 1) return { type: 'DOUBLE' };
  switch (type) {
    case 'int8':
    case 'uint8':
    case 'int16':
    case 'uint16':
    case 'int32':
      return { type: 'INT32' };
    case 'uint32':
    case 'int64':
      return { type: 'INT64' };
    case 'uint64':
      return { type: 'INT64', converted_type: 'UINT_64' };
    case 'float32':
      return { type: 'FLOAT' };
    default:
      return { type: 'DOUBLE' };
  }
}

function cellOf(column: Column, row: number): unknown {
  const { type, divisor, count, isList } = column.field;
  const value: Value = column.at(row);
  if (value === null || typeof value === 'string' || value instanceof Uint8Array) return value;
  if (count !== 1 || isList)
    return JSON.stringify(value, (_, each) => (Number.isFinite(each) || Array.isArray(each) ? each : null));
  const isLong = type === 'int64' || type === 'uint64' || type === 'uint32';
  if (!isLong || divisor !== 1) return value;
  // Parquet has the bits of an unsigned number in a signed one
  return BigInt.asIntN(64, column.exact(row));
}
