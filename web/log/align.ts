import type { OpenFile } from './model.svelte.ts';

/** What two flights can be laid upon each other by. */
export const ALIGNMENTS = ['clock', 'start', 'arm', 'takeoff'] as const;
export type Alignment = (typeof ALIGNMENTS)[number];

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
  }
}

/** Microseconds to add to the times of a file so that it stands upon another; null where one has no such moment. */
export function alignedOffset(file: OpenFile, reference: OpenFile, alignment: Alignment): number | null {
  const [own, other] = [momentOf(file, alignment), momentOf(reference, alignment)];
  return own === null || other === null ? null : other + reference.offset - own;
}
