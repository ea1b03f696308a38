import type { Sink } from '../../core/decoder.ts';
import { textOf } from '../../core/text.ts';
import { type Identity, identify, unknownSentence } from './catalog.ts';
import { Cells } from './columns.ts';
import { COMMA, isNumber, wordAt } from './head.ts';
import { NMEA_LIMITS } from './limits.ts';
import { SentenceSchema } from './schema.ts';
import { type Sentence, sentence } from './sentence.ts';

/** Places of the quick way from an address to a table: a power of two, of which the logarithm is below. */
const PLACES = 1024;
const PLACE_BITS = 10;
/** Characters of the addresses that go the quick way. */
const QUICK = 5;
const { sentenceBytes: LINE_BYTES, tables: TABLES, fields: FIELDS } = NMEA_LIMITS;

/** Sentences for which there is no more room. */
const OTHERS: Sentence = sentence('OTHER', `address:address"24+cells"${LINE_BYTES}...`, {
  growsFrom: Number.POSITIVE_INFINITY,
});

/** The tables of one source: which of them a sentence belongs to. */
export class Tables {
  /** The schema of each table, by its number. */
  readonly schemas: SentenceSchema[] = [];
  private readonly sink: Sink;
  private readonly cells = new Cells();
  private readonly byKey: Map<string, number> = new Map();
  private fieldCount = 0;
  /**
   * The fast path, by hashed five-letter addresses: their characters in two words, the table, the sum of `$address,`,
   * the length from which fields may grow, and 1 if the table also needs a number in the first cell.
   */
  readonly first: Int32Array = new Int32Array(PLACES);
  readonly second: Int32Array = new Int32Array(PLACES);
  readonly quick: Int32Array = new Int32Array(PLACES);
  readonly sums: Int32Array = new Int32Array(PLACES);
  readonly longest: Int32Array = new Int32Array(PLACES);
  readonly guarded: Uint8Array = new Uint8Array(PLACES);

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** The number of the table of the sentence at an offset, with its address in bytes [from, to). */
  idOf(bytes: Uint8Array, from: number, to: number, tagged: boolean, offset: number): number {
    const isQuick = !tagged && to - from === QUICK;
    if (isQuick) {
      const place = placeOf(wordAt(bytes, from), bytes[from + 4]);
      const isKnown = this.first[place] === wordAt(bytes, from) && this.second[place] === bytes[from + 4];
      if (isKnown && (this.guarded[place] === 0 || isNumber(bytes, to + 1))) return this.quick[place];
    }
    const identity = identify(textOf(bytes, from, to), bytes, to);
    const key = `${identity.name} ${identity.talker}${tagged ? ' tagged' : ''}`;
    const id = this.byKey.get(key) ?? this.add(key, identity, tagged, offset);
    if (isQuick && (identity.byAddress || isNumber(bytes, to + 1))) this.learn(bytes, from, id, !identity.byAddress);
    return id;
  }

  private learn(bytes: Uint8Array, from: number, id: number, isGuarded: boolean): void {
    const first = wordAt(bytes, from);
    const second = bytes[from + 4];
    const place = placeOf(first, second);
    this.first[place] = first;
    this.second[place] = second;
    this.quick[place] = id;
    this.sums[place] = bytes[from] ^ bytes[from + 1] ^ bytes[from + 2] ^ bytes[from + 3] ^ second ^ COMMA;
    this.guarded[place] = Number(isGuarded);
    this.longest[place] = Math.min(this.schemas[id].sentence.growsFrom, LINE_BYTES);
  }

  private add(wanted: string, { name, sentence, talker }: Identity, tagged: boolean, offset: number): number {
    const isFull = this.schemas.length >= TABLES || this.fieldCount >= FIELDS;
    const key = isFull ? `${OTHERS.name}${tagged ? ' tagged' : ''}` : wanted;
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    if (isFull) {
      const text = `sentence at offset ${offset} would need table ${this.schemas.length + 1}, ${TABLES} are kept apart: it is in ${OTHERS.name}`;
      this.sink.fault({ code: 'too-many-tables', offset, length: 0, lost: false, text });
    }
    const id = this.schemas.length;
    const schema = new SentenceSchema(isFull ? OTHERS : (sentence ?? unknownSentence(name)), tagged, this.cells);
    this.byKey.set(key, id);
    this.schemas.push(schema);
    this.fieldCount += schema.fields.length;
    this.sink.table(id, schema, isFull ? '' : talker);
    return id;
  }

  /** Looks whether the fields of a table have room for the sentence in bytes [at, end). */
  grow(id: number, bytes: Uint8Array, at: number, end: number): void {
    const schema = this.schemas[id];
    if (end - at < schema.sentence.growsFrom || this.fieldCount >= FIELDS) return;
    const before = schema.fields.length;
    schema.grow(bytes, at, end);
    this.fieldCount += schema.fields.length - before;
  }
}

/** Where an address of five characters is looked for: the first four in one word, and the last. */
export function placeOf(first: number, last: number): number {
  return Math.imul(first ^ (last << 3), 0x9e3779b1) >>> (32 - PLACE_BITS);
}
