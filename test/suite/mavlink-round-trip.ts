import type { Dialect, MessageDefinition, MessageField } from '../../src/formats/mavlink/dialect/definition.ts';
import { type EncodeOptions, encodeMessage } from '../../src/formats/mavlink/encode.ts';
import { type PlainValue, plainMessage } from '../formats/mavlink/message.ts';
import { Random } from './random.ts';

/** Characters of one to four bytes. */
const TEXT = 'abcXYZ 019_-äß°€→😀';

/**
 * Encodes `count` messages over all definitions in turn, with random values, and decodes them by the plain decoder. The
 * first difference, as a sentence that holds the seed, or undefined.
 */
export function roundTripDifference(dialect: Dialect, count: number, seed: number): string | undefined {
  const random = new Random(seed);
  const definitions = [...dialect.messages.values()].flat();
  for (let i = 0; i < count; i++) {
    const difference = oneDifference(definitions[i % definitions.length], random);
    if (difference !== undefined) return `seed ${seed}, message ${i}: ${difference}`;
  }
  return undefined;
}

function oneDifference(definition: MessageDefinition, random: Random): string | undefined {
  const version = definition.id < 256 && random.chance(0.4) ? 1 : 2;
  const values: Record<string, PlainValue> = Object.create(null);
  const expected: Record<string, PlainValue> = Object.create(null);
  for (const field of definition.fields) {
    const value = randomValue(field, random);
    if (value !== undefined) values[field.name] = value;
    const isSent = value !== undefined && !(version === 1 && field.extension);
    expected[field.name] = stored(field, isSent ? value : (field.constant ?? 0));
  }
  const options: EncodeOptions = {
    version,
    sequence: random.below(256),
    system: random.below(256),
    component: random.below(256),
  };
  const frame = encodeMessage(definition, values, options);
  const found = plainMessage(frame, definition);
  const what = `${definition.name} of version ${version}`;
  if (typeof found === 'string') return `${what}: ${found}`;
  for (const key of ['version', 'sequence', 'system', 'component'] as const) {
    if (found[key] !== options[key]) return `${what}: ${key} ${found[key]}, not ${options[key]}`;
  }
  if (version === 1 && found.length !== definition.baseLength) return `${what}: ${found.length} bytes`;
  if (version === 2 && !isTruncated(frame, found.length, definition)) return `${what}: cut to ${found.length} bytes`;
  for (const { name } of definition.fields) {
    if (!isSame(found.values[name], expected[name]))
      return `${what}: ${name} is ${String(found.values[name])}, not ${String(expected[name])}`;
  }
  const again = encodeMessage(definition, found.values, options);
  const isEqual = again.length === frame.length && again.every((byte, i) => byte === frame[i]);
  return isEqual ? undefined : `${what}: other bytes when it is encoded again`;
}

function isTruncated(frame: Uint8Array, length: number, definition: MessageDefinition): boolean {
  return length <= definition.length && (length > 1 ? frame[10 + length - 1] !== 0 : length === 1);
}

/** What a reader sees of a value. */
function stored({ type, count }: MessageField, value: PlainValue): PlainValue {
  if (type === 'text') return value === 0 ? '' : value;
  const one = (element: number | bigint): number | bigint => {
    if (type === 'int64' || type === 'uint64') return BigInt(element);
    return type === 'float32' ? Math.fround(Number(element)) : element;
  };
  if (count === 1) return one(value as number);
  const given = Array.isArray(value) ? value : [];
  return Array.from({ length: count }, (_, i) => one(given[i] ?? 0));
}

function isSame(a: PlainValue, b: PlainValue): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, i) => Object.is(one, b[i]));
  return Object.is(a, b);
}

/** Often small or zero, so that payloads are cut; sometimes left out. */
function randomValue(field: MessageField, random: Random): PlainValue | undefined {
  if (random.chance(0.15)) return undefined;
  if (field.type === 'text') return randomText(field.count, random);
  if (field.count === 1) return randomNumber(field.type, random);
  return Array.from({ length: random.between(0, field.count) }, () => randomNumber(field.type, random));
}

function randomText(bytes: number, random: Random): string {
  const encoder = new TextEncoder();
  const characters = [...TEXT];
  let text = '';
  for (let wanted = random.between(0, bytes); wanted > 0; wanted--) {
    const longer = text + random.pick(characters);
    if (encoder.encode(longer).length > bytes) break;
    text = longer;
  }
  return text;
}

function randomNumber(type: MessageField['type'], random: Random): number | bigint {
  if (random.chance(0.3)) return 0;
  if (type === 'float32' || type === 'float64') {
    const special = [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e-45, 3.4028234663852886e38, -1.5];
    return random.chance(0.1) ? random.pick(special) : (random.bits() - 2 ** 31) / 2 ** random.below(40);
  }
  const bits = Number(type.replace(/\D/g, ''));
  const wide = (BigInt(random.bits()) << 32n) | BigInt(random.bits());
  const value = type.startsWith('u') ? BigInt.asUintN(bits, wide) : BigInt.asIntN(bits, wide);
  const edge = type.startsWith('u') ? 2n ** BigInt(bits) - 1n : -(2n ** BigInt(bits - 1));
  const chosen = random.chance(0.05) ? edge : value;
  return bits < 64 || (random.chance(0.5) && Number.isSafeInteger(Number(chosen))) ? Number(chosen) : chosen;
}
