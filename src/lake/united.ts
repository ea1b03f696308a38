import { caseFolded, sqlName } from '../core/names.ts';

/** A column as SQL knows it. */
export interface ColumnType {
  readonly name: string;
  /** As SQL names it: 'FLOAT', 'UTINYINT[]' ... */
  readonly type: string;
}

/** Bits of whole numbers; those without a sign are negative here. */
const WHOLE: Readonly<Record<string, number>> = {
  TINYINT: 8,
  SMALLINT: 16,
  INTEGER: 32,
  BIGINT: 64,
  UTINYINT: -8,
  USMALLINT: -16,
  UINTEGER: -32,
  UBIGINT: -64,
};
const SIGNED: readonly (readonly [bits: number, type: string])[] = [
  [8, 'TINYINT'],
  [16, 'SMALLINT'],
  [32, 'INTEGER'],
  [64, 'BIGINT'],
];
/** Holds all whole numbers of 64 bits, with a sign or without. */
const ANY_WHOLE = 'DECIMAL(20,0)';
/** Bits of a whole number that every FLOAT holds. */
const FLOAT_BITS = 16;

/** Firmwares change the types of fields: the narrowest type that holds the values of both. */
export function unitedType(a: string, b: string): string {
  if (a === b) return a;
  if (a.endsWith('[]') || b.endsWith('[]')) return `${unitedType(elementOf(a), elementOf(b))}[]`;
  const [bitsA, bitsB] = [WHOLE[a], WHOLE[b]];
  if (bitsA !== undefined && bitsB !== undefined) return unitedWhole(a, b);
  const isNumber = (type: string): boolean =>
    WHOLE[type] !== undefined || type === ANY_WHOLE || type === 'FLOAT' || type === 'DOUBLE';
  if (!isNumber(a) || !isNumber(b)) return 'VARCHAR';
  const isFloating = (type: string): boolean => type === 'FLOAT' || type === 'DOUBLE';
  if (!isFloating(a) && !isFloating(b)) return ANY_WHOLE;
  const fits = (type: string): boolean => type === 'FLOAT' || Math.abs(WHOLE[type] ?? 64) <= FLOAT_BITS;
  return fits(a) && fits(b) ? 'FLOAT' : 'DOUBLE';
}

function unitedWhole(a: string, b: string): string {
  const [bitsA, bitsB] = [WHOLE[a], WHOLE[b]];
  if (bitsA < 0 && bitsB < 0) return bitsA < bitsB ? a : b;
  // a sign takes a bit more
  const needed = Math.max(...[bitsA, bitsB].map((bits) => (bits < 0 ? 1 - bits : bits)));
  return SIGNED.find(([bits]) => bits >= needed)?.[1] ?? ANY_WHOLE;
}

function elementOf(type: string): string {
  return type.endsWith('[]') ? type.slice(0, -2) : type;
}

/** Columns of several schemas by name, whatever its case, each in a type that holds all of them. */
export function unitedColumns(schemas: readonly (readonly ColumnType[])[]): ColumnType[] {
  const united = new Map<string, ColumnType>();
  for (const { name, type } of schemas.flat()) {
    const known = united.get(caseFolded(name));
    united.set(caseFolded(name), known ? { name: known.name, type: unitedType(known.type, type) } : { name, type });
  }
  return [...united.values()];
}

/** The columns of one schema, named and typed as those of the united one. */
export function selectUnited(own: readonly ColumnType[], united: readonly ColumnType[]): string[] {
  const wanted = new Map(united.map((column) => [caseFolded(column.name), column]));
  return own.map(({ name, type }) => {
    const to = wanted.get(caseFolded(name)) ?? { name, type };
    return `${cast(sqlName(name), type, to.type)} AS ${sqlName(to.name)}`;
  });
}

function cast(column: string, from: string, to: string): string {
  if (from === to) return column;
  // a value becomes a list of one
  const value =
    to.endsWith('[]') && !from.endsWith('[]') ? `CASE WHEN ${column} IS NULL THEN NULL ELSE [${column}] END` : column;
  return `CAST(${value} AS ${to})`;
}
