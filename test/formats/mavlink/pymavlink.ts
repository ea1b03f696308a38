import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Value } from '../../../src/core/column.ts';
import { sharedData } from '../../helpers/need.ts';

/** A number, text or list as the references write it: what JSON cannot say stands there as text or as an object. */
export type Written = number | string | null | { readonly int: string } | { readonly hex: string } | readonly Written[];

/** One message as pymavlink gave it. */
export interface Message {
  /** Its place among the messages of its type, and among all. */
  readonly i: number;
  readonly seq: number;
  readonly end_offset: number;
  readonly _timestamp: number;
  readonly fields: Readonly<Record<string, Written>>;
}

interface MessageFormat {
  readonly format: string;
  readonly columns: readonly string[];
  readonly units: readonly string[] | null;
  readonly instance: string | null;
}

/** What pymavlink made of a log. */
export interface Reference {
  readonly file: string;
  readonly clock: string;
  readonly timebase: number;
  readonly nparams: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly formats: Readonly<Record<string, MessageFormat>>;
  readonly samples: Readonly<Record<string, readonly Message[]>>;
}

/** All references, by the name of their file. */
export function readReferences(): Reference[] {
  const folder = sharedData('dataflash', 'ref');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Reference);
}

/** The log that a reference speaks of: as it was recorded, damaged, or made up. */
export function logPath(file: string): string {
  const paths = ['', 'corrupt', 'synth'].map((folder) => sharedData('dataflash', folder, file));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no ${file} in ../shared/data/dataflash`);
  return found;
}

/**
 * Whether a value is the one that pymavlink gave: exactly, since both take the same bits and divide by the same
 * number. M is signed there, and unsigned in the firmware.
 */
export function isSame(value: Value, written: Written, char = ''): boolean {
  if (typeof written === 'string' && typeof value === 'number') return String(value).toLowerCase() === spelled(written);
  if (typeof written === 'number' && typeof value === 'number')
    return value === written || (char === 'M' && value === written + 256);
  if (Array.isArray(written))
    return (
      Array.isArray(value) && written.length === value.length && written.every((each, i) => isSame(value[i], each))
    );
  if (written !== null && typeof written === 'object') {
    if ('int' in written) return typeof value === 'bigint' && String(value) === written.int;
    return 'hex' in written && value instanceof Uint8Array && Buffer.from(value).toString('hex') === written.hex;
  }
  return value === written;
}

function spelled(word: string): string {
  return word.toLowerCase().replace(/^(-?)inf$/, '$1infinity');
}

/** A unit as Skein writes it: '1e-07 deg' of Python is '1e-7 deg' here. */
export function unitOf(written: string): string {
  return written.replace(/^(\d\S*e-)0(\d) /, '$1$2 ');
}
