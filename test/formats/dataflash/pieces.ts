import type { PlainRecord } from '../../suite/plain.ts';
import { concat } from '../../suite/random.ts';
import type { Sample } from '../../suite/sample.ts';
import { plainDataflash } from './reference.ts';

/** A part of a log: records of some types, `length` bytes of them. */
export interface Piece {
  readonly types: readonly string[];
  readonly length: number;
  /** Where in the log it begins. */
  readonly from?: number;
  /** Whether what FMTU records say of the types is part of it. */
  readonly units?: boolean;
}

/**
 * Small logs out of a large one, each with the definitions that its records need. A whole log begins with some hundred
 * definitions, which would be all that a test of a few kilobytes sees.
 */
export function piecesOf({ name, bytes }: Sample, pieces: readonly Piece[]): Sample[] {
  const { records } = plainDataflash(bytes);
  return pieces.map((piece) => ({
    name: `${piece.types.join(' ')} of ${name}`,
    bytes: concat(...chosen(records, piece).map(({ offset, length }) => bytes.subarray(offset, offset + length))),
  }));
}

function chosen(records: readonly PlainRecord[], { types, length, from = 0, units = false }: Piece): PlainRecord[] {
  const names = new Set(units ? [...types, 'FMTU'] : types);
  const numbers = new Set<unknown>();
  const head: PlainRecord[] = [];
  const body: PlainRecord[] = [];
  let left = length;
  for (const record of records) {
    if (record.name === 'FMT') {
      const values = new Map(record.values());
      if (!names.has(String(values.get('Name')))) continue;
      numbers.add(values.get('Type'));
      head.push(record);
    } else if (record.name === 'FMTU' && units) {
      if (numbers.has(new Map(record.values()).get('FmtType'))) head.push(record);
    } else if (types.includes(record.name) && record.offset >= from && left > 0) {
      body.push(record);
      left -= record.length;
    }
  }
  return [...head, ...body];
}

/** The same log as text, as a ground station would have downloaded it. */
export function asText({ name, bytes }: Sample): Sample {
  const lines = plainDataflash(bytes).records.map((record) =>
    [record.name, ...record.values().map(([, value]) => String(value))].join(', '),
  );
  const text = ['', 'ArduCopter V4.8.0-dev', 'Free RAM: 1044', ...lines, ''].join('\r\n');
  return { name: `${name} as text`, bytes: new TextEncoder().encode(text) };
}
