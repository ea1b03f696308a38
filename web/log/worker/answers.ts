import type { Damage, Fault, Fixes, Flight, LogEvent, Packing, Phases } from '../../../src/entry/pages.ts';
import type { FirstView } from './first-view.ts';
import type { MissionItem } from './mission-items.ts';

/** What the worker sends to the page: plain data. Times are microseconds of the log's clock. */
export interface FieldInfo {
  readonly name: string;
  readonly unit: string;
  /** Elements of an array, 1 for a single value. */
  readonly count: number;
  /** Whether it is an array even of one element. */
  readonly isList?: boolean | undefined;
  /** Whether it can be plotted. */
  readonly numeric: boolean;
}

export interface TableInfo {
  readonly name: string;
  readonly stream: string;
  readonly rows: number;
  /** Records a second, NaN if unknown. */
  readonly rate: number;
  readonly fields: readonly FieldInfo[];
}

/** What happened in a log. */
export interface Insight extends Pick<Phases, 'armed' | 'flying'> {
  readonly events: readonly LogEvent[];
  /** How many less severe events were left out. */
  readonly leftOut: number;
  readonly flights: readonly Flight[];
  /** When the vehicle began each mission item, in that order. */
  readonly items: readonly MissionItem[];
  /** When the vehicle booted; null if unknown. */
  readonly boot: number | null;
}

interface FaultSummary {
  readonly count: number;
  readonly lostBytes: number;
  /** Whether data was lost, and if so, whether it was more than the last record, cut by the end. */
  readonly damage: Damage;
  readonly byCode: readonly { readonly code: string; readonly count: number; readonly bytes: number }[];
  /** The first ones. */
  readonly kept: readonly Omit<Fault, 'subject'>[];
}

export interface FileSummary {
  readonly format: string;
  readonly size: number;
  /** How it was packed, if it was. */
  readonly packing: Packing | null;
  readonly records: number;
  /** Null if no record has a time. */
  readonly start: number | null;
  readonly end: number | null;
  /** What to show first; null for all of it. */
  readonly view: FirstView | null;
  readonly utc: boolean;
  /** Whether times are guessed, because no record has one. */
  readonly guessed: boolean;
  readonly clock: string;
  readonly remarks: readonly string[];
  readonly vehicle: string;
  readonly firmware: string;
  readonly board: string;
  readonly tables: readonly TableInfo[];
  readonly faults: FaultSummary;
}

export interface ParameterInfo {
  readonly name: string;
  readonly value: number;
  readonly default: number | null;
  /** How often its value changed in the log. */
  readonly changes: number;
}

export interface MessageInfo {
  readonly time: number;
  readonly text: string;
}

export type TrackInfo = Pick<Fixes, 'time' | 'lon' | 'lat' | 'alt' | 'speed'>;

/** Some rows of a table as texts. */
export interface RowBlock {
  readonly times: Float64Array;
  /** A text for each field that was asked for, '' for a field that the row does not have. */
  readonly texts: readonly (readonly string[])[];
}

export interface RawRecord {
  readonly row: number;
  readonly time: number;
  readonly offset: number;
  /** In hexadecimal. */
  readonly bytes: string;
  readonly values: readonly { readonly name: string; readonly text: string; readonly unit: string }[];
}

/** Sent while a file is read. */
export interface ProgressNote {
  readonly file: number;
  /** Of 1. */
  readonly done: number;
}
