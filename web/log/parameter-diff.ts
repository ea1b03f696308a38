import type { ParameterInfo } from './worker/answers.ts';

/** A parameter, and the same of another log beside it. */
export interface ParameterRow {
  readonly name: string;
  readonly value: number | null;
  readonly default: number | null;
  /** How often it changed on the way. */
  readonly changes: number;
  readonly other: number | null;
  /** Whether the two logs differ in it. */
  readonly differs: boolean;
}

/** The parameters of a log by name, beside those of another where there is one. */
export function parameterRows(own: readonly ParameterInfo[], others: readonly ParameterInfo[] | null): ParameterRow[] {
  const mine = new Map(own.map((parameter) => [parameter.name, parameter]));
  const theirs = new Map((others ?? []).map((parameter) => [parameter.name, parameter]));
  const names = [...new Set([...mine.keys(), ...theirs.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return names.map((name) => {
    const value = mine.get(name)?.value ?? null;
    const other = theirs.get(name)?.value ?? null;
    return {
      ...{ name, value, other, default: mine.get(name)?.default ?? null },
      changes: mine.get(name)?.changes ?? 0,
      differs: others !== null && !Object.is(value, other),
    };
  });
}
