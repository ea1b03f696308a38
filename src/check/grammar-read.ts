import { boundsOf } from '../core/codec.ts';
import { TYPE_BYTES } from '../core/schema.ts';
import { parseBytes, parseSet } from './byte-set.ts';
import { type Grammar, GrammarError, type NumberType } from './grammar.ts';
import { GRAMMAR_LIMITS as LIMITS } from './limits.ts';

type Json = Readonly<Record<string, unknown>>;
/** Says what is wrong with a value at a path, or nothing. */
type NodeCheck = (value: unknown, path: string, owner: Json, depth: number) => void;

const LABELS: Readonly<Record<string, NodeCheck>> = {
  layer: checkName,
  field: checkName,
  record: (value, path) => {
    if (value !== true) throw wrong(path, value, 'true, or nothing');
  },
  length: checkLength,
};

/** Every kind of part: what its value must be, and what may be beside it. */
const KINDS: Readonly<
  Record<string, { readonly check: NodeCheck; readonly beside?: Readonly<Record<string, NodeCheck>> }>
> = {
  bytes: { check: checkBytes },
  set: { check: checkSet },
  any: { check: (value, path) => checkCount(value, path, 1) },
  number: { check: checkNumber, beside: { order: checkOrder, min: checkInteger, max: checkInteger } },
  sequence: { check: (value, path, _, depth) => checkParts(value, path, depth) },
  choice: { check: (value, path, _, depth) => checkParts(value, path, depth) },
  optional: { check: (value, path, _, depth) => checkPart(value, path, depth + 1) },
  repeat: {
    check: checkRepeat,
    beside: {
      min: (value, path) => checkCount(value, path, 0),
      max: (value, path) => checkCount(value, path, 1),
    },
  },
  rule: { check: checkName },
};

const NUMBERS: readonly string[] = Object.keys(TYPE_BYTES).filter((type) => /^u?int/.test(type));

/** A grammar from the text of a file. What is wrong with it is said with its place. */
export function parseGrammar(text: string): Grammar {
  if (text.length > LIMITS.characters)
    throw new GrammarError('', `the grammar has ${text.length} characters, at most ${LIMITS.characters} are accepted`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new GrammarError('', `grammar is not valid JSON: ${(error as Error).message}`);
  }
  return checkGrammar(value);
}

/** The same for JSON that was parsed already. */
export function checkGrammar(value: unknown): Grammar {
  const grammar = objectAt(value, 'grammar');
  for (const key of Object.keys(grammar)) {
    if (!['name', 'title', 'start', 'rules'].includes(key))
      throw new GrammarError(pathOf('', key), 'unknown: a grammar has name, title, start and rules only');
  }
  checkName(grammar.name, 'name');
  if (grammar.title !== undefined) checkName(grammar.title, 'title');
  if (grammar.start === undefined) throw new GrammarError('start', 'missing: it describes the whole file');
  checkPart(grammar.start, 'start', 0);
  if (grammar.rules !== undefined) {
    for (const [name, part] of Object.entries(objectAt(grammar.rules, 'rules'))) {
      checkName(name, pathOf('rules', name));
      checkPart(part, pathOf('rules', name), 0);
    }
  }
  return grammar as unknown as Grammar;
}

function checkPart(value: unknown, path: string, depth: number): void {
  if (depth > LIMITS.depth) throw new GrammarError(path, `nested more than ${LIMITS.depth} deep`);
  const part = objectAt(value, path);
  const kinds = Object.keys(part).filter((key) => Object.hasOwn(KINDS, key));
  if (kinds.length !== 1) {
    const found = kinds.length === 0 ? 'none' : kinds.join(' and ');
    throw new GrammarError(path, `expected one of ${Object.keys(KINDS).join(', ')}, found ${found}`);
  }
  const [name] = kinds;
  const kind = KINDS[name];
  const allowed = { ...LABELS, ...kind.beside };
  for (const [key, each] of Object.entries(part)) {
    if (key === name) continue;
    if (!Object.hasOwn(allowed, key))
      throw new GrammarError(
        pathOf(path, key),
        `not known here: expected beside ${name}: ${Object.keys(allowed).join(', ')}`,
      );
    allowed[key](each, pathOf(path, key), part, depth);
  }
  kind.check(part[name], pathOf(path, name), part, depth);
}

