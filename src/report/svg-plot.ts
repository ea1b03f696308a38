import { htmlText } from '../core/names.ts';

/** A line of a plot: microseconds and values, null where it is broken. */
interface SvgLine {
  readonly name: string;
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  /** Which colour, counted from 0; the place in the list where it is absent. */
  readonly color?: number;
  /** Drawn with gaps: what was asked for, or the other of two logs. */
  readonly dashed?: boolean;
}

/** A stretch of time behind the lines. */
export interface SvgBand {
  readonly from: number;
  readonly to: number;
  /** A class of the page's style: 'flight', 'warn', 'fail'. */
  readonly kind: string;
}

export interface SvgPlot {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly SvgLine[];
  readonly limits?: readonly { readonly value: number; readonly severity: string }[];
  readonly bands?: readonly SvgBand[];
  /** The time at the left and at the right, and what counts as 0 on the axis. */
  readonly from: number;
  readonly to: number;
  readonly zero?: number;
}

/** The size in its units, which a page scales to its width. */
const WIDTH = 960;
const HEIGHT = 220;
const LEFT = 56;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 24;

/** Colours that the style of the page has for lines. */
export const LINE_COLORS = 8;

/** Limits are drawn unless they would press the lines together. */
const LIMIT_ROOM = 2;

/** A plot over time as SVG without scripts, styled by `html-page.ts` alone. Names are below it, never over lines. */
export function svgPlot(plot: SvgPlot): string {
  const { lines, bands = [], from, to, zero = from, unit, title } = plot;
  const [low, high] = valueRange(plot);
  const width = WIDTH - LEFT - RIGHT;
  const height = HEIGHT - TOP - BOTTOM;
  const x = (time: number): number => LEFT + (width * (time - from)) / (to - from || 1);
  const y = (value: number): number => TOP + height * (1 - (value - low) / (high - low));
  const inside = (time: number): number => Math.min(WIDTH - RIGHT, Math.max(LEFT, x(time)));
  const parts: string[] = [];
  for (const band of bands) {
    const [left, right] = [inside(band.from), inside(band.to)];
    parts.push(
      `<rect class="band ${band.kind}" x="${fixed(left)}" y="${TOP}" width="${fixed(Math.max(1.5, right - left))}" height="${height}"/>`,
    );
  }
  for (const value of ticks(low, high, 4)) {
    const at = fixed(y(value));
    parts.push(`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>`);
    parts.push(
      `<text class="tick" x="${LEFT - 8}" y="${fixed(y(value) + 3.5)}" text-anchor="end">${tickText(value)}</text>`,
    );
  }
  for (const seconds of ticks((from - zero) / 1e6, (to - zero) / 1e6, 8, CLOCK_STEPS)) {
    const at = x(zero + seconds * 1e6);
    parts.push(`<line class="grid" x1="${fixed(at)}" x2="${fixed(at)}" y1="${TOP}" y2="${TOP + height}"/>`);
    parts.push(
      `<text class="tick" x="${fixed(at)}" y="${HEIGHT - 8}" text-anchor="middle">${clockText(seconds)}</text>`,
    );
  }
  for (const { value, severity } of plot.limits ?? []) {
    if (value < low || value > high) continue;
    const at = fixed(y(value));
    parts.push(`<line class="limit ${severity}" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>`);
  }
  lines.forEach((line, i) => {
    const path = pathOf(line, x, y);
    if (path !== '') parts.push(`<path class="line c${colorOf(line, i)}${line.dashed ? ' dashed' : ''}" d="${path}"/>`);
  });
  const name = htmlText(unit === '' ? title : `${title}, ${unit}`);
  return (
    `<figure class="plot"><figcaption>${name}</figcaption>` +
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${name}">${parts.join('')}</svg>${legend(lines)}</figure>`
  );
}

function colorOf({ color }: SvgLine, place: number): number {
  return (color ?? place) % LINE_COLORS;
}

function legend(lines: readonly SvgLine[]): string {
  const items = lines.map(
    (line, i) =>
      `<li><svg viewBox="0 0 18 8" aria-hidden="true"><line class="line c${colorOf(line, i)}${line.dashed ? ' dashed' : ''}" x1="0" x2="18" y1="4" y2="4"/></svg>${htmlText(line.name)}</li>`,
  );
  return `<ul class="legend">${items.join('')}</ul>`;
}

/** From the lowest to the highest value with some room, limits included where they are near. */
function valueRange({ lines, limits = [] }: SvgPlot): [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { values } of lines) {
    for (const value of values) {
      if (value === null || !Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return [0, 1];
  const span = high - low || Math.abs(high) || 1;
  const [least, most] = [low, high];
  for (const { value } of limits) {
    if (value > least - LIMIT_ROOM * span && value < most + LIMIT_ROOM * span) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  const room = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

/** Numbers of which axes count: 1, 2 or 5 times a power of ten. */
function ticks(low: number, high: number, count: number, steps?: readonly number[]): number[] {
  const rough = (high - low) / count;
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    steps?.find((each) => each >= rough) ?? power * ([1, 2, 5, 10].find((each) => each * power >= rough * 0.999) ?? 10);
  const out: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high && out.length < 50; k++) out.push(k * step);
  return out;
}

/** Seconds between two ticks of time; longer ones count in powers of ten. */
const CLOCK_STEPS: readonly number[] = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400,
];

function tickText(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(4)));
}

/** Seconds as 0:45, 12:30, 1:02:00. */
export function clockText(seconds: number): string {
  const sign = seconds < -0.05 ? '-' : '';
  const tenths = Math.round(Math.abs(seconds) * 10);
  const [whole, rest] = [Math.floor(tenths / 10), tenths % 10];
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const text = hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
  return `${sign}${text}${rest === 0 ? '' : `.${rest}`}`;
}

function pathOf({ times, values }: SvgLine, x: (time: number) => number, y: (value: number) => number): string {
  let path = '';
  let isBroken = true;
  for (let i = 0; i < times.length; i++) {
    const value = values[i];
    if (value === null || !Number.isFinite(value) || !Number.isFinite(times[i])) {
      isBroken = true;
      continue;
    }
    path += `${isBroken ? 'M' : 'L'}${fixed(x(times[i]))} ${fixed(y(value))}`;
    isBroken = false;
  }
  return path;
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
