/*
 * PX4 reports what happens as numbered events, https://mavlink.io/en/services/events.html
 * The texts are not in the message but in a JSON file that comes with the firmware:
 *
 *     components . "1" . namespace                  "px4"
 *                      . enums . NAME               type, is_bitfield, separator, entries . VALUE . description
 *                      . event_groups . GROUP . events . NUMBER    name, message, description, type, arguments
 *                      . navigation_mode_groups . groups . INDEX   the custom modes of a group
 *
 *     id of an event:   component (8 bits)   number (24 bits)
 *     arguments:        packed, little-endian, in the order of the definition
 *
 * The file comes from the vehicle, so nothing in it is trusted.
 */
const NUMBER_BITS = 24;
const BYTES: ReadonlyMap<string, number> = new Map([
  ['uint8_t', 1],
  ['int8_t', 1],
  ['uint16_t', 2],
  ['int16_t', 2],
  ['uint32_t', 4],
  ['int32_t', 4],
  ['float', 4],
  ['uint64_t', 8],
  ['int64_t', 8],
]);
/** Events of all groups, entries of an enum, arguments, characters of a text: the real file has 330, 31, 6 and 372. */
const MOST_EVENTS = 10_000;
const MOST_ENTRIES = 256;
const MOST_ARGUMENTS = 25;
const MOST_CHARACTERS = 4_000;
/** Characters of a text with its arguments. */
const MOST_SHOWN = 500;
/** Failed checks of a report: the definitions have some hundred. */
const MOST_CHECKS = 256;
/** The external level of an event that only programs should read. */
const PROTOCOL = 8;

type Json = Readonly<Record<string, unknown>>;

interface EventEnum {
  readonly type: string;
  /** The names of bits; undefined for an enum that is not a bit field. */
  readonly bits: readonly (readonly [bits: bigint, name: string])[] | undefined;
  readonly separator: string;
  readonly names: ReadonlyMap<string, string>;
}

interface EventDefinition {
  readonly group: string;
  readonly name: string;
  readonly type: string;
  readonly message: string;
  readonly description: string;
  /** Types of the arguments, in their order. */
  readonly types: readonly string[];
  readonly namespace: string;
}

export interface Px4Event {
  readonly id: number;
  /** `default`, or `arming_check`, `health`, `calibration`: those are for programs. */
  readonly group: string;
  readonly name: string;
  /** '', or `summary` in the groups of checks. */
  readonly type: string;
  readonly text: string;
  readonly description: string;
  readonly values: readonly (number | bigint)[];
}

/** The texts of a firmware's events. */
export class Px4EventDefinitions {
  private readonly definitions: Map<number, EventDefinition> = new Map();
  private readonly enums: Map<string, EventEnum> = new Map();
  /** The group that a custom mode belongs to: checks apply to groups of modes. */
  private readonly groupOfMode: Map<number, number> = new Map();

  /** Reads the JSON text; throws a RangeError if it is not such a file. */
  constructor(text: string) {
    let file: unknown;
    try {
      file = JSON.parse(text);
    } catch (error) {
      throw new RangeError(`event definitions are not valid JSON: ${(error as Error).message}`);
    }
    for (const [id, component] of entriesOf(objectOf(file).components))
      this.addComponent(Number(id), objectOf(component));
    if (this.definitions.size === 0) throw new RangeError('event definitions contain no events');
  }

  get size(): number {
    return this.definitions.size;
  }

  /** The group of a custom mode as a bit, or 0 if unknown. */
  modeGroup(customMode: number): number {
    const group = this.groupOfMode.get(customMode);
    return group === undefined ? 0 : (1 << group) >>> 0;
  }

