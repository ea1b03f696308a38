import type { Enumeration, Field, Table } from '../../../src/entry/pages.ts';

/** What a log and the definitions of its records tell about a field. */
export interface FieldFacts {
  readonly name: string;
  /** How it is stored: type, elements, steps. */
  readonly stored: string;
  /** Names of its values or bits, '' where it has none. */
  readonly values: string;
}

/** Names that are told: some enumerations have hundreds. */
const MOST_NAMES = 24;

export function fieldFacts(tables: readonly Table[]): FieldFacts[] {
  const fields = new Map(tables.flatMap((table) => table.fields.map((field) => [field.name, field] as const)));
  return [...fields.values()].map((field) => ({
    name: field.name,
    stored: storedText(field),
    values: field.enumeration ? valuesText(field.enumeration) : '',
  }));
}

function storedText({ type, count, divisor, unit, multiplier, siUnit }: Field): string {
  const kind = type === 'unknown' ? 'unreadable' : count === 1 ? type : `${type}[${count}]`;
  const steps = divisor === 1 ? '' : `, in steps of 1/${divisor}`;
  const factor = multiplier === undefined ? 1 : Number((multiplier * divisor).toPrecision(7));
  const si = unit !== '' && siUnit !== '' && siUnit !== unit && factor !== 0 ? `, 1 ${unit} = ${factor} ${siUnit}` : '';
  return `${kind}${steps}${si}`;
}

function valuesText({ name: prefix, bitmask, names }: Enumeration): string {
  const all = [...names];
  const shown = all.slice(0, MOST_NAMES).map(([value, name]) => `${value} ${shortName(name, prefix)}`);
  const more = all.length - shown.length;
  return `${bitmask ? 'bits: ' : ''}${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** NO_FIX for the GPS_FIX_TYPE_NO_FIX of GPS_FIX_TYPE. */
function shortName(name: string, prefix: string): string {
  return name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : name;
}
