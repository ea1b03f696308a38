import { diffParameters } from '../../../src/entry/pages.ts';
import type { ParameterInfo } from '../worker/answers.ts';

/** A parameter, and the same of another log beside it. */
interface ParameterRow {
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
  const [a, b] = [own, others ?? []].map((list) => new Map(list.map(({ name, value }) => [name, value])));
  const differing = new Set(others && diffParameters(a, b).map(({ name }) => name));
  const names = [...new Set([...a.keys(), ...b.keys()])].sort((x, y) => (x < y ? -1 : 1));
  return names.map((name) => {
    return {
      ...{ name, value: a.get(name) ?? null, other: b.get(name) ?? null, default: mine.get(name)?.default ?? null },
      changes: mine.get(name)?.changes ?? 0,
      differs: differing.has(name),
    };
  });
}
