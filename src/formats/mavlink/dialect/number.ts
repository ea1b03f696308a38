/** The value of an enum entry: decimal, 0x, 0b or a power such as 2**7. Undefined where it is none of these. */
export function enumValue(text: string): number | undefined {
  const trimmed = text.trim();
  const power = /^(\d{1,3})\*\*(\d{1,3})$/.exec(trimmed);
  if (power) return Number(power[1]) ** Number(power[2]);
  if (/^([+-]?\d{1,20}|0[xX][0-9a-fA-F]{1,20}|0[bB][01]{1,64})$/.test(trimmed)) return Number(trimmed);
  return undefined;
}

/** A decimal number, or a fraction of two of them such as 360/255. Undefined where it is none of these. */
export function decimalValue(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [above, below = '1', ...more] = text.split('/').map((part) => part.trim());
  const isDecimal = (part: string): boolean => /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(part);
  if (more.length > 0 || !isDecimal(above) || !isDecimal(below)) return undefined;
  const value = Number(above) / Number(below);
  return Number.isFinite(value) ? value : undefined;
}
