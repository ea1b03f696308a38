import {
  type Declarations,
  type DeclaredEnum,
  type DeclaredField,
  type DeclaredMessage,
  DialectError,
  quoted,
  type WireType,
} from './declarations.ts';
import type { Deprecation } from './definition.ts';
import { type DialectLimits, MAX_FIELDS, MAX_MESSAGE_ID, MAX_PAYLOAD } from './limits.ts';
import { WIRE_BYTES } from './wire.ts';
import { readXml, type XmlListener } from './xml.ts';

type Attributes = Readonly<Record<string, string>>;
/** What is being read, before it is complete. */
type Open<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** The version of the protocol that is in use everywhere. */
const VERSION = 3;
const VERSION_TYPE = 'uint8_t_mavlink_version';
const TYPE = /^([a-z0-9_]{1,30})(?:\[(\d{1,9})\])?$/;

/** Reads one definition file, without what it includes. */
export function readDocument(file: string, text: string, limits: DialectLimits): Declarations {
  const reader = new DocumentReader(file, limits);
  readXml(file, text, limits, reader);
  const { includes, version, enums, messages } = reader;
  return { name: file.replace(/\.xml$/i, ''), includes, version, enums, messages };
}

/** The name without its ending of a file that may be included. It is a plain one: no way leads out of the folder. */
function includeName(file: string): string | undefined {
  return /^([A-Za-z0-9_](?:[A-Za-z0-9_-]|\.(?!\.)){0,99})\.xml$/.exec(file)?.[1];
}

class DocumentReader implements XmlListener {
  readonly includes: { name: string; line: number }[] = [];
  version: number = VERSION;
  readonly enums: DeclaredEnum[] = [];
  readonly messages: DeclaredMessage[] = [];
  private readonly file: string;
  private readonly limits: DialectLimits;
  /** The elements that are open, outermost first. */
  private readonly path: string[] = [];
  private line = 1;
  private entryCount = 0;
  private group: Open<DeclaredEnum> | undefined;
  private message: Open<DeclaredMessage> | undefined;
  private bytes = 0;
  private isExtension = false;

  constructor(file: string, limits: DialectLimits) {
    this.file = file;
    this.limits = limits;
  }

  open(name: string, attributes: Attributes, line: number): boolean {
    this.line = line;
    const depth = this.path.push(name);
    if (depth === 1 && name !== 'mavlink') this.fail(`the root element is ${quoted(name)}, not mavlink`);
    if (depth === 2) return name === 'include' || name === 'version';
    if (depth === 3) this.openItem(`${this.path[1]}/${name}`, attributes);
    if (depth === 4 && this.group && name === 'entry') this.entry(this.group, attributes);
    if (depth === 4 && this.message) this.openInMessage(this.message, name, attributes);
    return false;
  }

  close(name: string, text: string): void {
    const depth = this.path.length;
    this.path.pop();
    if (depth === 2 && name === 'include') this.include(text.trim());
    if (depth === 2 && name === 'version') this.version = this.versionOf(text.trim());
    if (depth !== 3) return;
    if (this.group) this.enums.push(this.group);
    if (this.message) this.messages.push(this.message);
    this.group = undefined;
    this.message = undefined;
  }

  private fail(text: string): never {
    throw new DialectError(this.file, this.line, text);
  }

  private include(file: string): void {
    const name = includeName(file);
    if (name === undefined)
      this.fail(`include of ${quoted(file)}: must be a name such as common.xml, in the same folder`);
    this.includes.push({ name, line: this.line });
  }

  private versionOf(text: string): number {
    if (!/^\d{1,3}$/.test(text) || Number(text) > 255) this.fail(`version ${quoted(text)} is not 0 to 255`);
    return Number(text);
  }

  private nameOf(what: string, attributes: Attributes): string {
    const { name } = attributes;
    if (name === undefined) this.fail(`${what} has no name`);
    const { nameCharacters } = this.limits;
    if (name.length > nameCharacters)
      this.fail(`name of ${what} has ${name.length} characters, at most ${nameCharacters} are accepted`);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      this.fail(`name ${quoted(name)} of ${what} has other characters than letters, digits and _`);
    return name;
  }

  private openItem(kind: string, attributes: Attributes): void {
    if (kind === 'messages/message') this.openMessage(attributes);
    if (kind === 'enums/enum')
      this.group = { name: this.nameOf('enum', attributes), bitmask: attributes.bitmask === 'true', entries: [] };
  }

  private entry(group: Open<DeclaredEnum>, attributes: Attributes): void {
    const name = this.nameOf('entry', attributes);
    const { entries } = this.limits;
    if (++this.entryCount > entries) this.fail(`enums have more than ${entries} entries`);
    const previous = group.entries.at(-1);
    const value = attributes.value === undefined ? (previous?.[0] ?? -1) + 1 : enumValue(attributes.value);
    if (value === undefined) this.fail(`value ${quoted(attributes.value)} of ${name} is not a number`);
    if (!Number.isSafeInteger(value)) this.fail(`value ${quoted(attributes.value)} of ${name} is beyond 2^53`);
    group.entries.push([value, name]);
  }

