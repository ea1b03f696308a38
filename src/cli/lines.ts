import type { Log } from '../core/log.ts';
import { type RecordOptions, readBlocks } from '../core/records.ts';
import type { RecordTable } from '../core/table.ts';
import { derivedLine, type LineOptions, LineWriter } from '../export/json-line.ts';
import { byPlace, rowsIn } from '../export/records.ts';
import type { DerivedTable } from '../sensors/derived-table.ts';

/** A JSON line, and the offset of its record in the source. */
interface JsonLine {
  readonly at: number;
  readonly text: string;
}

/** Records, and rows made from them, as lists of JSON lines in the order of the source. */
export async function* linesOf(
  log: Log,
  options: RecordOptions,
  derived: readonly DerivedTable[],
  lineOptions: LineOptions,
): AsyncGenerator<readonly string[]> {
  const marked = { ...lineOptions, guessed: log.clock.guessed };
  const lists = recordLines(log, options, marked);
  if (derived.length === 0) for await (const lines of lists) yield lines.map(({ text }) => text);
  else {
    const sources = [each(lists), ...derived.map((table) => rowLines(table, options, marked))];
    for await (const { text } of byPlace(sources)) yield [text];
  }
}

/** The same as text. */
export async function* joined(lists: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of lists) yield lines.join('');
}

async function* each<T>(lists: AsyncGenerator<readonly T[]>): AsyncGenerator<T> {
  for await (const list of lists) yield* list;
}

async function* recordLines(log: Log, options: RecordOptions, lineOptions: LineOptions): AsyncGenerator<JsonLine[]> {
  const writers = new Map<RecordTable, LineWriter>();
  for await (const block of readBlocks(log, options)) {
    for (const table of block.tables) if (!writers.has(table)) writers.set(table, new LineWriter(table, lineOptions));
    const makers = block.tables.map((table) => writers.get(table) as LineWriter);
    const lines: JsonLine[] = [];
    block.walk((index, row, time, at) => {
      lines.push({ at, text: makers[index].line(block.columns[index], row, time, at) });
      return true;
    });
    yield lines;
  }
}

async function* rowLines(
  table: DerivedTable,
  range: RecordOptions,
  lineOptions: LineOptions,
): AsyncGenerator<JsonLine> {
  for await (const row of rowsIn(table, range)) yield { at: row.at, text: derivedLine(table, row, lineOptions) };
}
