import type { Log } from '../core/log.ts';

/** Caps of facts about logs; those of reading them are in `limits.ts`. */
export const ANSWER_LIMITS = {
  paramFileBytes: 4_194_304,
  paramLineBytes: 200,
  /** Texts, modes, events, errors, armings and parameters kept of a log, the first of each; others are counted. */
  told: 20_000,
  /** Gaps and reboots of one vehicle; a clock that jumps to and fro has no end of them. */
  gaps: 1_000,
  /** Stretches of time in which a vehicle was armed, or flew; and armings that are looked at for what was before them. */
  phases: 10_000,
  armings: 1_000,
} as const;

const LEFT = new WeakMap<Log, Map<string, Map<string, number>>>();

/**
 * Remembers that records of a log are in none of its facts, because there are too many of them.
 * @param what in the plural: 'texts'
 * @param of   the table or stream: the same one counts once
 */
export function leaveOut(log: Log, what: string, of: string, count: number): void {
  if (count <= 0) return;
  const whole = log.whole ?? log;
  const all = LEFT.get(whole) ?? new Map<string, Map<string, number>>();
  LEFT.set(whole, all);
  const known = all.get(what) ?? new Map<string, number>();
  all.set(what, known.set(log.whole ? `${of} ${log.clock.parts?.[0].offset}` : of, count));
}

/** How many texts, modes, events ... of a log were left out of what was found so far. */
export function leftOut(log: Log): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [what, of] of LEFT.get(log) ?? []) counts[what] = [...of.values()].reduce((sum, count) => sum + count, 0);
  return counts;
}

/** How many of a kind are kept of each vehicle of a log. */
export function mostOf(vehicles: number): number {
  return Math.ceil(ANSWER_LIMITS.told / Math.max(1, vehicles));
}
