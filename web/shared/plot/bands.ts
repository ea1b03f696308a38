import type uPlot from 'uplot';
import { themeColor } from '../theme.ts';

/** A stretch of time behind the lines: a mode, or a failure that lasted. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly color: string;
  readonly label: string;
  /** Hatched: something was wrong. */
  readonly wrong: boolean;
}

/** A moment that something happened. */
export interface Mark {
  readonly time: number;
  readonly color: string;
}

/** Pixels from which on a band is drawn with all that belongs to it. */
const WIDE = 2;
/** Wide ones of a kind: more of them hide each other. */
const MOST_WIDE = 200;

/** Bands as the pixels of a plot can show them. */
interface ShownBands {
  readonly wide: readonly Band[];
  /** Drawn as a stroke: at most one of a kind in a pixel. */
  readonly narrow: readonly Band[];
}

/** What is to be drawn of bands, of which there may be thousands, in a window. */
export function shownBands(bands: readonly Band[], from: number, to: number, pixels: number): ShownBands {
  const scale = pixels / (to - from);
  const kinds = [false, true].map((wrong) => {
    const own = bands.filter((band) => band.wrong === wrong && band.to >= from && band.from <= to);
    const isWide = (band: Band): boolean => (band.to - band.from) * scale >= WIDE;
    const widest = own.filter(isWide).sort((a, b) => b.to - b.from - (a.to - a.from));
    const wide = new Set(widest.slice(0, MOST_WIDE));
    const taken = new Set<number>();
    const narrow = own.filter((band) => {
      const pixel = Math.floor((Math.max(band.from, from) - from) * scale);
      if (wide.has(band) || taken.has(pixel)) return false;
      taken.add(pixel);
      return true;
    });
    return { wide: own.filter((band) => wide.has(band)), narrow };
  });
  return { wide: kinds.flatMap(({ wide }) => wide), narrow: kinds.flatMap(({ narrow }) => narrow) };
}

/** Draws the background of a plot; `origin` is the time at 0 of the axis. */
export function drawBands(plot: uPlot, bands: readonly Band[], marks: readonly Mark[], origin: number): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio || 1;
  const place = (time: number): number => plot.valToPos((time - origin) / 1e6, 'x', true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const [from, to] = [plot.scales.x?.min ?? 0, plot.scales.x?.max ?? 1].map((second) => second * 1e6 + origin);
  const { wide, narrow } = shownBands(bands, from, to, bbox.width);
  for (const { from: time, color, wrong } of narrow) {
    const left = Math.max(bbox.left, place(time));
    ctx.fillStyle = color;
    ctx.globalAlpha = Number(themeColor('--band')) || 0.14;
    ctx.fillRect(left, bbox.top, scale, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, bbox.top, scale, (wrong ? 3 : 2) * scale);
  }
  for (const band of wide) {
    const left = Math.max(bbox.left, place(band.from));
    const right = Math.min(bbox.left + bbox.width, place(band.to));
    if (!(right > left)) continue;
    ctx.globalAlpha = Number(themeColor('--band')) || 0.14;
    ctx.fillStyle = band.color;
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, bbox.top, right - left, (band.wrong ? 3 : 2) * scale);
    if (band.wrong) hatch(ctx, left, bbox.top, right, bbox.top + bbox.height);
  }
  ctx.globalAlpha = 0.3;
  for (const { time, color } of marks) {
    const left = place(time);
    if (left < bbox.left || left > bbox.left + bbox.width) continue;
    ctx.fillStyle = color;
    ctx.fillRect(Math.round(left), bbox.top, scale, bbox.height);
  }
  ctx.restore();
}

/** Slanted lines: never colour alone. */
function hatch(ctx: CanvasRenderingContext2D, left: number, top: number, right: number, bottom: number): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, bottom - top);
  ctx.clip();
  ctx.globalAlpha = 0.35;
  ctx.strokeStyle = ctx.fillStyle;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let x = left - (bottom - top); x < right; x += 9) {
    ctx.moveTo(x, bottom);
    ctx.lineTo(x + bottom - top, top);
  }
  ctx.stroke();
  ctx.restore();
}
