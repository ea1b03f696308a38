import { shortest } from '../core/text.ts';
import type { Parameter } from '../facts/parameters.ts';

/*
 * A parameter a line, as ground stations load and save them: its name, a comma, its value.
 * https://ardupilot.org/copter/docs/common-parameters.html
 */

export interface ParamOptions {
  /** Microseconds: the values as they were just before this time; those that were set later are left out. */
  readonly to?: number | undefined;
}

export function* writeParam(
  parameters: Iterable<Parameter>,
  { to = Number.POSITIVE_INFINITY }: ParamOptions = {},
): Generator<string> {
  const sorted = [...parameters].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, changes } of sorted) {
    // a change without a time is taken as one of the beginning
    const last = changes.findLast(({ time }) => !(time >= to));
    if (last) yield `${paramName(name)},${shortest(last.value)}\n`;
  }
}

/** A name that ends where the comma says so. */
function paramName(name: string): string {
  return name.replace(/[\p{C}\p{Z},#]/gu, '_') || '_';
}
