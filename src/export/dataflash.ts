import type { Log } from '../core/log.ts';
import { inOrder } from '../core/merge.ts';
import { windows } from '../core/read.ts';
import type { Table } from '../core/table.ts';

/** What a log cannot be read without, or would lose its units and parameters. */
const ALWAYS: ReadonlySet<string> = new Set(['FMT', 'FMTU', 'UNIT', 'MULT', 'PARM', 'VER']);

export interface TrimOptions {
  /** Names of the tables to keep; all by default. */
  readonly tables?: ReadonlySet<Table> | undefined;
  /** Times in microseconds: records at or after the first and before the second are kept. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * A part of a binary DataFlash log as a log of its own, byte for byte as the records were. Definitions, units and
 * parameters stay whatever the choice, and so does the one record that the clock's base came from: the part has the
 * same times as the whole.
 */
export async function* trimDataflash(log: Log, options: TrimOptions = {}): AsyncGenerator<Uint8Array> {
  if (log.format !== 'dataflash') throw new TypeError(`a ${log.format} log cannot be written as DataFlash`);
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, tables: chosen } = options;
  const tables = log.tables.filter((table) => table.rows > 0);
  const requests = tables.map(({ schema, offsets, rows }) => ({ schema, offsets, fields: [], from: 0, to: rows }));
  const isTimed = from !== Number.NEGATIVE_INFINITY || to !== Number.POSITIVE_INFINITY;
  for await (const window of windows(log.source, requests)) {
    const times = await Promise.all(
      tables.map((table, k) =>
        isTimed && kindOf(table, chosen) === 'chosen'
          ? table.times({ from: window.from[k], to: window.to[k] })
          : undefined,
      ),
    );
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (const { table, index, row, offset } of inOrder(tables, window.from, window.to)) {
      const kind = kindOf(table, chosen);
      const time = times[index]?.[row - window.from[index]];
      const isIn = kind === 'always' || (kind === 'chosen' && (time === undefined || (time >= from && time < to)));
      if (!isIn && offset !== log.clock.baseOffset) continue;
      const start = offset - window.base;
      const piece = window.bytes.subarray(start, start + table.schema.size);
      pieces.push(piece);
      size += piece.length;
    }
    if (size > 0) yield joined(pieces, size);
  }
}

function kindOf(table: Table, chosen: ReadonlySet<Table> | undefined): 'always' | 'chosen' | 'left' {
  if (ALWAYS.has(table.name)) return 'always';
  return !chosen || chosen.has(table) ? 'chosen' : 'left';
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
