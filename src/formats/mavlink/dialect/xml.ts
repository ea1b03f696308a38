import { SaxesParser } from 'saxes';
import { DialectError } from './declarations.ts';
import type { DialectLimits } from './limits.ts';

/** Who listens to the elements of an XML file. An error may be thrown at any time: nothing further is read then. */
export interface XmlListener {
  /** @param attributes has no prototype, so any name may be looked up. @returns whether the element's text is used */
  open(name: string, attributes: Readonly<Record<string, string>>, line: number): boolean;
  /** @param text what was in the element, if `open` wanted it, otherwise '' */
  close(name: string, text: string): void;
}

/** Characters given to the parser at a time: how far it can go before its progress is looked at. */
const CHUNK = 16 << 10;
/** Characters of an error of the parser that are passed on: it may quote what it found. */
const ERROR_CHARACTERS = 120;

/** Reads an untrusted XML file: no document type, thus no entities, and limits on depth and text. */
export function readXml(file: string, text: string, limits: DialectLimits, listener: XmlListener): void {
  refuseDoctype(file, text);
  const parser = new SaxesParser({ xmlns: false, position: true });
  const fail = (reason: string): never => {
    throw new DialectError(file, parser.line, reason);
  };
  let depth = 0;
  let line = 1;
  let content = '';
  /** Where the last tag was. */
  let progress = 0;
  // Only these, and text where it is asked for: with two or three listeners more V8 makes a hash table of the parser, and
  // reading takes four times as long.
  parser.on('error', (error) => fail(`not well-formed XML: ${withoutPlace(error.message)}`));
  parser.on('opentagstart', () => {
    progress = parser.position;
    line = parser.line;
    if (++depth > limits.depth) fail(`elements are nested ${depth} deep, at most ${limits.depth} are accepted`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    progress = parser.position;
    content = '';
    if (listener.open(name, attributes, line)) {
      parser.on('text', (text) => {
        content += text;
      });
    }
  });
  parser.on('closetag', ({ name }) => {
    progress = parser.position;
    depth--;
    parser.off('text');
    listener.close(name, content);
  });
  for (let at = 0; at < text.length; at += CHUNK) {
    parser.write(text.slice(at, at + CHUNK));
    if (parser.position - progress > limits.textCharacters) {
      fail(`a piece of text is longer than the ${limits.textCharacters} characters that are accepted`);
    }
  }
  parser.close();
}

/** The parser's own error texts begin with line and column, which ours say in their own way. */
function withoutPlace(message: string): string {
  return message
    .slice(0, ERROR_CHARACTERS)
    .replace(/^\d+:\d+: /, '')
    .replace(/\.$/, '');
}

/** A document type is only allowed before the first element: found there before the parser reads it to its end. */
function refuseDoctype(file: string, text: string): void {
  let at = 0;
  for (;;) {
    while (at < text.length && (text.charCodeAt(at) <= 0x20 || text.charCodeAt(at) === 0xfeff)) at++;
    if (text.startsWith('<!--', at)) at = after(text, '-->', at + 4);
    else if (text.startsWith('<?', at)) at = after(text, '?>', at + 2);
    else break;
  }
  if (/^<!doctype/i.test(text.slice(at, at + 9))) {
    throw new DialectError(file, lineAt(text, at), 'a document type (<!DOCTYPE) is not accepted');
  }
}

function after(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? text.length : found + end.length;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
  return line;
}
