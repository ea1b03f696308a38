import type { Decoder, Sink } from '../../core/decoder.ts';
import { LazyFault } from '../../core/fault.ts';
import type { Format } from '../../core/format.ts';
import { LIMITS } from '../../core/limits.ts';
import { ScanningDecoder } from '../../core/scanning-decoder.ts';
import type { Field, Schema } from '../../core/schema.ts';
import { textOf } from '../../core/text.ts';
import { Cells, cellCodec, integer, trimmedEnd } from './cells.ts';
import { characterOf, type Definition, FMT_DEFINITION, fieldOf, pairColumns } from './schema.ts';
import { Units } from './units.ts';

/*
 * A text log, as old ground stations downloaded it: a line a record, values after scaling.
 *
 *     FMT, 130, 45, GPS, BIHBcLLeeEefI, Status,TimeMS,Week,...
 *     GPS, 3, 109206800, 1774, 9, 2.42, -39.4950300, ...
 *     name, cell, cell ...
 *
 * https://ardupilot.org/copter/docs/common-downloading-and-analyzing-data-logs-in-mission-planner.html
 */

/** The line that identifies a text log. */
const FORMAT_LINE: RegExp = /(^|\n)FMT, \d+, \d+, \w{1,4}, [A-Za-z]*, /;

const BATCH = 1024;
const NEWLINE = 10;
/** Text cells may hold more than the 64 bytes that a binary record has room for. */
const TEXT_BYTES = 256;
const SHORT_LINE = 64;
/** Bytes shown of a line that is not a record. */
const SHOWN = 60;

interface TextType {
  readonly definition: Definition;
  readonly schema: Schema;
  readonly tables: Map<string, number>;
  /** Cells of which the record cannot do without, its name included. */
  readonly cells: number;
  met: boolean;
}

/** Finds the records of a text log: every line that begins with a defined name and has all its cells. */
class TextLogDecoder extends ScanningDecoder {
  private readonly cells = new Cells();
  private readonly units = new Units();
  private readonly types: Map<string, TextType> = new Map();
  private readonly numbers: Map<number, string> = new Map();
  private readonly instances: Map<string, number>;
  private readonly isSecond: boolean;
  private isLate = false;
  private tableCount = 0;
  private schemaCount = 0;

  constructor(sink: Sink, instances?: ReadonlyMap<string, number>) {
    super(sink, BATCH);
    this.isSecond = instances !== undefined;
    this.instances = new Map(instances);
    this.define(FMT_DEFINITION);
  }

  override end(): void {
    super.end();
    this.units.apply();
  }

  again(sink: Sink): Decoder | undefined {
    return this.isLate && !this.isSecond ? new TextLogDecoder(sink, this.instances) : undefined;
  }

  protected scan(bytes: Uint8Array, from: number, _base: number, final: boolean): number {
    let at = from;
    while (at < bytes.length) {
      // a line longer than any record is passed over in pieces of that length, wherever the chunks end
      const limit = at + LIMITS.lineBytes;
      const end = this.endOfLine(bytes, at, Math.min(limit, bytes.length));
      const isLong = end === limit && bytes.length > limit;
      const isEnded = end < limit && end < bytes.length;
      if (!isLong && !isEnded && !final) break;
      const next = isLong || !isEnded ? end : end + 1;
      if (isLong) this.tooLong(at, next);
      else this.line(bytes, at, next, !isEnded);
      at = next;
    }
    return at;
  }

  /** Short lines are looked through here, long ones faster by the engine. */
  private endOfLine(bytes: Uint8Array, from: number, to: number): number {
    const near = Math.min(from + SHORT_LINE, to);
    for (let at = from; at < near; at++) if (bytes[at] === NEWLINE) return at;
    if (near === to) return to;
    const found = bytes.subarray(near, to).indexOf(NEWLINE);
    return found < 0 ? to : near + found;
  }

  private tooLong(at: number, next: number): void {
    const offset = this.batch.base + at;
    this.fault('garbage', at, next, true, () => `line at offset ${offset} is longer than ${LIMITS.lineBytes} bytes`);
  }

  private line(bytes: Uint8Array, at: number, next: number, unended: boolean): void {
    const end = trimmedEnd(bytes, at, next);
    if (end === at) {
      this.fault('text', at, next, false, emptyLine);
      return;
    }
    const type = this.types.get(this.nameOf(bytes, at, end));
    if (!type) {
      const text = textOf(bytes, at, Math.min(end, at + SHOWN));
      this.fault('text', at, next, false, () => `line is not a record: ${text}`);
      return;
    }
    const { name } = type.definition;
    this.cells.split(bytes, at, end, type.cells);
    const { cells } = this;
    const bad = cells.count < type.cells ? `${cells.count - 1} of ${type.cells - 1} cells` : this.badCell(type, bytes);
    if (bad !== undefined) {
      const cut = unended ? 'is cut by the end' : 'is damaged';
      const text = `line ${name} at offset ${this.batch.base + at} ${cut}: ${bad}`;
      this.fault(unended ? 'truncated' : 'damaged-record', at, next, true, () => text);
      return;
    }
    this.addRecord(type, bytes, at, next);
    if (unended) {
      const text = `last line, ${name}, has no end: its last value may be cut`;
      this.sink.fault({ code: 'unended-line', offset: this.batch.base + at, length: 0, lost: false, text });
    }
  }

