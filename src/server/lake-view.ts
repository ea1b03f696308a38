import type { FlightListWire, FlightWire } from './wire.ts';

/** A lake of many logs, as pages list its flights. */
export interface LakeView {
  /** How it is now: `revision` changes when the list does. */
  state(): Promise<FlightListWire>;
  /** A part of the list; undefined where it is another by now. */
  flights(revision: string, offset: number, count: number): Promise<readonly FlightWire[] | undefined>;
  /** Paths of flights by their ids, in at most so many points a line; of a part of the list, or of those that are named. */
  outlines(revision: string, offset: number, count: number, most: number): object | undefined;
  outlinesOf(ids: readonly string[], most: number): object;
  /** The file of a log, with a sentence where it cannot be had; undefined for a log that is not in the lake. */
  original(log: string): Promise<{ name: string; path: string; problem: string | null } | undefined>;
}
