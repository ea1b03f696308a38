import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { columnNames, type Table, type TableBlock, type TableRange, titleOf } from '../core/table.ts';
import { errorText } from '../core/text.ts';
import type { PlainOptions } from '../export/plain.ts';
import type { Duckdb } from './engine.ts';
import { sqlType, VectorWriter } from './vectors.ts';

/** The function that gives the rows of a table by its number; internal. */
const SCAN = 'skein_scan';

/** A table was asked for before what must be waited for was read. */
export const NOT_READY = 'is not ready to be read';

interface ScanState {
  readonly blocks: Generator<TableBlock>;
  readonly writer: VectorWriter;
  /** Which column each of the chunk is: 0 are the times, then those of the block. */
  readonly places: readonly number[];
  /** The rows that are being handed over, from `at` on; undefined after the last. */
  block: TableBlock | undefined;
  at: number;
  /** The next rows are decoded before they are asked for. */
  ahead: NodeJS.Immediate | undefined;
  /** What went wrong then. */
  error: unknown;
}

const EMPTY_BLOCK: TableBlock = { from: 0, to: 0, times: new Float64Array(0), columns: [] };

export interface ScanOptions extends PlainOptions, TableRange {}

/** Tables of DuckDB that are decoded while they are read, in chunks, and only the columns of a query. */
export class Scans {
  private readonly duckdb: Duckdb;
  private readonly tables: Table[] = [];
  private readonly options: ScanOptions;

  constructor(duckdb: Duckdb, connection: DuckDBConnection, options: ScanOptions = {}) {
    this.duckdb = duckdb;
    this.options = options;
    const { api } = duckdb;
    const scan = api.DuckDBTableFunction.create({
      name: SCAN,
      parameterTypes: [api.UINTEGER],
      supportsProjectionPushdown: true,
      bindFunction: (info) => {
        const table = this.tables[Number(info.getParameter(0))];
        if (!table) return info.setError('unknown table');
        const [time, ...names] = columnNames(table);
        info.addResultColumn(time, api.TIMESTAMP);
        for (const [i, field] of table.fields.entries())
          info.addResultColumn(names[i], sqlType(duckdb, field, options));
        info.setCardinality(table.rows, false);
        info.setBindData(table);
      },
      initFunction: (info) => {
        const table = info.bindData as Table;
        const reading = this.begin(table, info.getColumnIndexes());
        // rows come in the order of the source
        info.setMaxThreads(1);
        if (reading) info.setInitData(reading);
        else info.setError(`${titleOf(table)} ${NOT_READY}`);
      },
      mainFunction: (info, chunk) => {
        try {
          this.next(info.initData as ScanState, chunk);
        } catch (error) {
          info.setError(errorText(error));
        }
      },
    });
    connection.registerTableFunction(scan);
  }

  /** Adds a table; returns the SQL of its table. */
  add(table: Table): string {
    return `${SCAN}(${this.tables.push(table) - 1}::UINTEGER)`;
  }

  /** Forgets all tables, when no query reads them any more. */
  clear(): void {
    this.tables.length = 0;
  }

  private begin(table: Table, indexes: readonly number[]): ScanState | undefined {
    // DuckDB asks for the column after the last where it needs rows but no column
    const isField = (index: number): boolean => index > 0 && index <= table.fields.length;
    const fields = indexes.filter(isField).map((index) => table.fields[index - 1]);
    const { from, to } = this.options;
    const isRange = from !== undefined || to !== undefined;
    const blocks = table.blocksNow(fields, isRange || indexes.includes(0), this.options);
    if (!blocks) return undefined;
    let next = 0;
    const places = indexes.map((index) => (isField(index) ? ++next : index === 0 ? 0 : -1));
    return {
      blocks,
      writer: new VectorWriter(this.duckdb, this.options),
      places,
      block: EMPTY_BLOCK,
      at: 0,
      ahead: undefined,
      error: undefined,
    };
  }

  private next(reading: ScanState, chunk: DuckDBDataChunk): void {
    const { bindings } = this.duckdb;
    clearImmediate(reading.ahead);
    this.advance(reading);
    if (reading.error !== undefined) throw reading.error;
    if (!reading.block) {
      bindings.data_chunk_set_size(chunk.chunk, 0);
      return;
    }
    const { block, at, writer, places } = reading;
    const to = Math.min(block.to, at + bindings.vector_size());
    bindings.data_chunk_set_size(chunk.chunk, to - at);
    places.forEach((place, i) => {
      if (place === 0) writer.writeTimes(chunk.chunk, i, block.times, at, to);
      else if (place > 0) writer.write(chunk.chunk, i, block.columns[place - 1], at, to);
    });
    reading.at = to;
    // while the engine works on these rows in its own thread, this one has nothing else to do
    reading.ahead = setImmediate(() => this.advance(reading));
  }

  /** Goes on to the next block where all rows of the one before were handed over. */
  private advance(reading: ScanState): void {
    try {
      while (reading.block && reading.at >= reading.block.to) {
        const { value, done } = reading.blocks.next();
        reading.block = done ? undefined : value;
        reading.at = reading.block?.from ?? 0;
      }
    } catch (error) {
      reading.error = error;
    }
  }
}
