import type { ModeInterval } from '../facts/modes.ts';
import type { Track } from '../geo/track.ts';

/** One track, or several that go into one file. */
export type Tracks = Track | readonly Track[];

export interface TrackWriteOptions {
  /** Seconds without a point that begin a new segment (GPX); by default what the track itself suggests. */
  readonly gap?: number | undefined;
  /** Leaves text cells of CSV as they are, also those that a spreadsheet would run. */
  readonly raw?: boolean | undefined;
  /** Flight modes, for a line in the colour of each (KML). */
  readonly modes?: readonly ModeInterval[] | undefined;
}

/** A way to write tracks down. The text comes in pieces, so that no track is too long for it. */
export interface TrackFormat {
  readonly name: string;
  readonly title: string;
  /** The ending of file names, without the dot. */
  readonly extension: string;
  write(tracks: Tracks, options?: TrackWriteOptions): Iterable<string>;
}

/** Digits after the point: of degrees a tenth of a millimetre, of metres a millimetre. */
export const DEGREE_DIGITS = 9;
export const METRE_DIGITS = 3;

export function listOf(tracks: Tracks): readonly Track[] {
  return 'points' in tracks ? [tracks] : tracks;
}

/** Items that make one piece of text: enough that pieces are few, so few that each stays small. */
const ITEMS = 512;

/** The texts of items 0 to count, with a separator between them, in pieces, so that none is ever the whole. */
export function* pieces(count: number, textOf: (index: number) => string, separator = ''): Generator<string> {
  for (let from = 0; from < count; from += ITEMS) {
    let piece = from > 0 ? separator : '';
    const to = Math.min(from + ITEMS, count);
    for (let i = from; i < to; i++) piece += i > from ? separator + textOf(i) : textOf(i);
    yield piece;
  }
}
