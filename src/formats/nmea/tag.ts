import { textOf } from '../../core/text.ts';
import { BACKSLASH, COMMA, STAR } from './head.ts';
import { decimalAt } from './value.ts';

/*
 * A tag block: entries of a letter and a value, before the sentence that they are about.
 *
 *     \g:1-2-1234,s:r3669961,c:1120959341*5A\
 *      group      source     UNIX time
 *
 * https://gpsd.gitlab.io/gpsd/AIVDM.html#_nmea_tag_blocks
 */

interface TagField {
  readonly letter: string;
  readonly name: string;
  readonly unit: string;
  /** Bytes of a text; 0 for a number. */
  readonly width: number;
}

/** Fields that a sentence with a tag block has beside its own. */
export const TAG_FIELDS: readonly TagField[] = [
  { letter: 'c', name: 'tag_time', unit: 's', width: 0 },
  { letter: 's', name: 'tag_source', unit: '', width: 16 },
  { letter: 'd', name: 'tag_destination', unit: '', width: 16 },
  { letter: 'g', name: 'tag_group', unit: '', width: 24 },
  { letter: 'n', name: 'tag_line', unit: '', width: 0 },
  { letter: 't', name: 'tag_text', unit: '', width: 32 },
];

/** Some senders count milliseconds: seconds of that size would be in the year 5138. */
const MILLISECONDS = 1e11;
const COLON = 58;

/** Where the value of an entry is in the tag block at `at`: from and to, equal if it is missing. */
export function tagEntry(bytes: Uint8Array, at: number, letter: number): [from: number, to: number] {
  for (let i = at + 1; i < bytes.length && bytes[i] !== BACKSLASH && bytes[i] !== STAR; ) {
    let end = i;
    while (end < bytes.length && bytes[end] !== COMMA && bytes[end] !== STAR && bytes[end] !== BACKSLASH) end++;
    if (bytes[i] === letter && bytes[i + 1] === COLON) return [i + 2, end];
    i = bytes[end] === COMMA ? end + 1 : end;
  }
  return [at, at];
}

/** The number of an entry; a time is in seconds. */
export function tagNumber(bytes: Uint8Array, at: number, letter: number): number {
  const value = decimalAt(bytes, ...tagEntry(bytes, at, letter));
  return letter === TAG_FIELDS[0].letter.charCodeAt(0) && value > MILLISECONDS ? value / 1000 : value;
}

export function tagText(bytes: Uint8Array, at: number, letter: number): string {
  return textOf(bytes, ...tagEntry(bytes, at, letter));
}
