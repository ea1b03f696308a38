/** A colour as #rrggbb: style sheets are shortened, and have #rgb too. */
export function sixDigits(color: string): string {
  return /^#[0-9a-f]{3}$/i.test(color) ? color.replace(/[^#]/g, '$&$&') : color;
}

/** Red, green and blue, 0 to 255. */
function partsOf(color: string): number[] {
  const digits = sixDigits(color);
  return [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
}

/** Brightness as the eye has it, 0 to 1 (WCAG 2.2, "relative luminance"). */
function luminance(color: string): number {
  const linear = partsOf(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

/** How well one colour is seen on another: 1 not at all, 21 black on white (WCAG 2.2, "contrast ratio"). */
export function contrast(a: string, b: string): number {
  const [dark, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (bright + 0.05) / (dark + 0.05);
}

/** The least contrast of a line or sign; texts need 4.5. */
export const SEEN = 3;

/** The colour, or one of its hue made darker or brighter until it is seen on a ground. */
export function seenOn(ground: string, color: string): string {
  const end = luminance(ground) < 0.2 ? '#ffffff' : '#000000';
  for (let part = 0; part < 1; part += 0.04) {
    const changed = mixed(color, end, part);
    if (contrast(changed, ground) >= SEEN) return changed;
  }
  return end;
}

/** A colour on its way to another: at 0 the one, at 1 the other. */
export function mixed(from: string, to: string, part: number): string {
  const ends = partsOf(to);
  const parts = partsOf(from).map((value, i) => Math.round(value + (ends[i] - value) * part));
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