  private nameOf(bytes: Uint8Array, at: number, end: number): string {
    this.cells.split(bytes, at, Math.min(end, at + 8), 2);
    return this.cells.count > 1 || end - at <= 8 ? textOf(bytes, at, this.cells.ends[0]) : '';
  }

  /** 64-bit integers have no value that means missing, so their cells must be right for the line to be a record. */
  private badCell({ schema }: TextType, bytes: Uint8Array): string | undefined {
    for (const { type, name, offset } of schema.fields) {
      if (type !== 'int64' && type !== 'uint64') continue;
      if (integer(bytes, this.cells.starts[offset], this.cells.ends[offset]) === undefined)
        return `${name} is not an integer`;
    }
    return undefined;
  }

  private addRecord(type: TextType, bytes: Uint8Array, at: number, next: number): void {
    const { batch } = this;
    batch.table[batch.count] = this.tableId(type, bytes);
    batch.start[batch.count] = at;
    batch.size[batch.count] = next - at;
    type.met = true;
    this.learn(type, bytes);
    if (++batch.count === BATCH) this.flush();
  }

  private tableId(type: TextType, bytes: Uint8Array): number {
    const field = type.schema.fields[type.schema.instance];
    const wanted = field ? this.cell(bytes, field.offset) : '';
    const stream = this.tableCount < LIMITS.tables ? wanted : '';
    const known = type.tables.get(wanted) ?? type.tables.get(stream);
    if (known !== undefined) return known;
    const id = this.tableCount++;
    type.tables.set(stream, id);
    this.sink.table(id, type.schema, stream);
    return id;
  }

  private cell(bytes: Uint8Array, index: number): string {
    return index < this.cells.count ? textOf(bytes, this.cells.starts[index], this.cells.ends[index]) : '';
  }

  private learn({ schema, definition }: TextType, bytes: Uint8Array): void {
    const named = (name: string): string => {
      const field = schema.fields.find((each) => each.name === name);
      return field ? this.cell(bytes, field.offset) : '';
    };
    if (definition === FMT_DEFINITION) {
      const [type, length] = [Number(named('Type')), Number(named('Length'))];
      this.define({ type, length, name: named('Name'), format: named('Format'), columns: named('Columns') });
    } else if (definition.name === 'FMTU') {
      this.assign(Number(named('FmtType')), named('UnitIds'), named('MultIds'));
    } else if (definition.name === 'UNIT') {
      this.units.label(Number(named('Id')), named('Label'));
    } else if (definition.name === 'MULT') {
      this.units.factor(Number(named('Id')), Number(named('Mult')));
    }
  }

  private define(definition: Definition): void {
    const { name, type } = definition;
    this.numbers.set(type, name);
    const known = this.types.get(name)?.definition;
    const isSame = known && known.format === definition.format && known.columns === definition.columns;
    // the definition of FMT is preset: what a log says of it is often short of a column
    if (name === '' || isSame || known === FMT_DEFINITION || this.schemaCount >= LIMITS.schemas) return;
    this.schemaCount++;
    const schema = textSchema(definition);
    schema.instance = this.instances.get(signatureOf(definition)) ?? -1;
    const cells = schema.fields.length + 1;
    this.types.set(name, { definition, schema, tables: new Map(), cells, met: false });
  }

  private assign(number: number, units: string, multipliers: string): void {
    const type = this.types.get(this.numbers.get(number) ?? '');
    if (!type) return;
    const { schema, definition } = type;
    this.units.assign(schema, { units, multipliers, format: definition.format, text: true });
    const instance = units.indexOf('#');
    if (instance < 0 || instance >= schema.fields.length || schema.instance === instance) return;
    if (type.met) this.isLate = true;
    this.instances.set(signatureOf(definition), instance);
    schema.instance = instance;
  }

  private fault(code: string, from: number, to: number, lost: boolean, sentence: () => string): void {
    this.flush();
    this.sink.fault(new LazyFault(code, this.batch.base + from, to - from, lost, undefined, sentence));
  }
}

function emptyLine(): string {
  return 'empty line';
}

function signatureOf({ name, format, columns }: Definition): string {
  return JSON.stringify([name, format, columns]);
}

/** Values in text are scaled decimals; a flight mode is its name. */
function textSchema(definition: Definition): Schema {
  const fields = pairColumns(definition).map(({ name, char }, i) => textField(name, char, i + 1));
  const cells = fields.length + 1;
  return {
    name: definition.name,
    fields,
    size: 0,
    maxSize: LIMITS.lineBytes,
    instance: -1,
    codec: cellCodec(cells),
  };
}

function textField(name: string, char: string, cell: number): Field {
  const known = characterOf(char);
  if (char === 'q' || char === 'Q')
    return fieldOf(name, { type: char === 'q' ? 'int64' : 'uint64', count: 1, divisor: 1 }, cell);
  if (!known || known.type === 'text' || known.count > 1 || char === 'M')
    return fieldOf(name, { type: 'text', count: TEXT_BYTES, divisor: 1 }, cell);
  return fieldOf(name, { type: 'float64', count: 1, divisor: 1 }, cell);
}

export const dataflashText: Format = {
  name: 'dataflash-text',
  title: 'DataFlash text log (.log)',
  isOnboard: true,
  protocols: [],
  writes: [],
  detect(bytes) {
    let head = '';
    for (const byte of bytes) head += String.fromCharCode(byte);
    return FORMAT_LINE.test(head) ? 0.9 : 0;
  },
  decoder: (sink) => new TextLogDecoder(sink),
  clock: async (input) => (await import('./clock.ts')).dataflashClock(input),
};
