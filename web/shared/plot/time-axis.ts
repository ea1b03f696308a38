import { utcToGps } from '../../../src/entry/pages.ts';
import { clockText, guessMark, isRelative, type TimeBase } from '../format.ts';

const DAY = 86_400;

/** Steps between ticks in seconds: round in the sense of clocks. */
export const TIME_STEPS: readonly number[] = [
  ...[1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, DAY],
];

/** Where the axis has its 0, in microseconds: ticks are round from there on. */
export function axisOrigin(base: TimeBase, start: number): number {
  if (isRelative(base)) return start;
  // the beginning of the week
  if (base === 'gps') return start - utcToGps(start).seconds * 1e6;
  if (base === 'log') return 0;
  const zone = base === 'local' ? new Date(start / 1000).getTimezoneOffset() * 60 : 0;
  return (Math.floor((start / 1e6 - zone) / DAY) * DAY + zone) * 1e6;
}

/** Pixels between two labels at least. */
const APART = 90;

/** Round times of a window with their labels, for an axis `pixels` wide. */
export function timeTicks(
  { from, to }: { readonly from: number; readonly to: number },
  pixels: number,
  base: TimeBase,
  start: number,
): { readonly time: number; readonly text: string }[] {
  const origin = axisOrigin(base, start);
  const least = (((to - from) / 1e6) * APART) / Math.max(1, pixels);
  const step = TIME_STEPS.find((each) => each >= least) ?? Math.ceil(least / DAY) * DAY;
  const first = Math.ceil((from - origin) / 1e6 / step);
  const count = Math.max(0, Math.floor((to - origin) / 1e6 / step) - first + 1);
  const ticks = Array.from({ length: Math.min(1000, count) }, (_, i) => (first + i) * step);
  const texts = tickTexts(ticks, step, base);
  return ticks.map((tick, i) => ({ time: origin + tick * 1e6, text: texts[i] }));
}

/** The labels of ticks that are `step` seconds apart. */
export function tickTexts(ticks: readonly number[], step: number, base: TimeBase): string[] {
  const digits = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
  if (base === 'log' || base === 'gps') return ticks.map((tick) => tick.toFixed(digits));
  if (isRelative(base)) return ticks.map((tick) => guessMark(base) + clockText(tick, digits));
  return ticks.map((tick) => {
    const ofDay = ((tick % DAY) + DAY) % DAY;
    const text = clockText(ofDay, digits);
    return ofDay < 3600 ? `0:${text.padStart(digits > 0 ? 6 + digits : 5, '0')}` : text;
  });
}
