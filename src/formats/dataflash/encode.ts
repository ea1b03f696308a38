import { storeAt } from '../../core/codec.ts';
import type { Value } from '../../core/column.ts';
import { TYPE_BYTES } from '../../core/schema.ts';
import { characterOf, type Definition, FMT_DEFINITION, formatLength, HEAD_1, HEAD_2, HEADER_BYTES } from './schema.ts';

const encoder = new TextEncoder();

/** Bytes that a FMT record has room for. */
const ROOM = [
  ['name', 4],
  ['format', 16],
  ['columns', 64],
] as const;

/** A definition from a name, a format and its columns; the length follows from the format. */
export function definitionFor(type: number, name: string, format: string, columns: string): Definition {
  const length = formatLength(format);
  if (length === undefined) throw new RangeError(`format '${format}' of ${name} has an unknown character`);
  if (length > 255) throw new RangeError(`record ${name} would have ${length} bytes, at most 255 fit`);
  if (!Number.isInteger(type) || type < 0 || type > 255)
    throw new RangeError(`type ${type} of ${name} is not 0 to 255`);
  const definition = { type, length, name, format, columns };
  for (const [part, room] of ROOM) {
    const { length: bytes } = encoder.encode(definition[part]);
    if (bytes > room) throw new RangeError(`${part} '${definition[part]}' has ${bytes} bytes, at most ${room} fit`);
  }
  return definition;
}

export function encodeDefinition({ type, length, name, format, columns }: Definition): Uint8Array {
  return encodeRecord(FMT_DEFINITION, [type, length, name, format, columns]);
}

/** A record from its values in the order of its columns, as a reader would give them; what is missing is 0 or empty. */
export function encodeRecord(definition: Definition, values: readonly Value[]): Uint8Array {
  const record = new Uint8Array(definition.length);
  record.set([HEAD_1, HEAD_2, definition.type]);
  const view = new DataView(record.buffer);
  let at = HEADER_BYTES;
  [...definition.format].forEach((char, i) => {
    at = encodeValue(record, view, at, char, values[i] ?? null);
  });
  return record;
}

function encodeValue(record: Uint8Array, view: DataView, at: number, char: string, value: Value): number {
  const known = characterOf(char);
  if (!known) throw new RangeError(`format character '${char}' is not known`);
  const { type, count, divisor } = known;
  if (type === 'text') {
    const bytes = value instanceof Uint8Array ? value : encoder.encode(String(value ?? ''));
    record.set(bytes.subarray(0, count), at);
    return at + count;
  }
  const elements: readonly (number | bigint | null)[] = Array.isArray(value) ? value : [value];
  if (elements.length > count) throw new RangeError(`${elements.length} elements for '${char}', which has ${count}`);
  const width = TYPE_BYTES[type];
  for (const [i, element] of elements.entries()) {
    const value = typeof element === 'bigint' ? element : Number(element);
    const scaled = typeof value === 'bigint' || divisor === 1 ? value : Math.round(value * divisor);
    storeAt(view, at + i * width, type, scaled);
  }
  return at + width * count;
}
