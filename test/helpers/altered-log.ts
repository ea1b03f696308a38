/* DataFlash logs (binary) of which single records are changed or left out: real flights with a fault that is known. */

const HEAD = [0xa3, 0x95] as const;
const FMT = 128;
const FMT_LENGTH = 89;
/** Bytes of each type of field. */
const SIZES: Readonly<Record<string, number>> = {
  ...{ b: 1, B: 1, M: 1, h: 2, H: 2, c: 2, C: 2, g: 2, i: 4, I: 4, e: 4, E: 4, L: 4, f: 4, n: 4, d: 8, q: 8, Q: 8 },
  ...{ N: 16, Z: 64, a: 64 },
};
/** What a stored number is divided by. */
const SCALES: Readonly<Record<string, number>> = { c: 100, C: 100, e: 100, E: 100, L: 1e7 };

interface Field {
  readonly type: string;
  readonly at: number;
}

interface Format {
  readonly name: string;
  readonly length: number;
  readonly fields: ReadonlyMap<string, Field>;
}

/** One record of a log: its fields can be read, and numbers written. */
export class LoggedRecord {
  readonly name: string;
  /** Seconds since boot, of the newest record with a time. */
  readonly seconds: number;
  private readonly format: Format;
  private readonly bytes: Uint8Array;

  constructor(format: Format, bytes: Uint8Array, seconds: number) {
    this.name = format.name;
    this.format = format;
    this.bytes = bytes;
    const time = this.number('TimeUS');
    this.seconds = Number.isNaN(time) ? seconds : time / 1e6;
  }

  /** The value of a field, NaN where there is no such number. */
  number(field: string): number {
    const { type, at } = this.format.fields.get(field) ?? { type: '', at: 0 };
    const view = this.view();
    const scale = SCALES[type] ?? 1;
    if (type === 'f') return view.getFloat32(at, true);
    if (type === 'Q') return Number(view.getBigUint64(at, true));
    if ('BM'.includes(type) && type) return view.getUint8(at);
    if ('HC'.includes(type) && type) return view.getUint16(at, true) / scale;
    if ('hc'.includes(type) && type) return view.getInt16(at, true) / scale;
    if ('ieL'.includes(type) && type) return view.getInt32(at, true) / scale;
    return 'IE'.includes(type) && type ? view.getUint32(at, true) / scale : Number.NaN;
  }

  text(field: string): string {
    const { type, at } = this.format.fields.get(field) ?? { type: 'N', at: 0 };
    return new TextDecoder('latin1').decode(this.bytes.subarray(at, at + SIZES[type])).replace(/\0.*$/s, '');
  }

  /** Changes a field by what is done to its value; one that the record does not have stays away. */
  change(field: string, to: (value: number) => number): void {
    const found = this.format.fields.get(field);
    if (!found) return;
    const { type, at } = found;
    const [view, value] = [this.view(), to(this.number(field)) * (SCALES[type] ?? 1)];
    if (type === 'f') view.setFloat32(at, value, true);
    else if (type === 'Q') view.setBigUint64(at, BigInt(Math.round(value)), true);
    else if (SIZES[type] === 1) view.setUint8(at, value);
    else if (SIZES[type] === 2) view.setUint16(at, Math.round(value), true);
    else view.setUint32(at, Math.round(value), true);
  }

  private view(): DataView {
    return new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
  }
}

/** A copy of a log with its records changed, without those for which `edit` gives false. */
export function alteredLog(original: Uint8Array, edit: (record: LoggedRecord) => boolean | undefined): Uint8Array {
  const bytes = original.slice();
  const formats = new Map<number, Format>([
    [FMT, formatOf('FMT', FMT_LENGTH, 'BBnNZ', 'Type,Length,Name,Format,Columns')],
  ]);
  const kept: Uint8Array[] = [];
  let seconds = 0;
  for (let at = 0; at + 3 <= bytes.length; ) {
    const format = bytes[at] === HEAD[0] && bytes[at + 1] === HEAD[1] ? formats.get(bytes[at + 2]) : undefined;
    if (!format) throw new Error(`no record at byte ${at}`);
    const own = bytes.subarray(at, at + format.length);
    at += format.length;
    if (own.length < format.length) break;
    const record = new LoggedRecord(format, own, seconds);
    seconds = record.seconds;
    if (format.name === 'FMT')
      formats.set(own[3], formatOf(record.text('Name'), own[4], record.text('Format'), record.text('Columns')));
    if (edit(record) !== false) kept.push(own);
  }
  return joined(kept);
}

function formatOf(name: string, length: number, types: string, columns: string): Format {
  const fields = new Map<string, Field>();
  let at = 3;
  for (const [i, column] of columns.split(',').entries()) {
    fields.set(column, { type: types[i], at });
    at += SIZES[types[i]] ?? 0;
  }
  return { name, length, fields };
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
