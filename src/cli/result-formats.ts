import type { DuckDBValue } from '@duckdb/node-api';
import { csvText, terminalText } from '../core/names.ts';
import { jsonOf, type QueryResult, textOf } from '../sql/result.ts';
import { gridLine, widen } from './words.ts';

type Write = (result: QueryResult) => AsyncGenerator<string>;

/** How the rows of a query are written as text. */
export const RESULT_FORMATS: Readonly<Record<string, Write>> = {
  table: asTable,
  csv: asCsv,
  jsonl: asLines,
  page: asPage,
};

/** Those for users: `page` is how the server answers its page. */
export const FORMAT_NAMES: readonly string[] = Object.keys(RESULT_FORMATS).filter((name) => name !== 'page');

/** Rows that say how wide columns are; those after them are shown as they come. */
const MEASURED = 1000;

async function* asTable(result: QueryResult): AsyncGenerator<string> {
  const isNumber = (type: string): boolean => /INT|DOUBLE|FLOAT|DECIMAL/.test(type) && !type.includes('[');
  const right = new Set(result.types.flatMap((type, i) => (isNumber(type) ? [i] : [])));
  const widths: number[] = [];
  const lineOf = (cells: readonly string[]): string => `${gridLine(cells, widths, right)}\n`;
  const cellsOf = (row: readonly DuckDBValue[]): string[] =>
    row.map((value) => terminalText(textOf(value)).replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
  let measured: string[][] | undefined = [result.names.map((name) => terminalText(name))];
  const flush = (): string => {
    const rows = measured ?? [];
    measured = undefined;
    widen(widths, rows);
    return rows.map(lineOf).join('');
  };
  for await (const row of result.rows()) {
    if (measured === undefined) yield lineOf(cellsOf(row));
    else if (measured.push(cellsOf(row)) > MEASURED) yield flush();
  }
  if (measured !== undefined) yield flush();
}

async function* asCsv(result: QueryResult): AsyncGenerator<string> {
  yield `${result.names.map((name) => csvText(name)).join(',')}\n`;
  for await (const row of result.rows())
    yield `${row.map((value) => (typeof value === 'string' ? csvText(value) : plain(value))).join(',')}\n`;
}

/** Numbers need no quotes, but lists have commas. */
function plain(value: Exclude<DuckDBValue, string>): string {
  const text = textOf(value);
  return text.includes(',') || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
}

async function* asLines(result: QueryResult): AsyncGenerator<string> {
  const keys = result.names.map((name) => JSON.stringify(name));
  for await (const row of result.rows())
    yield `{${row.map((value, i) => `${keys[i]}:${JSON.stringify(jsonOf(value))}`).join(',')}}\n`;
}

/** Rows that a page is given; it says so where there are more. */
const PAGE_ROWS = 1000;

async function* asPage(result: QueryResult): AsyncGenerator<string> {
  yield `{"names":${JSON.stringify(result.names)},"rows":[`;
  let count = 0;
  for await (const row of result.rows()) {
    if (count === PAGE_ROWS) {
      count++;
      break;
    }
    yield `${count++ === 0 ? '' : ','}${JSON.stringify(row.map(jsonOf))}`;
  }
  yield `],"more":${count > PAGE_ROWS}}`;
}
