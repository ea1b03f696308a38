import type { OpenFile } from './open-file.svelte.ts';
import type { FileSummary } from './worker/answers.ts';

/** What two flights can be aligned by: a moment that both have, or a mission item. */
const MOMENTS = ['clock', 'start', 'arm', 'takeoff'] as const;
export type Moment = (typeof MOMENTS)[number];
export type Alignment = Moment | number;

export const MOMENT_NAMES: Readonly<Record<Moment, string>> = {
  ...{ clock: 'by its clock', start: 'by the starts', arm: 'by arming', takeoff: 'by take-off' },
};

/** Items of a mission that are offered. */
const MOST_ITEMS = 100;

/** The moment of an alignment on the clock of a file; null if it has none. */
export function momentOf({ summary, insight }: OpenFile, alignment: Alignment): number | null {
  switch (alignment) {
    case 'clock':
      return 0;
    case 'start':
      return summary?.start ?? null;
    case 'arm':
      return insight.armed[0]?.start ?? null;
    case 'takeoff':
      return insight.flights.find(({ takeoff }) => takeoff !== null)?.takeoff ?? insight.flying[0]?.start ?? null;
    default:
      return insight.items.find(({ item }) => item === alignment)?.time ?? null;
  }
}

/** Microseconds to add to the times of a file to align it with another; null if one has no such moment. */
export function alignedOffset(file: OpenFile, reference: OpenFile, alignment: Alignment): number | null {
  const [own, other] = [momentOf(file, alignment), momentOf(reference, alignment)];
  return own === null || other === null ? null : other + reference.offset - own;
}

export function alignmentsOf(file: OpenFile, reference: OpenFile): Alignment[] {
  const others = new Set(reference.insight.items.map(({ item }) => item));
  const items = file.insight.items.map(({ item }) => item).filter((item) => others.has(item));
  return [
    ...MOMENTS.filter((moment) => alignedOffset(file, reference, moment) !== null),
    ...items.slice(0, MOST_ITEMS).sort((a, b) => a - b),
  ];
}

/** Whether two logs were flown at the same time, at least for a moment. */
export function isBeside(a: OpenFile, b: OpenFile): boolean {
  const [own, other] = [a, b].map(({ summary, offset }) =>
    summary?.start == null || summary.end === null ? null : [summary.start + offset, summary.end + offset],
  );
  return !own || !other || (own[0] <= other[1] && other[0] <= own[1]);
}

/** Logs that know UTC share a clock; any other starts where the first one does. */
export function offsetOf({ utc, start }: FileSummary, reference: OpenFile | undefined): number {
  const first = reference?.summary;
  if (!first || first.start === null || start === null || (utc && first.utc)) return 0;
  return first.start + (reference?.offset ?? 0) - start;
}
