import { Column } from './column.ts';
import type { Offsets } from './offsets.ts';
import { type Field, type Schema, TYPE_BYTES } from './schema.ts';
import type { Source } from './source.ts';

/** Rows [from, to) of some fields of one table. */
export interface Request {
  readonly schema: Schema;
  readonly offsets: Offsets;
  readonly fields: readonly Field[];
  readonly from: number;
  readonly to: number;
}

/** Bytes held at a time: small enough for the second level cache, large enough to make a read worth its call. */
const WINDOW = 512 << 10;
/** For tables with few rows in much data, reading what is between would cost more than the calls. */
const SPARSE_WINDOW = 64 << 10;
/** For one table of a source in memory: places are counted in 32 bits from where a window begins. */
const MEMORY_WINDOW = 1 << 30;
/** Rows in a block: their starts and a column's part stay in the first level cache. */
const BLOCK = 1024;
/** Bytes a row of several tables up to which a window is brought into the cache before, as it comes fast only in order. */
const DENSE = 512;
const CACHE_LINE = 64;
/** Bytes up to which the columns of a request are parts of one memory: hundreds of them are made and cleared away at once. */
const SHARED = 4 << 20;
/** Every typed array can begin at a multiple of it. */
const ALIGNED = 8;

/** Reads columns of several tables in one pass over the source, without reading what is far from any row. */
export async function readColumns(source: Source, requests: readonly Request[]): Promise<Column[][]> {
  const columns = columnsFor(requests);
  const starts = new Int32Array(BLOCK);
  for await (const window of windows(source, requests, columnWindow(source, requests)))
    fill(window, requests, columns, starts);
  return columns;
}

/** Where the record of a single row begins: at the beginning. */
const FIRST = new Int32Array(1);
const NO_BYTES = new Uint8Array(0);

/** Reads rows of one table repeatedly without waiting. Columns are borrowed until the next call. */
export class ColumnReader {
  private readonly source: Source;
  private readonly request: Request;
  private starts = FIRST;
  private scratch = NO_BYTES;
  private columns: Column[] = [];

  constructor(source: Source, request: Request) {
    this.source = source;
    this.request = request;
  }

  read(from: number, to: number): Column[] {
    const isFitting = this.columns.length > 0 && this.columns[0].length === to - from;
    // codecs write what there is, and count on zeros where there is nothing
    if (isFitting) for (const column of this.columns) column.bits8.fill(0);
    else this.columns = columnsFor([{ ...this.request, from, to }])[0];
    if (to - from === 1) this.fillOne(from);
    else this.fillMany({ ...this.request, from, to });
    return this.columns;
  }

  /** One row is in one window, which needs no plan. */
  private fillOne(row: number): void {
    const { schema, offsets } = this.request;
    const base = offsets.at(row);
    const length = Math.min(schema.maxSize, this.source.size - base);
    const bytes = this.bytesAt(base, length);
    if (bytes.length >= length) schema.codec.read(bytes, FIRST, 1, this.columns, 0);
  }

  private fillMany(request: Request): void {
    if (this.starts.length < BLOCK) this.starts = new Int32Array(BLOCK);
    const requests = [request];
    for (const plan of plans(this.source, requests, columnWindow(this.source, requests))) {
      const window = windowOf(plan, this.bytesAt(plan.base, plan.length), requests);
      fill(window, requests, [this.columns], this.starts);
    }
  }

  private bytesAt(offset: number, length: number): Uint8Array {
    if (!this.source.isInMemory && this.scratch.length < length) this.scratch = new Uint8Array(length);
    return this.source.readNow?.(offset, length, this.scratch) ?? this.scratch.subarray(0, 0);
  }
}

function columnsFor(requests: readonly Request[]): Column[][] {
  return requests.map(({ fields, from, to }) => {
    const rows = Math.max(0, to - from);
    const sizes = fields.map(({ type, count }) => Math.ceil((rows * count * TYPE_BYTES[type]) / ALIGNED) * ALIGNED);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const shared = fields.length > 1 && total <= SHARED ? new ArrayBuffer(total) : undefined;
    let at = 0;
    return fields.map((field, k) => {
      const column = new Column(field, rows, shared, shared && at);
      at += sizes[k];
      return column;
    });
  });
}

