import { storedAt } from '../core/codec.ts';
import { type Enumeration, TYPE_BYTES } from '../core/schema.ts';
import type { MessageDefinition, MessageField } from '../formats/mavlink/dialect/definition.ts';

/** What is wrong with a value: which field, where it is in the payload, what may be there and what is. */
export interface ValueFault {
  readonly field: string;
  readonly at: number;
  readonly expected: string;
  readonly found: string;
}

type MessageValue = number | bigint;

/** Names of an enum that are listed when a value is none of them. */
const TOLD = 8;

/** The values that a field of a message may have, by its definition: of enums and flags, and within bounds. */
interface FieldRule {
  readonly field: MessageField;
  /** All of its flags together. */
  readonly flags: bigint;
}

export type FieldRules = readonly FieldRule[];

export function fieldRules({ fields }: MessageDefinition): FieldRules {
  return fields.filter(isBounded).map((field) => {
    const known = [...(field.enumeration?.names.keys() ?? [])].filter(Number.isSafeInteger);
    return { field, flags: known.reduce((flags, flag) => flags | BigInt(flag), 0n) };
  });
}

function isBounded({ type, enumeration, minimum, maximum }: MessageField): boolean {
  if (type === 'text') return false;
  return enumeration !== undefined || minimum !== undefined || maximum !== undefined;
}

/** Values that are not allowed. The payload is filled up with zeros; `length` bytes of it were sent. */
export function* valueFaults(rules: FieldRules, payload: DataView, length: number): Generator<ValueFault> {
  for (const rule of rules) yield* faultsOf(rule, payload, length);
}

function* faultsOf(rule: FieldRule, payload: DataView, length: number): Generator<ValueFault> {
  const { name, type, count, offset, extension, invalid, invalidByFirst, invalidByElement } = rule.field;
  // an extension that was not sent says nothing
  if (extension && offset >= length) return;
  const width = TYPE_BYTES[type];
  if (invalidByFirst && isSame(valueAt(payload, type, offset), invalid)) return;
  for (let i = 0; i < count; i++) {
    const at = offset + i * width;
    const value = valueAt(payload, type, at);
    if (isSame(value, invalidByFirst ? undefined : invalid) || isSame(value, invalidByElement?.[i])) continue;
    const expected = refusal(rule, value);
    if (expected === undefined) continue;
    yield { field: count > 1 ? `${name}[${i}]` : name, at, expected, found: String(value) };
  }
}

/** What is expected in place of a value; undefined if it is allowed. */
function refusal({ field, flags }: FieldRule, value: MessageValue): string | undefined {
  const { enumeration, minimum, maximum } = field;
  if (enumeration && !isNamed(enumeration, value, field.type, flags)) return namesOf(enumeration);
  const isLow = minimum !== undefined && !(value >= minimum);
  const isHigh = maximum !== undefined && !(value <= maximum);
  if (!isLow && !isHigh) return undefined;
  if (minimum === undefined) return `at most ${maximum}`;
  return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`;
}

function isNamed(
  { bitmask, names }: Enumeration,
  value: MessageValue,
  type: MessageField['type'],
  flags: bigint,
): boolean {
  if (typeof value === 'number' && !Number.isInteger(value)) return false;
  if (names.has(Number(value))) return true;
  if (!bitmask) return false;
  // a field with a sign has its highest flag there
  const bits = BigInt.asUintN(8 * TYPE_BYTES[type], BigInt(value));
  return (bits & ~flags) === 0n;
}

function namesOf({ name, bitmask, names }: Enumeration): string {
  if (bitmask) return `flags of ${name}`;
  const listed = [...names].slice(0, TOLD).map(([value, entry]) => `${value} ${entry}`);
  const more = names.size > TOLD ? ` and ${names.size - TOLD} more` : '';
  return `a value of ${name} (${listed.join(', ')}${more})`;
}

function isSame(value: MessageValue, other: MessageValue | undefined): boolean {
  if (other === undefined) return false;
  // comparing a number with a bigint is exact, and two NaN are equal here
  return (Number.isNaN(value) && Number.isNaN(other)) || (value <= other && value >= other);
}

function valueAt(view: DataView, type: MessageField['type'], at: number): MessageValue {
  return storedAt(view, at, type) ?? view.getUint8(at);
}
