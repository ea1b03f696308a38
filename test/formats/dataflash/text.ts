import type { Value } from '../../../src/core/column.ts';
import type { PlainFault, PlainLog, PlainRecord } from '../../suite/plain.ts';
import { type Definition, FMT, fieldsOf, safe, text, WIDTHS } from './record.ts';

interface TextType {
  readonly definition: Definition;
  readonly names: readonly string[];
  met: boolean;
}

const LONGEST_LINE = 4096;
/** Cells that a line can have: what comes behind belongs to the last. */
const MOST_CELLS = 18;
const LONGEST_NAME = 8;
const LONGEST_TEXT = 256;

/** DataFlash text logs in the plainest way: line by line, cell by cell. */
export function plainDataflashText(bytes: Uint8Array): PlainLog {
  const first = new Reading(bytes, new Map());
  return first.isLate ? new Reading(bytes, first.instances) : first;
}

class Reading implements PlainLog {
  readonly records: PlainRecord[] = [];
  readonly faults: PlainFault[] = [];
  readonly instances: Map<string, number>;
  isLate = false;
  private readonly types: Map<string, TextType> = new Map();
  private readonly numbers: Map<number, string> = new Map();

  constructor(bytes: Uint8Array, instances: ReadonlyMap<string, number>) {
    this.instances = new Map(instances);
    this.define(FMT);
    for (let at = 0; at < bytes.length; ) {
      const found = bytes.indexOf(10, at);
      const next = found < 0 ? bytes.length : found + 1;
      const length = Math.min(next - at, LONGEST_LINE);
      if (next - at > LONGEST_LINE) this.faults.push({ code: 'garbage', offset: at, length });
      else this.line(bytes.subarray(at, next), at, found < 0);
      at += length;
    }
  }

  private line(line: Uint8Array, offset: number, isUnended: boolean): void {
    const content = Buffer.from(line).toString('latin1');
    const end = content.replace(/\n$/, '').replace(/[\r ]+$/, '').length;
    const type = this.types.get(nameIn(line, end));
    if (!type) {
      this.faults.push({ code: 'text', offset, length: line.length });
      return;
    }
    const cells = cellsOf(line, end, Math.min(type.names.length + 1, MOST_CELLS));
    const isWhole = cells.length === type.names.length + 1 && this.hasIntegers(type, cells);
    if (!isWhole) {
      this.faults.push({ code: isUnended ? 'truncated' : 'damaged-record', offset, length: line.length });
      return;
    }
    const { definition } = type;
    const instance = this.instances.get(keyOf(definition));
    const stream = instance === undefined ? '' : text(cells[instance + 1]);
    const values = (): [string, Value][] =>
      type.names.map((name, i) => [name, valueOfCell(cells[i + 1], [...definition.format][i])]);
    this.records.push({ name: definition.name, stream, offset, length: line.length, values });
    if (isUnended) this.faults.push({ code: 'unended-line', offset, length: 0 });
    type.met = true;
    this.learn(definition, new Map(type.names.map((name, i) => [name, text(cells[i + 1])])));
  }

  private hasIntegers({ definition, names }: TextType, cells: readonly Uint8Array[]): boolean {
    return names.every((_, i) => !/[qQ]/.test([...definition.format][i]) || /^-?\d{1,20}$/.test(text(cells[i + 1])));
  }

  private learn(definition: Definition, cell: ReadonlyMap<string, string>): void {
    const said = (name: string): string => cell.get(name) ?? '';
    if (definition === FMT) {
      const [type, length] = [Number(said('Type')), Number(said('Length'))];
      this.define({ type, length, name: said('Name'), format: said('Format'), columns: said('Columns') });
    } else if (definition.name === 'FMTU') {
      this.assign(Number(said('FmtType')), said('UnitIds').indexOf('#'));
    }
  }

  private define(definition: Definition): void {
    const { type, name } = definition;
    this.numbers.set(type, name);
    const known = this.types.get(name)?.definition;
    if (name === '' || known === FMT || (known && keyOf(known) === keyOf(definition))) return;
    this.types.set(name, { definition, names: fieldsOf(definition, Infinity).map((field) => field.name), met: false });
  }

  private assign(number: number, instance: number): void {
    const type = this.types.get(this.numbers.get(number) ?? '');
    if (!type || instance < 0 || instance >= type.names.length) return;
    const key = keyOf(type.definition);
    if (this.instances.get(key) === instance) return;
    if (type.met) this.isLate = true;
    this.instances.set(key, instance);
  }
}

function keyOf({ name, format, columns }: Definition): string {
  return JSON.stringify([name, format, columns]);
}

/** What stands before the first comma and blank, or a short line as a whole. */
function nameIn(line: Uint8Array, end: number): string {
  const comma = Buffer.from(line).indexOf(', ');
  if (comma >= 0 && comma < Math.min(end, LONGEST_NAME)) return text(line.subarray(0, comma));
  return end <= LONGEST_NAME ? text(line.subarray(0, end)) : '';
}

/** Cells are parted by a comma and a blank, also where the blank stands behind the end of the line. */
function cellsOf(line: Uint8Array, end: number, most: number): Uint8Array[] {
  const cells: Uint8Array[] = [];
  let start = 0;
  while (cells.length < most - 1) {
    const comma = Buffer.from(line).indexOf(', ', start);
    if (comma < 0 || comma >= end) break;
    cells.push(line.subarray(start, comma));
    start = comma + 2;
  }
  return [...cells, line.subarray(Math.min(start, end), end)];
}

function valueOfCell(cell: Uint8Array, char: string): Value {
  if (char === 'q') return safe(BigInt.asIntN(64, BigInt(text(cell))));
  if (char === 'Q') return safe(BigInt.asUintN(64, BigInt(text(cell))));
  if (!WIDTHS.has(char) || /[aMnNZ]/.test(char)) return text(cell.subarray(0, LONGEST_TEXT));
  const word = text(cell).trim().toLowerCase();
  if (/^[+-]?inf(inity)?$/.test(word)) return word.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(word) ? Number(word) : Number.NaN;
}
