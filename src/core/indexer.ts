import { Column } from './column.ts';
import { type GroupRun, RecordBatch, type Sink } from './decoder.ts';
import { type Fault, FaultList } from './fault.ts';
import { LIMITS } from './limits.ts';
import { BLOCK_OFFSETS, OffsetLists, type Offsets } from './offsets.ts';
import { type Schema, TYPE_BYTES } from './schema.ts';
import type { Source } from './source.ts';
import { RecordTable } from './table.ts';

const TWO_32 = 2 ** 32;
/** Numbers that tables may have in a batch. */
const TABLES = 65536;

/** Turns what a decoder finds into tables: only the offset of each record is kept. */
export class Indexer implements Sink {
  readonly tables: RecordTable[] = [];
  readonly faults: FaultList = new FaultList();
  readonly lists: OffsetLists;
  private source: Source;
  private readonly offsets: Offsets[] = [];

  constructor(source: Source) {
    this.source = source;
    this.lists = new OffsetLists(TABLES, source.size);
  }

  /** Says which source offsets refer to, before any record comes: a container makes another one. */
  readFrom(source: Source): void {
    this.source = source;
    this.lists.size = source.size;
  }

  table(id: number, schema: Schema, stream: string): void {
    const list = this.lists.open(id);
    this.offsets[id] = list;
    this.tables.push(new RecordTable(schema, stream, this.source, list));
  }

  records({ base, count, table, start }: RecordBatch): void {
    const { offsets, lists } = this;
    if (base + start[count - 1] >= TWO_32) {
      for (let i = 0; i < count; i++) offsets[table[i]].push(base + start[i]);
      return;
    }
    const { next } = lists;
    let { memory } = lists;
    // sums of 32 bits are enough, and quicker than those of numbers
    const lower = base | 0;
    for (let i = 0; i < count; i++) {
      const id = table[i];
      const at = next[id];
      memory[at] = (start[i] + lower) | 0;
      next[id] = at + 1;
      if ((at + 1) % BLOCK_OFFSETS === 0) {
        lists.more(id);
        memory = lists.memory;
      }
    }
  }

  groups({ base, start, count, width, table, place }: GroupRun): void {
    const { offsets, lists } = this;
    for (let k = 0; k < width; k++) {
      const id = table[k];
      const shift = base + place[k];
      if (shift + start[count - 1] >= TWO_32) {
        for (let i = 0; i < count; i++) offsets[id].push(start[i] + shift);
        continue;
      }
      const lower = shift | 0;
      let at = lists.next[id];
      for (let i = 0; i < count; ) {
        const { memory } = lists;
        const stop = Math.min(count, i + BLOCK_OFFSETS - (at % BLOCK_OFFSETS));
        for (; i < stop; i++) memory[at++] = (start[i] + lower) | 0;
        lists.next[id] = at;
        if (at % BLOCK_OFFSETS === 0) {
          lists.more(id);
          at = lists.next[id];
        }
      }
    }
  }

  fault(fault: Fault): void {
    this.faults.add(fault);
  }
}

/** What will be read of a log, if known; it may name more than that. */
export interface ReadPlan {
  table(name: string): boolean;
  /** @param place of the field among those of its table */
  field(name: string, place: number): boolean;
}

/** Fills planned columns while the bytes are in memory, before an indexer; only counts records of other tables. */
export class Picker implements Sink {
  private readonly indexer: Indexer;
  private readonly wanted: ReadPlan;
  private readonly size: number;
  private readonly picks: (Pick | undefined)[] = [];
  private readonly tables: RecordTable[] = [];
  /** By the number of the table: 1 where records are let through, and how many came. */
  private readonly passes = new Uint8Array(TABLES);
  private readonly counts = new Uint32Array(TABLES);
  private rest = new RecordBatch(1024);
  /** Bytes that columns have room for. */
  private taken = 0;

  /** @param size bytes of the source */
  constructor(indexer: Indexer, wanted: ReadPlan, size: number) {
    this.indexer = indexer;
    this.wanted = wanted;
    this.size = size;
  }