  private openMessage(attributes: Attributes): void {
    const name = this.nameOf('message', attributes);
    const { id = '' } = attributes;
    if (!/^\d{1,9}$/.test(id) || Number(id) > MAX_MESSAGE_ID)
      this.fail(`id ${quoted(id)} of message ${name} is not 0 to ${MAX_MESSAGE_ID}`);
    if (this.messages.length >= this.limits.messages) this.fail(`file has more than ${this.limits.messages} messages`);
    this.message = { id: Number(id), name, fields: [], wip: false, deprecation: undefined, line: this.line };
    this.bytes = 0;
    this.isExtension = false;
  }

  private openInMessage(message: Open<DeclaredMessage>, name: string, attributes: Attributes): void {
    switch (name) {
      case 'field':
        this.field(message, attributes);
        break;
      case 'extensions':
        this.isExtension = true;
        break;
      case 'wip':
        message.wip = true;
        break;
      case 'deprecated':
      case 'superseded':
        message.deprecation = deprecation(name, attributes);
        break;
    }
  }

  private field(message: Open<DeclaredMessage>, attributes: Attributes): void {
    const name = this.nameOf(`a field of ${message.name}`, attributes);
    const what = `${message.name}.${name}`;
    if (message.fields.some((field) => field.name === name)) this.fail(`field ${what} is there twice`);
    if (message.fields.length >= MAX_FIELDS) this.fail(`message ${message.name} has more than ${MAX_FIELDS} fields`);
    const { type, length, version } = this.typeOf(what, attributes.type ?? '');
    this.bytes += WIRE_BYTES[type] * (length || 1);
    if (this.bytes > MAX_PAYLOAD)
      this.fail(`message ${message.name} has ${this.bytes} bytes with ${name}, at most ${MAX_PAYLOAD} fit`);
    message.fields.push({
      name,
      type,
      length,
      version,
      extension: this.isExtension,
      unit: this.short(what, attributes.units),
      invalid: this.short(what, attributes.invalid).trim(),
      enumeration: attributes.enum ? this.nameOf(`enum of ${what}`, { name: attributes.enum }) : '',
      bitmask: attributes.display === 'bitmask',
      instance: attributes.instance === 'true',
      multiplier: decimalValue(attributes.multiplier),
      minimum: decimalValue(attributes.minValue),
      maximum: decimalValue(attributes.maxValue),
    });
  }

  private typeOf(what: string, text: string): Pick<DeclaredField, 'type' | 'length' | 'version'> {
    const match = TYPE.exec(text);
    const version = match?.[1] === VERSION_TYPE;
    const type = version ? 'uint8_t' : match?.[1];
    if (!match || type === undefined || !isWireType(type)) this.fail(`unknown type ${quoted(text)} of ${what}`);
    if (match[2] === undefined) return { type, length: 0, version };
    const length = Number(match[2]);
    if (length < 1 || length > MAX_PAYLOAD)
      this.fail(`array ${what} has ${length} elements, 1 to ${MAX_PAYLOAD} are possible`);
    return { type, length, version };
  }

  private short(what: string, text = ''): string {
    const { nameCharacters } = this.limits;
    if (text.length > nameCharacters)
      this.fail(`an attribute of ${what} has ${text.length} characters, at most ${nameCharacters} are accepted`);
    return text;
  }
}

function isWireType(text: string): text is WireType {
  return Object.hasOwn(WIRE_BYTES, text);
}

/** What replaces a message is kept where it is a name, not where it is a sentence. */
function deprecation(kind: Deprecation['kind'], { since = '', replaced_by = '' }: Attributes): Deprecation {
  const by = replaced_by.trim();
  return {
    kind,
    since: /^\d{4}-\d{2}$/.test(since) ? since : '',
    replacedBy: /^[A-Z][A-Z0-9_]{1,99}$/.test(by) ? by : '',
  };
}

/** The value of an enum entry: decimal, 0x, 0b or a power such as 2**7. Undefined where it is none of these. */
function enumValue(text: string): number | undefined {
  const trimmed = text.trim();
  const power = /^(\d{1,3})\*\*(\d{1,3})$/.exec(trimmed);
  if (power) return Number(power[1]) ** Number(power[2]);
  if (/^([+-]?\d{1,20}|0[xX][0-9a-fA-F]{1,20}|0[bB][01]{1,64})$/.test(trimmed)) return Number(trimmed);
  return undefined;
}

/** A decimal number, or a fraction of two of them such as 360/255. Undefined where it is none of these. */
function decimalValue(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [above, below = '1', ...more] = text.split('/').map((part) => part.trim());
  const isDecimal = (part: string): boolean => /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(part);
  if (more.length > 0 || !isDecimal(above) || !isDecimal(below)) return undefined;
  const value = Number(above) / Number(below);
  return Number.isFinite(value) ? value : undefined;
}
