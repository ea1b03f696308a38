import type { Value } from '../../core/column.ts';
import { textOf } from '../../core/text.ts';
import { NMEA_LIMITS } from './limits.ts';
import type { CellSpec, Group } from './notation.ts';
import { groupsIn, type Sentence, type ShortForm } from './sentence.ts';
import {
  DATE_BYTES,
  decimalAt,
  degreesAt,
  hexAt,
  letteredAt,
  MOST_DEGREES,
  putDate,
  signAt,
  timeAt,
  usedAt,
  writeDate,
} from './value.ts';

/** The cells of one sentence as values, not as columns of many. */
export class CellReader {
  private bytes: Uint8Array = new Uint8Array(0);
  /** Where each cell begins; the first is cell 1. */
  readonly starts: Int32Array = new Int32Array(NMEA_LIMITS.sentenceBytes + 2);
  private count = 0;
  private end = 0;
  private readonly out = new Uint8Array(DATE_BYTES);
  /** The date that was read last, and its bytes as one number. */
  private day = '';
  private dayKey = Number.NaN;

  /** The fields of a sentence of `count` cells, of which the last ends at `end`; `starts` says where they begin. */
  read(bytes: Uint8Array, count: number, end: number, sentence: Sentence): Record<string, Value> {
    this.bytes = bytes;
    this.count = count;
    this.end = end;
    // each cell ends before the comma that the next one begins after: so does the last
    this.starts[count + 1] = end + 1;
    const { layout, short } = sentence;
    if (short && count <= short.cells) return this.readShort(layout.fields, short);
    const data: Record<string, Value> = {};
    const { group } = layout;
    if (group) this.readGroups(data, layout.fields, group, groupsIn(sentence, group, count));
    else for (const spec of layout.fields) data[spec.name] = this.value(spec, spec.cell);
    if (short) for (const spec of short.extra) data[spec.name] = spec.missing;
    return data;
  }

  private readShort(fields: readonly CellSpec[], { cellOf, extra }: ShortForm): Record<string, Value> {
    const data: Record<string, Value> = {};
    for (const spec of fields) {
      const cell = cellOf.get(spec.name);
      data[spec.name] = cell === undefined ? spec.missing : this.value(spec, cell);
    }
    for (const spec of extra) data[spec.name] = this.value(spec, spec.cell);
    return data;
  }

  private readGroups(data: Record<string, Value>, fields: readonly CellSpec[], group: Group, groups: number): void {
    for (const spec of fields) {
      if (spec.place === 'before') data[spec.name] = this.value(spec, spec.cell);
      else if (spec.place === 'group') this.repeat(data, spec, group, groups);
      else data[spec.name] = this.value(spec, spec.cell + moved(group, groups));
    }
  }

  /** A field of cells that repeat: an array, or for a group that holds texts a field for each repetition. */
  private repeat(data: Record<string, Value>, spec: CellSpec, group: Group, groups: number): void {
    if (group.numbered) {
      for (let k = 0; k < Math.max(1, groups); k++)
        data[`${spec.name}_${k + 1}`] = this.value(spec, spec.cell + k * group.size);
      return;
    }
    const length = group.open ? Math.max(group.slots, groups) : group.slots;
    const elements: (number | null)[] = new Array(length);
    for (let k = 0, cell = spec.cell; k < length; k++, cell += group.size)
      elements[k] = k < groups ? (this.value(spec, cell) as number | null) : null;
    data[spec.name] = elements;
  }

  private value(spec: CellSpec, cell: number): Value {
    if (cell > this.count) return spec.missing;
    const { bytes, starts } = this;
    const at = starts[cell];
    const end = starts[cell + 1] - 1;
    if (at === end && spec.kind !== 'rest') return spec.missing;
    switch (spec.kind) {
      case 'number':
        return known(decimalAt(bytes, at, end));
      case 'text':
        return end - at === 1 && bytes[at] < 0x80 ? String.fromCharCode(bytes[at]) : textOf(bytes, at, end);
      case 'time':
        return known(timeAt(bytes, at, end));
      case 'lat':
      case 'lon': {
        const degrees = degreesAt(bytes, at, end);
        return degrees <= MOST_DEGREES[spec.kind] ? known(degrees * this.sign(cell + 1, spec.signs)) : null;
      }
      case 'signed':
        return known(decimalAt(bytes, at, end) * this.sign(cell + 1, spec.signs));
      case 'hex':
        return known(hexAt(bytes, at, end));
      case 'used':
        return known(usedAt(bytes, at, end));
      case 'lettered':
        return known(letteredAt(bytes, at, end));
      case 'rest':
        return textOf(bytes, at, this.end);
      default:
        return this.date(spec, cell);
    }
  }

  private endOf(cell: number): number {
    return this.starts[cell + 1] - 1;
  }

  private sign(cell: number, signs: string): number {
    if (cell > this.count) return Number.NaN;
    return signAt(this.bytes, this.starts[cell], this.endOf(cell), signs.charCodeAt(0), signs.charCodeAt(1));
  }

  private date({ kind, order }: CellSpec, cell: number): string {
    const { bytes, out } = this;
    out[0] = 0;
    if (kind === 'day-month-year') {
      putDate(this.number(cell + 2), this.number(cell + 1), this.number(cell), out, 0);
      return this.writtenDay();
    }
    const at = this.starts[cell];
    const end = this.endOf(cell);
    // six bytes are a number below 2^48: neighbours mostly have the same day
    let key = order === 'dmy' && end - at === 6 ? 0 : Number.NaN;
    if (key === 0) for (let i = at; i < end; i++) key = key * 256 + bytes[i];
    if (key !== this.dayKey) {
      writeDate(bytes, at, end, order, out, 0);
      this.day = this.writtenDay();
      this.dayKey = key;
    }
    return this.day;
  }

  private writtenDay(): string {
    return this.out[0] === 0 ? '' : textOf(this.out, 0, DATE_BYTES);
  }

  private number(cell: number): number {
    return cell > this.count ? Number.NaN : decimalAt(this.bytes, this.starts[cell], this.endOf(cell));
  }
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** By how many cells those after the repetitions move. */
function moved(group: Group, groups: number): number {
  return group.open ? (groups - group.slots) * group.size : 0;
}
