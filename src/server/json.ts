import { hexOf } from '../core/text.ts';

/**
 * JSON of what a view gives, by the rules that all of Skein follows: what is no number is null, integers beyond 2^53 are
 * texts, bytes are hexadecimal.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, plain) ?? 'null';
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return hexOf(value);
  if (value instanceof Map) return fromEntries(value);
  if (value instanceof Set) return [...value];
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
}

/** Without a prototype, since a key may be `__proto__`. */
function fromEntries(map: ReadonlyMap<unknown, unknown>): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of map) object[String(key)] = value;
  return object;
}
