import { textOf } from '../../core/text.ts';
import { cellEnd } from './cells.ts';
import { COMMA, isNumber, wordAt } from './head.ts';
import { MAKER_SENTENCES, MODULE_SENTENCES } from './makers.ts';
import { type Sentence, sentence } from './sentence.ts';
import {
  FIX_SENTENCES,
  MOTION_SENTENCES,
  ROUTE_SENTENCES,
  SKY_SENTENCES,
  TRAFFIC_SENTENCES,
  WEATHER_SENTENCES,
} from './sentences.ts';

/** Sentences of the standard by their three letters. */
const STANDARD: ReadonlyMap<string, Sentence> = byName(
  FIX_SENTENCES,
  SKY_SENTENCES,
  MOTION_SENTENCES,
  WEATHER_SENTENCES,
  ROUTE_SENTENCES,
  TRAFFIC_SENTENCES,
);

const BY_CODES: ReadonlyMap<number, Sentence> = new Map(
  Array.from(STANDARD, ([name, each]) => [
    (name.charCodeAt(0) << 16) | (name.charCodeAt(1) << 8) | name.charCodeAt(2),
    each,
  ]),
);

/** Sentences of makers by their whole address, with the kind in their first cell where the maker puts it there. */
const MAKERS: ReadonlyMap<string, Sentence> = byName(MAKER_SENTENCES, MODULE_SENTENCES);

/** Those whose address is five letters: by the first four in one word, and the last. */
const BY_WORD: ReadonlyMap<number, ReadonlyMap<number, Sentence>> = wordsOf([...MAKERS.values()]);

/** Makers that put the kind of their sentences in the first cell. */
const KIND_IN_CELL: ReadonlySet<string> = new Set(['PUBX', 'PTNL', 'PASHR', 'PSTI', 'PSSN', 'PSAT']);
const KIND = /^([A-Z]{2,4}|\d{2,3})$/;
const KIND_BYTES = 4;

/** Talker of QZSS satellites at Quectel: the one that begins with the letter of makers. */
const QUECTEL_QZSS = 'PQ';

function wordsOf(sentences: readonly Sentence[]): Map<number, Map<number, Sentence>> {
  const words = new Map<number, Map<number, Sentence>>();
  for (const each of sentences) {
    if (!/^[A-Z]{5}$/.test(each.name)) continue;
    const codes = Uint8Array.from(each.name, (letter) => letter.charCodeAt(0));
    const word = wordAt(codes, 0);
    words.set(word, (words.get(word) ?? new Map<number, Sentence>()).set(codes[4], each));
  }
  return words;
}

function byName(...lists: readonly (readonly Sentence[])[]): Map<string, Sentence> {
  return new Map(lists.flat().map((each) => [each.name, each]));
}

/** Sentence and talker. */
export interface Identity {
  readonly name: string;
  /** Its definition; `unknownSentence` makes one for unknown sentences. */
  readonly sentence: Sentence | undefined;
  /** GP, GN ...; '' for the sentences of makers. */
  readonly talker: string;
  /** Whether the address alone identifies it. */
  readonly byAddress: boolean;
}

/** The sentence of an address that ends at `to`: P and maker, or talker and sentence; an unknown one by its cells. */
export function identify(address: string, bytes: Uint8Array, to: number): Identity {
  const talker = address.slice(0, 2);
  const name = address.slice(2);
  const isPlain = address.length === 5 && (address[0] !== 'P' || (talker === QUECTEL_QZSS && STANDARD.has(name)));
  const known = isPlain ? STANDARD.get(name) : undefined;
  if (known) return { name, sentence: known, talker, byAddress: true };
  if (KIND_IN_CELL.has(address)) {
    const whole = address + firstCell(bytes, to);
    return { name: whole, sentence: MAKERS.get(whole), talker: '', byAddress: false };
  }
  const made = MAKERS.get(address);
  if (made || !isPlain) return { name: address, sentence: made, talker: '', byAddress: true };
  return { name, sentence: undefined, talker, byAddress: true };
}

/** The first cell after an address if it may be the kind of a sentence. */
function firstCell(bytes: Uint8Array, addressEnd: number): string {
  if (bytes[addressEnd] !== COMMA) return '';
  const from = addressEnd + 1;
  const to = cellEnd(bytes, from, Math.min(bytes.length, from + KIND_BYTES + 1));
  if (to - from < 2 || to - from > KIND_BYTES) return '';
  const text = textOf(bytes, from, to);
  return KIND.test(text) ? text : '';
}

/** A sentence that is not known: as many texts as it has cells. */
const UNKNOWN: Sentence = sentence('', '(field"16)1?');

export function unknownSentence(name: string): Sentence {
  return { ...UNKNOWN, name };
}

/** The sentence of a maker with the five letters at a place, if these alone identify it. */
export function makerSentence(bytes: Uint8Array, at: number): Sentence | undefined {
  const known = BY_WORD.get(wordAt(bytes, at))?.get(bytes[at + 4]);
  return known && (!KIND_IN_CELL.has(known.name) || isNumber(bytes, at + 6)) ? known : undefined;
}

/** The sentence of the standard with three letters of these codes, if it is known. */
export function standardSentence(first: number, second: number, third: number): Sentence | undefined {
  return BY_CODES.get((first << 16) | (second << 8) | third);
}

export function knownSentence(name: string): Sentence | undefined {
  return STANDARD.get(name) ?? MAKERS.get(name);
}
