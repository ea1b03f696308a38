import type { Log } from '../core/log.ts';
import { ANSWER_LIMITS } from './limits.ts';

const LEFT = new WeakMap<Log, Map<string, Map<string, number>>>();

/**
 * Remembers that records of a log are in none of its facts, because there are too many of them.
 * @param what in the plural: 'texts'
 * @param of   the table or stream: what is found once more counts once
 */
export function leaveOut(log: Log, what: string, of: string, count: number): void {
  if (count <= 0) return;
  const all = LEFT.get(log) ?? new Map<string, Map<string, number>>();
  LEFT.set(log, all);
  const known = all.get(what) ?? new Map<string, number>();
  all.set(what, known.set(of, count));
}

/** How many texts, modes, events ... of a log were left out of what was found so far. */
export function leftOut(log: Log): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [what, of] of LEFT.get(log) ?? []) counts[what] = [...of.values()].reduce((sum, count) => sum + count, 0);
  return counts;
}

/** How many of a kind are told of each vehicle of a log. */
export function mostOf(vehicles: number): number {
  return Math.ceil(ANSWER_LIMITS.told / Math.max(1, vehicles));
}
