import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sharedData } from '../../helpers/need.ts';

/** What pymavlink makes of a log; its times are seconds, GPS less 18 s whatever the date. */
export interface Reference {
  readonly file: string;
  readonly clock: string;
  readonly timebase: number;
  readonly mav_type: number;
  readonly first_timestamp: number;
  readonly last_timestamp: number;
  readonly min_timestamp: number;
  readonly max_timestamp: number;
  readonly nparams: number;
  readonly flightmodes: readonly (readonly [mode: string, start: number, end: number])[];
  readonly samples: Readonly<Record<string, readonly ReferenceRecord[]>>;
}

/** One of up to five records of a type. */
interface ReferenceRecord {
  /** Which of the records of its type it is. */
  readonly i: number;
  readonly end_offset: number;
  readonly _timestamp: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Doubles of seconds since 1970 are a quarter of a microsecond apart, and sums of them a few of those. */
const NEAR = 2;

/** Whether microseconds are the same time as seconds of pymavlink. */
export function isSameTime(micros: number, seconds: number): boolean {
  return Math.abs(micros - seconds * 1e6) <= NEAR;
}

export function references(): Reference[] {
  const folder = sharedData('dataflash', 'ref');
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Reference);
}

/** The log that a reference is about. */
export function referencedLog(file: string): string {
  const found = ['', 'corrupt', 'synth'].map((part) => sharedData('dataflash', part, file)).find(existsSync);
  if (!found) throw new Error(`the shared data has no ${file}`);
  return found;
}

/** Leap seconds that a date had, for the years that ArduPilot logs are of. */
export function leapsOn(seconds: number): number {
  const date = new Date(seconds * 1000).toISOString();
  if (date >= '2017-01-01') return 18;
  if (date >= '2015-07-01') return 17;
  return date >= '2012-07-01' ? 16 : 15;
}