function checkParts(value: unknown, path: string, depth: number): void {
  if (!Array.isArray(value) || value.length === 0) throw wrong(path, value, 'a list of at least one part');
  for (const [i, part] of value.entries()) checkPart(part, `${path}[${i}]`, depth + 1);
}

function checkName(value: unknown, path: string): void {
  if (typeof value !== 'string' || value === '' || value.length > LIMITS.nameCharacters)
    throw wrong(path, value, `a text of 1 to ${LIMITS.nameCharacters} characters`);
}

function checkBytes(value: unknown, path: string): void {
  if (typeof value !== 'string' || !parseBytes(value)) throw wrong(path, value, 'bytes such as "02 00 ff"');
}

function checkSet(value: unknown, path: string): void {
  if (typeof value !== 'string' || !parseSet(value)) throw wrong(path, value, 'bytes and ranges such as "01 33 40-7f"');
}

function checkCount(value: unknown, path: string, least: number): void {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > LIMITS.repeat)
    throw wrong(path, value, `a whole number from ${least} to ${LIMITS.repeat}`);
}

function checkRepeat(value: unknown, path: string, { min, max }: Json, depth: number): void {
  checkPart(value, path, depth + 1);
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    throw new GrammarError(path, `min ${min} is greater than max ${max}`);
}

function checkOrder(value: unknown, path: string): void {
  if (value !== 'little' && value !== 'big') throw wrong(path, value, '"little" or "big"');
}

/** Also a text, for what a JSON number cannot hold exactly. */
function checkInteger(value: unknown, path: string): void {
  const isText = typeof value === 'string' && /^-?\d{1,20}$/.test(value);
  if (!isText && !Number.isSafeInteger(value)) throw wrong(path, value, 'a whole number, as text beyond 2^53');
}

function checkNumber(value: unknown, path: string, owner: Json): void {
  if (typeof value !== 'string' || !NUMBERS.includes(value)) throw wrong(path, value, `one of ${NUMBERS.join(', ')}`);
  const bits = 8 * TYPE_BYTES[value as NumberType];
  if (bits > 8 && owner.order === undefined) throw new GrammarError(path, `${value} needs an order, little or big`);
  if (owner.min === undefined || owner.max === undefined)
    throw new GrammarError(path, `${value} needs min and max: without bounds it is any ${bits / 8}`);
  const [min, max] = [BigInt(owner.min as number | string), BigInt(owner.max as number | string)];
  const [least, most] = boundsOf(value as NumberType) as readonly [bigint, bigint];
  if (min < least || max > most || min > max)
    throw new GrammarError(path, `min is ${min} and max ${max}: ${value} holds ${least} to ${most}`);
}

function checkLength(value: unknown, path: string, owner: Json): void {
  const length = objectAt(value, path);
  if (owner.record !== true) throw new GrammarError(path, 'only a record has a length');
  for (const key of Object.keys(length)) {
    if (!['at', 'number', 'order', 'plus'].includes(key))
      throw new GrammarError(pathOf(path, key), 'a length has at, number, order and plus');
  }
  const { at, number, plus } = length;
  if (!['uint8', 'uint16', 'uint32'].includes(number as string))
    throw wrong(pathOf(path, 'number'), number, 'one of uint8, uint16, uint32');
  checkOrder(length.order, pathOf(path, 'order'));
  if (!Number.isInteger(at) || (at as number) < 0 || (at as number) > RECORD_HEAD - 4)
    throw wrong(pathOf(path, 'at'), at, `a whole number from 0 to ${RECORD_HEAD - 4}`);
  checkCount(plus, pathOf(path, 'plus'), 0);
}

/** Bytes from the beginning of a record that are kept to find its length in. */
export const RECORD_HEAD = 64;

function objectAt(value: unknown, path: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, value, 'an object');
  return value as Json;
}

function wrong(path: string, value: unknown, wanted: string): GrammarError {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
  return new GrammarError(path, `expected ${wanted}, found ${text.length > 60 ? `${text.slice(0, 60)}...` : text}`);
}

/** Names with anything but letters in them are quoted. */
function pathOf(path: string, key: string): string {
  if (!/^\w+$/.test(key)) return `${path}[${JSON.stringify(key.slice(0, LIMITS.nameCharacters))}]`;
  return path === '' ? key : `${path}.${key}`;
}
