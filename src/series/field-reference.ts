/*
 * How a field is written in an expression:
 *
 *     ATT.Roll    MAG[0].MagX    ATTITUDE[1:1].roll    BATTERY_STATUS.voltages[3]    "odd name"["a]b"].x
 *     └┬┘ └┬─┘       └ stream                                               └ element of an array
 *    table field
 *
 * A name that is not a plain word is in quotes, and a quote in it is doubled. A stream needs them only if it holds
 * a bracket or a quote.
 */

/** A field as it was written, also one that is not written to its end. */
export interface FieldReference {
  readonly table: Name;
  readonly stream: Name | undefined;
  readonly field: Name | undefined;
  readonly element: Name | undefined;
  /** Where the text of it begins and ends. */
  readonly position: number;
  readonly end: number;
  /** What it lacks: where a mark was expected, and which. */
  readonly lacks: { readonly mark: string; readonly position: number } | undefined;
}

interface Name {
  readonly text: string;
  readonly position: number;
  readonly end: number;
}

const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
const PLAIN = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;
const INDEX = /\[\s*(\d{1,9})\s*\]/y;

/** A word without quotes at a place, or ''. */
export function wordAt(text: string, at: number): string {
  WORD.lastIndex = at;
  return WORD.exec(text)?.[0] ?? '';
}

/** Reads what begins with a word or a quote as a field; `lacks` says what is missing. */
export function readReference(text: string, position: number): FieldReference {
  const table = readName(text, position);
  const partial = (mark: string, at: number, found: Partial<FieldReference> = {}): FieldReference => ({
    table: table.name,
    stream: undefined,
    field: undefined,
    element: undefined,
    ...found,
    position,
    end: at,
    lacks: { mark, position: at },
  });
  let at = table.name.end;
  if (!table.isClosed) return partial('"', at);
  let stream: Name | undefined;
  if (text[at] === '[') {
    const read = readStream(text, at + 1);
    stream = read.name;
    at = stream.end;
    if (!read.isClosed) return partial('"', at, { stream });
    if (text[at] !== ']') return partial(']', at, { stream });
    at++;
  }
  if (text[at] !== '.') return partial('.', at, { stream });
  const field = readName(text, at + 1);
  at = field.name.end;
  if (!field.isClosed) return partial('"', at, { stream, field: field.name });
  INDEX.lastIndex = at;
  const index = INDEX.exec(text);
  const element = index ? { text: index[1], position: at, end: INDEX.lastIndex } : undefined;
  return {
    table: table.name,
    stream,
    field: field.name,
    element,
    position,
    end: element?.end ?? at,
    lacks: undefined,
  };
}

interface ReadName {
  readonly name: Name;
  /** False for a quote that never ends. */
  readonly isClosed: boolean;
}

function readName(text: string, position: number): ReadName {
  if (text[position] === '"') return readQuoted(text, position);
  const word = wordAt(text, position);
  return { name: { text: word, position, end: position + word.length }, isClosed: true };
}

function readStream(text: string, position: number): ReadName {
  if (text[position] === '"') return readQuoted(text, position);
  let end = position;
  while (end < text.length && text[end] !== ']' && text[end] !== '"') end++;
  return { name: { text: text.slice(position, end), position, end }, isClosed: true };
}

function readQuoted(text: string, position: number): ReadName {
  let found = '';
  let at = position + 1;
  while (at < text.length) {
    if (text[at] !== '"') found += text[at++];
    else if (text[at + 1] === '"') {
      found += '"';
      at += 2;
    } else return { name: { text: found, position, end: at + 1 }, isClosed: true };
  }
  return { name: { text: found, position, end: at }, isClosed: false };
}

/** A name as it must be written. */
export function writeName(name: string): string {
  return PLAIN.test(name) ? name : quoted(name);
}

export function writeTable(name: string, stream: string): string {
  if (stream === '') return writeName(name);
  return `${writeName(name)}[${/["\]]/.test(stream) ? quoted(stream) : stream}]`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
