// A sink of a decoder that fills columns while records are found, as a program would for a stream that it reads once.
import { Column } from '../dist/core/column.js';

const LEAST_ROOM = 256;
const NOT_WANTED = -1;

export class ColumnCollector {
  tables = [];
  indexOf = new Int32Array(65536).fill(NOT_WANTED);

  /** @param wants which schemas. @param size bytes in all, so that memory is asked for once */
  constructor(wants, size) {
    this.wants = wants;
    this.size = size;
  }

  table(id, schema) {
    if (!this.wants(schema)) return;
    this.indexOf[id] = this.tables.length;
    this.tables.push({ schema, starts: new Uint32Array(LEAST_ROOM), count: 0, rows: 0, room: 0, columns: [] });
  }

  records({ bytes, base, count, table, start }) {
    const { indexOf, tables } = this;
    for (let i = 0; i < count; i++) {
      const index = indexOf[table[i]];
      if (index === NOT_WANTED) continue;
      const each = tables[index];
      if (each.count === each.starts.length) each.starts = longer(each.starts);
      each.starts[each.count++] = start[i];
    }
    // if the rest of the source is like what was seen, each table grows by this factor
    const factor = (1.05 * this.size) / (base + bytes.length);
    for (const each of tables) if (each.count > 0) read(bytes, each, factor);
  }

  fault() {}

  collected() {
    return this.tables.map(({ rows, columns }) => ({ rows, columns: columns.map((column) => column.slice(0, rows)) }));
  }
}

/** Decodes the records of the current batch, while their bytes are still in the cache. */
function read(bytes, table, factor) {
  const { schema, count } = table;
  const rows = table.rows + count;
  if (rows > table.room) {
    table.room = Math.max(LEAST_ROOM, 2 * table.room, rows, Math.min(Math.ceil(rows * factor), 64 * rows));
    table.columns = schema.fields.map((field, i) => grown(field, table.columns[i], table.room));
  }
  schema.codec.read(bytes, table.starts, count, table.columns, table.rows);
  table.rows = rows;
  table.count = 0;
}

function grown(field, column, rows) {
  const next = new Column(field, rows);
  if (column) next.bits8.set(column.bits8);
  return next;
}

function longer(starts) {
  const next = new Uint32Array(2 * starts.length);
  next.set(starts);
  return next;
}
