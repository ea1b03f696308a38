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