function fill(window: Window, requests: readonly Request[], columns: Column[][], starts: Int32Array): void {
  if (requests.length > 1) prefetch(window, starts);
  for (let k = 0; k < requests.length; k++) {
    const { schema, offsets, from } = requests[k];
    const last = window.to[k];
    for (let row = window.from[k]; row < last; row += BLOCK) {
      const stop = Math.min(row + BLOCK, last);
      offsets.relative(row, stop, window.base, starts);
      schema.codec.read(window.bytes, starts, stop - row, columns[k], row - from);
    }
  }
}

/** Reads a byte of each cache line in order, if most of them will be needed. @param out receives bytes that are not used */
function prefetch({ bytes, from, to }: Window, out: Int32Array): void {
  const rows = to.reduce((sum, last, k) => sum + last - from[k], 0);
  if (rows * DENSE < bytes.length) return;
  let sum = 0;
  for (let at = 0; at < bytes.length; at += CACHE_LINE) sum += bytes[at];
  out[0] = sum;
}

/** A piece of the source with whole records: rows [from[k], to[k]) of request k. */
export interface Window {
  readonly bytes: Uint8Array;
  readonly base: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

type WindowPlan = Omit<Window, 'bytes'> & { readonly length: number };

/** The pieces of the source that hold the requested rows, in order; each is borrowed until the next is asked for. */
export async function* windows(
  source: Source,
  requests: readonly Request[],
  size: number = windowSize(source, requests),
): AsyncGenerator<Window> {
  let scratch = new Uint8Array(0);
  for (const plan of plans(source, requests, size)) {
    if (!source.isInMemory && scratch.length < plan.length) scratch = new Uint8Array(plan.length);
    yield windowOf(plan, await source.read(plan.base, plan.length, scratch), requests);
  }
}

function* plans(source: Source, requests: readonly Request[], size: number): Generator<WindowPlan> {
  let from: readonly number[] = requests.map((request) => request.from);
  for (;;) {
    const plan = nextWindow(source, requests, from, size);
    if (!plan) return;
    yield plan;
    from = plan.to;
  }
}

function windowOf(plan: WindowPlan, bytes: Uint8Array, requests: readonly Request[]): Window {
  const window = { ...plan, bytes };
  return bytes.length >= plan.length ? window : shorten(window, requests);
}

/** A source that shrank since it was indexed gives fewer bytes: rows that are gone stay zero, nothing is misread. */
function shorten(window: Window, requests: readonly Request[]): Window {
  const end = window.base + window.bytes.length;
  const to = requests.map((request, k) => {
    const last = request.offsets.rowFrom(Math.max(window.base, end - request.schema.maxSize + 1));
    return Math.max(window.from[k], Math.min(window.to[k], last));
  });
  return { ...window, to };
}

/** One table of a source in memory is read at once; several share what is in the cache. */
function columnWindow(source: Source, requests: readonly Request[]): number {
  return source.isInMemory && requests.length === 1 ? MEMORY_WINDOW : windowSize(source, requests);
}

function windowSize(source: Source, requests: readonly Request[]): number {
  let rows = 0;
  for (const request of requests) rows += request.to - request.from;
  return rows * SPARSE_WINDOW < source.size ? SPARSE_WINDOW : WINDOW;
}

function nextWindow(
  source: Source,
  requests: readonly Request[],
  from: readonly number[],
  size: number,
): WindowPlan | undefined {
  let base = Number.POSITIVE_INFINITY;
  for (let k = 0; k < requests.length; k++) {
    const { offsets, to } = requests[k];
    if (from[k] < to) base = Math.min(base, offsets.at(from[k]));
  }
  if (base === Number.POSITIVE_INFINITY) return undefined;
  let end = base;
  const to = requests.map(({ offsets, schema, to: last }, k) => {
    if (from[k] >= last) return from[k];
    const next = Math.min(last, offsets.rowFrom(base + size));
    if (next > from[k]) end = Math.max(end, offsets.at(next - 1) + schema.maxSize);
    return next;
  });
  return { base, length: Math.min(end, source.size) - base, from, to };
}
