import { isNoise } from './parameter-noise.ts';

/** A parameter that two logs or files do not agree on; null where one does not have it. */
export interface ParameterDifference {
  readonly name: string;
  readonly a: number | null;
  readonly b: number | null;
  /** Whether it says more of a day or a device than of what somebody wanted. */
  readonly noise: boolean;
}

/** Fractions of six digits, as files keep them, are those of 32 bits that they came from; integers are what they are. */
const SAME = 1e-6;

/** What differs between two sets of parameters, by name. */
export function diffParameters(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): ParameterDifference[] {
  const names = [...new Set([...a.keys(), ...b.keys()])].sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));
  return names.flatMap((name) => {
    const [left, right] = [a.get(name) ?? null, b.get(name) ?? null];
    return isSame(left, right) ? [] : [{ name, a: left, b: right, noise: isNoise(name) }];
  });
}

function isSame(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  if (Object.is(a, b) || a === b) return true;
  if (Number.isInteger(a) && Number.isInteger(b)) return false;
  return Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b));
}
