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

interface RecordLines {
  readonly offsets: readonly number[];
  readonly texts: readonly string[];
}

/** Records, and rows made from them, as lists of JSON lines in the order of the source. @param limit of records */
export async function* linesOf(
  log: Log,
  options: RecordOptions,
  derived: readonly DerivedTable[],
  lineOptions: LineOptions,
  limit: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly string[]> {
  const marked = { ...lineOptions, guessed: log.clock.guessed };
  const lists = recordLines(log, options, marked, limit);
  if (derived.length === 0) for await (const { texts } of lists) yield texts;
  else {
    const sources = [each(lists), ...derived.map((table) => rowLines(table, options, marked))];
    for await (const { text } of byPlace(sources)) yield [text];
  }
}

/** The same as text. */
export async function* joined(lists: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of lists) yield lines.join('');
}

async function* each(lists: AsyncGenerator<RecordLines>): AsyncGenerator<JsonLine> {
  for await (const { offsets, texts } of lists) for (const [i, text] of texts.entries()) yield { at: offsets[i], text };
}

async function* recordLines(
  log: Log,
  options: RecordOptions,
  lineOptions: LineOptions,
  limit: number,
): AsyncGenerator<RecordLines> {
  const writers = new Map<RecordTable, LineWriter>();
  let left = limit;
  for await (const block of readBlocks(log, options)) {
    if (left <= 0) return;
    for (const table of block.tables) if (!writers.has(table)) writers.set(table, new LineWriter(table, lineOptions));
    const makers = block.tables.map((table) => writers.get(table) as LineWriter);
    const [offsets, texts]: [number[], string[]] = [[], []];
    block.walk((index, row, time, at) => {
      offsets.push(at);
      texts.push(makers[index].line(block.columns[index], row, time, at));
      return --left > 0;
    });
    yield { offsets, texts };
  }
}

async function* rowLines(
  table: DerivedTable,
  range: RecordOptions,
  lineOptions: LineOptions,
): AsyncGenerator<JsonLine> {
  for await (const row of rowsIn(table, range)) yield { at: row.at, text: derivedLine(table, row, lineOptions) };
}