  table(id: number, schema: Schema, stream: string): void {
    this.indexer.table(id, schema, stream);
    this.tables[id] = this.indexer.tables[this.indexer.tables.length - 1];
    const isWanted = this.wanted.table(schema.name);
    this.passes[id] = isWanted ? 1 : 0;
    const fields = schema.fields.filter(({ name }, place) => this.wanted.field(name, place));
    this.picks[id] = isWanted && fields.length > 0 ? new Pick(schema, fields) : undefined;
  }

  records(batch: RecordBatch): void {
    const { bytes, base, count, table, start } = batch;
    const { passes, counts, picks } = this;
    if (this.rest.table.length < count) this.rest = new RecordBatch(table.length);
    const { rest } = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const id = table[i];
      // without a branch, since it could not be foretold: what does not pass is written over by the next
      rest.table[kept] = id;
      rest.start[kept] = start[i];
      kept += passes[id];
      counts[id]++;
    }
    if (kept === 0) return;
    rest.bytes = bytes;
    rest.base = base;
    rest.count = kept;
    this.indexer.records(rest);
    for (let i = 0; i < kept; i++) picks[rest.table[i]]?.add(rest.start[i]);
    // if the rest of the source is like what was seen, each table grows by this factor
    const factor = (1.05 * this.size) / (base + start[count - 1] + 1);
    for (const [id, pick] of picks.entries()) {
      if (!pick?.isWaiting) continue;
      const grown = pick.grown(factor);
      if (this.taken + grown > LIMITS.heldBytes) {
        // too much for memory: they are read from the source, as those that were not planned
        picks[id] = undefined;
        continue;
      }
      this.taken += grown;
      pick.fill(bytes);
    }
  }

  fault(fault: Fault): void {
    this.indexer.fault(fault);
  }

  /** At the end: gives tables their columns, and returns those whose records were only counted. */
  finish(): Map<RecordTable, number> {
    const counted = new Map<RecordTable, number>();
    for (const [id, table] of this.tables.entries()) {
      if (!table) continue;
      if (this.passes[id] === 0) counted.set(table, this.counts[id]);
      else table.keep(this.picks[id]?.columns() ?? []);
    }
    return counted;
  }
}

/** The wanted columns of a table, as far as they are filled. */
class Pick {
  private readonly schema: Schema;
  private readonly width: number;
  private filled: Column[];
  private rows = 0;
  private room = 0;
  private nextRoom = 0;
  /** Where the records begin that are not yet in the columns. */
  private starts = new Int32Array(64);
  private count = 0;

  constructor(schema: Schema, fields: Schema['fields']) {
    this.schema = schema;
    this.width = fields.reduce((sum, { type, count }) => sum + TYPE_BYTES[type] * count, 0);
    this.filled = fields.map((field) => new Column(field, 0));
  }

  get isWaiting(): boolean {
    return this.count > 0;
  }

  add(start: number): void {
    if (this.count === this.starts.length) {
      const more = new Int32Array(this.count * 4);
      more.set(this.starts);
      this.starts = more;
    }
    this.starts[this.count++] = start;
  }

  /** Bytes that the columns will grow by. @param factor by which the table is expected to grow until the end */
  grown(factor: number): number {
    const rows = this.rows + this.count;
    if (rows <= this.room) return 0;
    this.nextRoom = Math.max(rows * 2, Math.min(Math.ceil(rows * factor), rows * 64));
    return (this.nextRoom - this.room) * this.width;
  }

  fill(bytes: Uint8Array): void {
    if (this.nextRoom > this.room) {
      this.room = this.nextRoom;
      this.filled = this.filled.map((column) => {
        const grown = new Column(column.field, this.room);
        grown.bits8.set(column.bits8);
        return grown;
      });
    }
    this.schema.codec.read(bytes, this.starts, this.count, this.filled, this.rows);
    this.rows += this.count;
    this.count = 0;
  }

  columns(): Column[] {
    return this.filled.map((column) => column.slice(0, this.rows));
  }
}