  read(id: number, bytes: ArrayLike<number>): Px4Event | undefined {
    const found = this.definitions.get(id);
    if (!found) return undefined;
    const { group, name, type, namespace } = found;
    const values: (number | bigint)[] = [];
    const texts: Argument[] = [];
    let at = 0;
    for (const argument of found.types) {
      const enumeration = this.enums.get(argument) ?? this.enums.get(`${namespace}::${argument}`);
      const base = enumeration?.type ?? argument;
      const size = BYTES.get(base);
      if (size === undefined || at + size > bytes.length) break;
      const value = readValue(bytes, at, base, size);
      at += size;
      values.push(value);
      texts.push({ value, isFloat: base === 'float', enumeration });
    }
    return {
      id,
      group,
      name,
      type,
      text: expand(found.message, texts).trim(),
      description: expand(found.description, texts).trim(),
      values,
    };
  }

  private addComponent(id: number, component: Json): void {
    if (!Number.isInteger(id) || id < 0 || id > 0xff) return;
    const namespace = textOf(component.namespace);
    for (const [name, each] of entriesOf(component.enums)) {
      const { type, is_bitfield, separator, entries } = objectOf(each);
      const names = entriesOf(entries)
        .slice(0, MOST_ENTRIES)
        .map(([value, entry]) => {
          const { description, name: short } = objectOf(entry);
          return [value, textOf(description ?? short)] as const;
        });
      const bits = names.flatMap(([value, text]) =>
        /^\d{1,20}$/.test(value) && Number(value) > 0 ? [[BigInt(value), text] as const] : [],
      );
      this.enums.set(`${namespace}::${name}`, {
        type: textOf(type),
        bits: is_bitfield === true ? bits : undefined,
        separator: textOf(separator) || '|',
        names: new Map(names),
      });
    }
    for (const [group, each] of entriesOf(component.event_groups)) {
      for (const [number, event] of entriesOf(objectOf(each).events)) {
        if (this.definitions.size >= MOST_EVENTS) return;
        const { name, type, message, description, arguments: given } = objectOf(event);
        this.definitions.set(id * 2 ** NUMBER_BITS + Number(number), {
          ...{ group, namespace, name: textOf(name), type: textOf(type) },
          ...{ message: textOf(message), description: textOf(description) },
          types: Array.isArray(given)
            ? given.slice(0, MOST_ARGUMENTS).map((argument) => textOf(objectOf(argument).type))
            : [],
        });
      }
    }
    for (const [group, modes] of entriesOf(objectOf(component.navigation_mode_groups).groups)) {
      const index = Number(group);
      if (!Array.isArray(modes) || !(index >= 0 && index < 32)) continue;
      for (const mode of modes) if (typeof mode === 'number') this.groupOfMode.set(mode, index);
    }
  }
}

interface Argument {
  readonly value: number | bigint;
  readonly isFloat: boolean;
  readonly enumeration: EventEnum | undefined;
}

function readValue(bytes: ArrayLike<number>, at: number, type: string, size: number): number | bigint {
  const view = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < size; i++) view.setUint8(i, bytes[at + i]);
  if (type === 'float') return view.getFloat32(0, true);
  if (size === 8) return type.startsWith('u') ? view.getBigUint64(0, true) : view.getBigInt64(0, true);
  if (size === 4) return type.startsWith('u') ? view.getUint32(0, true) : view.getInt32(0, true);
  if (size === 2) return type.startsWith('u') ? view.getUint16(0, true) : view.getInt16(0, true);
  return type.startsWith('u') ? view.getUint8(0) : view.getInt8(0);
}

function enumText({ bits, separator, names }: EventEnum, value: number | bigint): string {
  if (!bits) return names.get(String(value)) ?? `(unknown: ${value})`;
  let left = BigInt(value);
  const texts: string[] = [];
  for (const [each, name] of bits) {
    if ((left & each) !== each) continue;
    texts.push(name);
    left &= ~each;
  }
  if (left !== 0n) texts.push(`(unknown: ${left})`);
  return texts.join(separator);
}

