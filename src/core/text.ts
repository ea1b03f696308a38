const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a fixed-width field up to the first NUL: UTF-8 if valid, else Latin-1. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  let stop = start;
  let ascii = true;
  while (stop < end) {
    const byte = bytes[stop];
    if (byte === 0) break;
    if (byte > 0x7f) ascii = false;
    stop++;
  }
  if (ascii) return latin1(bytes, start, stop);
  try {
    return utf8.decode(bytes.subarray(start, stop));
  } catch {
    return latin1(bytes, start, stop);
  }
}

/** Characters made at a time: arguments of a call are limited. */
const PIECE = 4096;
/** Longest of the short texts, which are made in a faster way: there are many of them. */
const SHORT = 5;

/** In one piece, not letter by letter: a text that grew by letters holds on to all its stages. */
function latin1(bytes: Uint8Array, start: number, end: number): string {
  if (end - start <= SHORT) return shortLatin1(bytes, start, end - start);
  if (end - start > PIECE) return latin1(bytes, start, start + PIECE) + latin1(bytes, start + PIECE, end);
  return String.fromCharCode.apply(undefined, bytes.subarray(start, end) as unknown as number[]);
}

/** A list of arguments that is written out is made at once, one that is taken from an array is not. */
function shortLatin1(bytes: Uint8Array, at: number, length: number): string {
  switch (length) {
    case 0:
      return '';
    case 1:
      return String.fromCharCode(bytes[at]);
    case 2:
      return String.fromCharCode(bytes[at], bytes[at + 1]);
    case 3:
      return String.fromCharCode(bytes[at], bytes[at + 1], bytes[at + 2]);
    case 4:
      return String.fromCharCode(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
    default:
      return String.fromCharCode(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3], bytes[at + 4]);
  }
}

/** Two digits a byte, lower case. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte < 16 ? `0${byte.toString(16)}` : byte.toString(16);
  return text;
}

/** Beyond this JavaScript writes an exponent; such numbers are integers. */
export const LARGE = 1e21;

/** The shortest decimal that reads as the same number again; '' for NaN and infinities. */
export function exact(value: number): string {
  if (!Number.isFinite(value)) return '';
  if (Math.abs(value) >= LARGE) return BigInt(value).toString();
  const text = String(value);
  const [mantissa, exponent] = text.split('e-');
  if (exponent === undefined) return text;
  const digits = mantissa.replace(/[-.]/g, '');
  return `${value < 0 ? '-' : ''}0.${'0'.repeat(Number(exponent) - 1)}${digits}`;
}

/** The shortest decimal that is the same number in 32 bits, which is what vehicles keep; the number itself otherwise. */
export function shortest(value: number): string {
  if (Math.fround(value) === value) {
    for (let digits = 6; digits <= 9; digits++) {
      const text = Number(value.toPrecision(digits));
      if (Math.fround(text) === value) return String(text);
    }
  }
  return String(value);
}

/** What a thrown value says. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A number with a prefix: 0x0a. */
export function hex(value: number, digits = 2): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}

/** Capital digits without a prefix: 0A. */
export function hexDigits(value: number, digits = 2): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}

/** JSON has no NaN and no infinities. */
export function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** A list of words that is written as one text. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** What belongs to names, written as `name=value name=value`. */
export function pairs(text: string): [name: string, value: string][] {
  return words(text).map((word) => {
    const [name, value = ''] = word.split('=');
    return [name, value];
  });
}
