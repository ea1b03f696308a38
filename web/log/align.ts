import type { OpenFile } from './model.svelte.ts';

/** What two flights can be laid upon each other by: a moment that both have, or an item of the mission. */
const MOMENTS = ['clock', 'start', 'arm', 'takeoff'] as const;
export type Alignment = (typeof MOMENTS)[number] | number;

/** Items of a mission that are offered. */
const MOST_ITEMS = 100;

/** The moment of a file that an alignment is about, on its own clock; null where it has none. */
function momentOf({ summary, insight }: OpenFile, alignment: Alignment): number | null {
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

/** Microseconds to add to the times of a file so that it stands upon another; null where one has no such moment. */
export function alignedOffset(file: OpenFile, reference: OpenFile, alignment: Alignment): number | null {
  const [own, other] = [momentOf(file, alignment), momentOf(reference, alignment)];
  return own === null || other === null ? null : other + reference.offset - own;
}

/** What a file can be laid upon another by: what both have. */
export function alignmentsOf(file: OpenFile, reference: OpenFile): Alignment[] {
  const others = new Set(reference.insight.items.map(({ item }) => item));
  const items = file.insight.items.map(({ item }) => item).filter((item) => others.has(item));
  return [
    ...MOMENTS.filter((moment) => alignedOffset(file, reference, moment) !== null),
    ...items.slice(0, MOST_ITEMS).sort((a, b) => a - b),
  ];
}
