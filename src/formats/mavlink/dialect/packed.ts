import type { Declarations, DeclaredEnum, DeclaredField, DeclaredMessage, WireType } from './declarations.ts';
import type { Deprecation } from './definition.ts';

/*
 * The built-in table: definition files as lines of text, without any prose. Made by pack.ts.
 *
 *     =common 3 standard                        a file: name, version, what it includes
 *     #MAV_TYPE& MAV_TYPE_ GENERIC QUAD=2 ...   an enum (& a bitmask): what all names begin with, the rest of each,
 *                                               and its value where that is not the one to be expected
 *     30 39 28 28 ATTITUDE life  fields ...     a message: id, CRC_EXTRA, length without and with extensions, name;
 *                                               life: w in work, d or s and month,name: deprecated, superseded;
 *                                               two blanks before the fields
 *     f4name*&$#ENUM~unit!invalid|factor<min>max a field: letter of the type, array length, name; * tells instances
 *                                               apart, & is a bitmask, $ is the version; + before the first extension
 */

/** Types by one letter. */
export const LETTERS: Readonly<Record<WireType, string>> = {
  char: 'c',
  int8_t: 'b',
  uint8_t: 'B',
  int16_t: 'h',
  uint16_t: 'H',
  int32_t: 'i',
  uint32_t: 'I',
  int64_t: 'q',
  uint64_t: 'Q',
  float: 'f',
  double: 'd',
};

const TYPES: ReadonlyMap<string, WireType> = new Map(
  (Object.keys(LETTERS) as WireType[]).map((type) => [LETTERS[type], type]),
);

/** A message of the table. Its fields are read when they are asked for. */
interface PackedMessage extends DeclaredMessage {
  readonly crcExtra: number;
  readonly baseLength: number;
  readonly length: number;
}

/** A file of the table. Its lines are read when they are asked for. */
interface PackedFile extends Declarations {
  readonly messages: readonly PackedMessage[];
}

export function unpack(table: string): Map<string, PackedFile> {
  const files = new Map<string, PackedFile>();
  for (const block of table.split('\n=')) {
    const file = new FileLines(block.startsWith('=') ? block.slice(1) : block);
    files.set(file.name, file);
  }
  return files;
}

class FileLines implements PackedFile {
  readonly name: string;
  readonly version: number;
  readonly includes: { name: string; line: number }[];
  private readonly lines: readonly string[];

  constructor(text: string) {
    const [head, ...lines] = text.split('\n');
    const [name, version, ...includes] = head.split(' ');
    this.name = name;
    this.version = Number(version);
    this.includes = includes.map((include) => ({ name: include, line: 0 }));
    this.lines = lines;
  }

  get enums(): DeclaredEnum[] {
    return this.lines.filter((line) => line.startsWith('#')).map((line) => new PackedEnum(line));
  }

  get messages(): PackedMessage[] {
    return this.lines.filter((line) => !line.startsWith('#')).map((line) => new MessageLine(line));
  }
}

class PackedEnum implements DeclaredEnum {
  readonly name: string;
  readonly bitmask: boolean;
  private readonly text: string;

  constructor(line: string) {
    const end = line.indexOf(' ') < 0 ? line.length : line.indexOf(' ');
    this.bitmask = line[end - 1] === '&';
    this.name = line.slice(1, this.bitmask ? end - 1 : end);
    this.text = line.slice(end + 1);
  }

  get entries(): (readonly [number, string])[] {
    const [prefix, ...packed] = this.text.split(' ');
    let expected = 0;
    return packed.map((text) => {
      const [rest, given] = text.split('=');
      const value = given === undefined ? expected : Number(given);
      expected = this.bitmask ? value * 2 || 1 : value + 1;
      return [value, prefix + rest] as const;
    });
  }
}

class MessageLine implements PackedMessage {
  readonly id: number;
  readonly crcExtra: number;
  readonly baseLength: number;
  readonly length: number;
  readonly name: string;
  readonly wip: boolean;
  readonly deprecation: Deprecation | undefined;
  readonly line = 0;
  private readonly text: string;

  constructor(line: string) {
    // this runs for every message when a dialect is made, so the line is not split as a whole
    const end = line.indexOf('  ');
    const head = line.slice(0, end).split(' ');
    this.id = Number(head[0]);
    this.crcExtra = Number(head[1]);
    this.baseLength = Number(head[2]);
    this.length = Number(head[3]);
    this.name = head[4];
    const life = head[5];
    this.wip = life?.startsWith('w') ?? false;
    this.deprecation = life === undefined ? undefined : deprecation(life);
    this.text = line.slice(end + 2);
  }

  get fields(): DeclaredField[] {
    let extension = false;
    const packed = this.text === '' ? [] : this.text.split(' ');
    return packed.map((text) => {
      extension ||= text.startsWith('+');
      return field(text, extension);
    });
  }
}

function deprecation(life: string): Deprecation | undefined {
  const match = /([ds])(.*),(.*)/.exec(life);
  return match
    ? { kind: match[1] === 'd' ? 'deprecated' : 'superseded', since: match[2], replacedBy: match[3] }
    : undefined;
}

const FIELD =
  /^\+?([a-zA-Z])(\d*)([A-Za-z_]\w*)(\*?)(&?)(\$?)(?:#(\w+))?(?:~([^!|<>]+))?(?:!([^|<>]+))?(?:\|([^<>]+))?(?:<([^>]+))?(?:>(.+))?$/;

function field(text: string, extension: boolean): DeclaredField {
  const match = FIELD.exec(text);
  const type = match && TYPES.get(match[1]);
  if (!match || !type) throw new RangeError(`built-in field ${text} cannot be read`);
  const [, , length, name, instance, bitmask, version, enumeration = '', unit = '', invalid = ''] = match;
  return {
    name,
    type,
    length: Number(length),
    extension,
    unit,
    invalid,
    enumeration,
    bitmask: bitmask !== '',
    instance: instance !== '',
    multiplier: number(match[10]),
    minimum: number(match[11]),
    maximum: number(match[12]),
    version: version !== '',
  };
}

function number(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
