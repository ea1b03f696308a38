import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { evaluateExpression } from './expression.ts';
import { type ResolvedField, resolveFields } from './expression-catalogue.ts';
import { parseExpression } from './expression-parser.ts';
import { Series } from './series.ts';

/** The values of an expression over the fields of a log, as `sqrt(IMU[0].AccX^2 + IMU[0].AccY^2)`. */
export async function readExpression(log: Pick<Log, 'tables'>, text: string): Promise<Series> {
  const expression = parseExpression(text);
  const fields = resolveFields(expression, log.tables);
  const series: (Series | undefined)[] = fields.map(() => undefined);
  // all fields of one table in one pass, so that they share their times
  for (const { tables } of fields) {
    const own = fields.flatMap((each, i) => (each.tables[0] === tables[0] && !series[i] ? [i] : []));
    if (own.length === 0) continue;
    const read = await readSeries(
      tables,
      own.map((i) => fields[i]),
    );
    for (const [k, i] of own.entries()) series[i] = read[k];
  }
  return evaluateExpression(expression, series as Series[]);
}

async function readSeries(tables: readonly Table[], fields: readonly ResolvedField[]): Promise<Series[]> {
  const names = [...new Set(fields.map(({ field }) => field.name))];
  const parts = await Promise.all(tables.map((table) => table.timedColumns(names)));
  const times = joined(parts.map((part) => part.times));
  return fields.map(({ field, element, isHeld }) => {
    const values = parts.map(({ columns }) => {
      const column = columns[names.indexOf(field.name)];
      const numbers = column.numbers();
      const { count } = column.field;
      return count === 1
        ? numbers
        : Float64Array.from({ length: column.length }, (_, row) => numbers[row * count + element]);
    });
    return new Series(times, joined(values), isHeld);
  });
}

function joined(parts: readonly Float64Array[]): Float64Array {
  if (parts.length === 1) return parts[0];
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
