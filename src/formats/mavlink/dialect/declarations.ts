import type { C_TYPES } from '../../../core/schema.ts';
import type { Deprecation } from './definition.ts';

/*
 * What one definition file says, before the files are put together: https://mavlink.io/en/guide/xml_schema.html
 * The built-in table holds the same, so that both become a dialect in the same way.
 */

/** The types of fields by the names that the checksum of a definition is made of. */
export type WireType = 'char' | keyof typeof C_TYPES;

export interface DeclaredField {
  readonly name: string;
  readonly type: WireType;
  /** Elements of an array; 0 for a scalar. An array of one is not a scalar to the checksum. */
  readonly length: number;
  readonly extension: boolean;
  readonly unit: string;
  /** As it is written: 'NaN', 'UINT16_MAX', '[0:]'. It may name an entry of an enum that another file holds. */
  readonly invalid: string;
  /** The name of an enum, or ''. */
  readonly enumeration: string;
  /** Whether the field is a bitmask although its enum does not say so. */
  readonly bitmask: boolean;
  readonly instance: boolean;
  readonly multiplier: number | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** Whether senders put the protocol's version there. */
  readonly version: boolean;
}

export interface DeclaredMessage {
  readonly id: number;
  readonly name: string;
  readonly fields: readonly DeclaredField[];
  readonly wip: boolean;
  readonly deprecation: Deprecation | undefined;
  readonly line: number;
}

export interface DeclaredEnum {
  readonly name: string;
  readonly bitmask: boolean;
  readonly entries: readonly (readonly [value: number, name: string])[];
}

export interface Declarations {
  /** The name of the file without its ending. */
  readonly name: string;
  readonly includes: readonly { readonly name: string; readonly line: number }[];
  /** What goes into the fields that hold the protocol's version. */
  readonly version: number;
  readonly enums: readonly DeclaredEnum[];
  readonly messages: readonly DeclaredMessage[];
}

/** A message definition cannot be used. The text begins with its place: `my.xml:12: ...`. */
export class DialectError extends Error {
  override readonly name = 'DialectError';
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;

  constructor(file: string, line: number, text: string) {
    super(`${file}:${line}: ${text}`);
    this.file = file;
    this.line = line;
  }
}

/** What names and values of a definition look like in an error text: short, and on one line. */
export function quoted(text: string): string {
  const line = JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
  return line.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
