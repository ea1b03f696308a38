import type { Log } from '../core/log.ts';
import { type RecordOptions, readBlocks } from '../core/records.ts';
import type { RecordTable } from '../core/table.ts';
import { byPlace } from '../export/by-place.ts';
import { derivedLine, type LineOptions, LineWriter } from '../export/json-line.ts';
import type { DerivedTable } from '../sensors/derived-table.ts';

/** A JSON line, and the offset of its record in the source. */
interface JsonLine {
  readonly at: number;
  readonly text: string;
}

/** Records and rows that are made from them as JSON lines, in the order of the source: one or more at a time. */
export async function* linesOf(
  log: Log,
  options: RecordOptions,
  derived: readonly DerivedTable[],
  lineOptions: LineOptions,
): AsyncGenerator<string> {
  const marked = { ...lineOptions, guessed: log.clock.guessed };
  if (derived.length === 0) {
    for await (const lines of recordLines(log, options, marked)) yield lines.map(({ text }) => text).join('');
    return;
  }
  const sources = [
    each(recordLines(log, options, marked)),
    ...derived.map((table) => rowLines(table, options, marked)),
  ];
  for await (const { text } of byPlace(sources)) yield text;
}

async function* each<T>(lists: AsyncGenerator<readonly T[]>): AsyncGenerator<T> {
  for await (const list of lists) yield* list;
}

async function* recordLines(log: Log, options: RecordOptions, lineOptions: LineOptions): AsyncGenerator<JsonLine[]> {
  const writers = new Map<RecordTable, LineWriter>();
  for await (const block of readBlocks(log, options)) {
    for (const table of block.tables) if (!writers.has(table)) writers.set(table, new LineWriter(table, lineOptions));
    const lines: JsonLine[] = [];
    block.walk((index, row, time, at) => {
      const writer = writers.get(block.tables[index]) as LineWriter;
      lines.push({ at, text: writer.line(block.columns[index], row, time, at) });
      return true;
    });
    yield lines;
  }
}

async function* rowLines(
  table: DerivedTable,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: RecordOptions,
  lineOptions: LineOptions,
): AsyncGenerator<JsonLine> {
  const isTimed = from !== Number.NEGATIVE_INFINITY || to !== Number.POSITIVE_INFINITY;
  for await (const row of table.records()) {
    if (isTimed && !(row.time >= from && row.time < to)) continue;
    yield { at: row.at, text: derivedLine(table, row, lineOptions) };
  }
}