/** Puts arguments into a text: `{2:.1m/s}` is argument 2 with one digit and a unit; tags keep or drop their content. */
function expand(text: string, values: readonly Argument[]): string {
  const pattern = /\\(.)|\{(\d+)(?::\.(\d+))?(m\/s|m\^2|m_v|m|C)?\}|<(\w+)(\s[^<>]*)?>/g;
  const unclosed = new Set<string>();
  let expanded = '';
  let at = 0;
  for (let match = pattern.exec(text); match && expanded.length < MOST_SHOWN; match = pattern.exec(text)) {
    const [all, escaped, number, digits, unit, tag, attributes = ''] = match;
    expanded += text.slice(at, Math.min(match.index, at + MOST_SHOWN));
    at = pattern.lastIndex;
    if (escaped !== undefined) expanded += escaped;
    else if (number !== undefined) expanded += argumentText(values[Number(number) - 1], digits, unit) ?? all;
    else {
      const end = unclosed.has(tag) ? -1 : text.indexOf(`</${tag}>`, at);
      if (end < 0) unclosed.add(tag);
      else {
        const isKept = tag === 'profile' ? /name="dev"/.test(attributes) : tag === 'a' || tag === 'param';
        if (isKept) expanded += expand(text.slice(at, end), values);
        at = end + tag.length + 3;
        pattern.lastIndex = at;
      }
    }
  }
  return (expanded + text.slice(at, at + MOST_SHOWN)).slice(0, MOST_SHOWN);
}

function argumentText(argument: Argument | undefined, digits: string | undefined, unit = ''): string | undefined {
  if (!argument) return undefined;
  const { value, isFloat, enumeration } = argument;
  if (enumeration) return enumText(enumeration, value).slice(0, MOST_SHOWN);
  const number = isFloat && digits !== undefined ? Number(value).toFixed(Math.min(20, Number(digits))) : String(value);
  return `${number}${unit === '' ? '' : ` ${unit.replace('_v', '')}`}`;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(objectOf(value));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MOST_CHARACTERS) : '';
}

/** A check that failed, in the report of a vehicle's health. */
export interface Px4Check {
  readonly text: string;
  readonly description: string;
  /** As MAV_SEVERITY: up to 3 it keeps the vehicle from arming, 4 is a warning. */
  readonly level: number;
  /** The groups of modes that it concerns, as bits. */
  readonly modes: number;
}

/** What a vehicle says of its health: all checks that failed, and in which groups of modes it would arm. */
export interface Px4Health {
  readonly canArm: number;
  readonly canRun: number;
  readonly checks: readonly Px4Check[];
}

/**
 * Puts together a report of a vehicle's health from events that follow each other:
 *
 *     arming_check summary   arming_check, health ... (the checks)   health summary
 *
 * A report that lacks an event is dropped: the vehicle sends a new one when anything changes.
 */
export class Px4HealthReader {
  /** The last whole report. */
  health: Px4Health | undefined;
  private open: { readonly canArm: number; readonly canRun: number; readonly checks: Px4Check[] } | undefined;
  private sequence = -1;

  /** Adds the next event, with its number and levels. @returns whether it completes a report */
  push({ group, type, text, description, values }: Px4Event, sequence: number, levels: number): boolean {
    const isNext = sequence === ((this.sequence + 1) & 0xffff);
    this.sequence = sequence;
    if (!isNext) this.open = undefined;
    if (group !== 'arming_check' && group !== 'health') return false;
    const [first = 0, , , canArm = 0, canRun = 0] = values.map(Number);
    if (type === 'summary' && group === 'arming_check') {
      const { open } = this;
      // a report too long for its summary comes in chunks
      const isMore = first > 0 && open !== undefined;
      this.open = isMore
        ? { canArm: (open.canArm & canArm) >>> 0, canRun: (open.canRun & canRun) >>> 0, checks: open.checks }
        : { canArm, canRun, checks: [] };
      return false;
    }
    if (type === 'summary') {
      if (!this.open) return false;
      this.health = this.open;
      return true;
    }
    if (this.open && this.open.checks.length < MOST_CHECKS)
      this.open.checks.push({ text, description, level: levels & 0xf, modes: first });
    return false;
  }
}

/** Whether an event is for people, by its levels: the low four bits are the external level. */
export function isForPeople({ group }: Px4Event, levels: number): boolean {
  return group !== 'arming_check' && group !== 'health' && (levels & 0xf) < PROTOCOL;
}
