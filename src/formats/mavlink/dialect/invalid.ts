import { type FieldType, TYPE_BYTES } from '../../../core/schema.ts';

/** Which stored number means "missing". */
export interface Invalid {
  readonly invalid: number | bigint | undefined;
  readonly invalidByFirst: boolean;
  readonly invalidByElement?: readonly (number | bigint | undefined)[] | undefined;
}

const NONE: Invalid = { invalid: undefined, invalidByFirst: false };

/**
 * What an `invalid` attribute means for a field.
 *
 *     X          the number X
 *     [X]        any element that is X
 *     [X:]       all elements, if the first one is X
 *     [X,,Z,]    the first element if it is X, the third if it is Z, no other
 *
 * What cannot be read, or could never be stored in such a field, means nothing: a definition is not worse for it.
 * @param entry the value of an enum entry, for the few that name one
 */
export function invalidOf(
  text: string,
  type: FieldType,
  count: number,
  entry: (name: string) => number | undefined,
): Invalid {
  if (text === '' || type === 'text') return NONE;
  const value = (part: string): number | bigint | undefined => stored(part.trim(), type, entry);
  const inner = /^\[(.*)\]$/.exec(text)?.[1].trim();
  if (inner === undefined) return { invalid: value(text), invalidByFirst: false };
  if (inner.endsWith(':')) return { invalid: value(inner.slice(0, -1)), invalidByFirst: count > 1 };
  if (!inner.includes(',')) return { invalid: value(inner), invalidByFirst: false };
  return {
    invalid: undefined,
    invalidByFirst: false,
    invalidByElement: inner.split(',').slice(0, count).map(value),
  };
}

/** The number as a field of the type holds it. */
function stored(
  text: string,
  type: FieldType,
  entry: (name: string) => number | undefined,
): number | bigint | undefined {
  if (type === 'float32' || type === 'float64') {
    if (/^nan$/i.test(text)) return Number.NaN;
    const exact = integer(text, entry);
    const value = exact === undefined ? decimal(text) : Number(exact);
    return value === undefined || type === 'float64' ? value : Math.fround(value);
  }
  const exact = integer(text, entry) ?? wholeDecimal(text);
  if (exact === undefined) return undefined;
  const bits = TYPE_BYTES[type] * 8;
  if (exact < -(1n << BigInt(bits - 1)) || exact >= 1n << BigInt(bits)) return undefined;
  // a sender that is given -1 for an unsigned field stores all ones
  const wrapped = type.startsWith('u') ? BigInt.asUintN(bits, exact) : BigInt.asIntN(bits, exact);
  return Number.isSafeInteger(Number(wrapped)) ? Number(wrapped) : wrapped;
}

function integer(text: string, entry: (name: string) => number | undefined): bigint | undefined {
  if (/^(\d{1,20}|0[xX][0-9a-fA-F]{1,16})$/.test(text)) return BigInt(text);
  if (/^-\d{1,20}$/.test(text)) return -BigInt(text.slice(1));
  const bound = /^(U?)INT(8|16|32|64)_(MIN|MAX)$/.exec(text);
  if (!bound) {
    const value = /^[A-Za-z_]\w*$/.test(text) ? entry(text) : undefined;
    return value === undefined ? undefined : BigInt(value);
  }
  const bits = BigInt(bound[2]);
  if (bound[1] === 'U') return bound[3] === 'MIN' ? 0n : (1n << bits) - 1n;
  return bound[3] === 'MIN' ? -(1n << (bits - 1n)) : (1n << (bits - 1n)) - 1n;
}

function decimal(text: string): number | undefined {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(text) ? Number(text) : undefined;
}

function wholeDecimal(text: string): bigint | undefined {
  const value = decimal(text);
  return value !== undefined && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}
