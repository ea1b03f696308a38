import uPlot from 'uplot';
import { themeColor } from '../theme.ts';
import { type Dashing, dashOf } from './dash.ts';
import { axisLook, BARE, EDGE, LEFT_AXIS, padded, tickText } from './time-plot.ts';

/** A line of a plot whose axis is not the time; NaN breaks it. */
export interface FigureLine {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Whether the points are joined; of very many only the places are drawn. */
  readonly joined: boolean;
  /** Places that are worth a label, the most important first. */
  readonly peaks: readonly { readonly x: number; readonly y: number }[];
}

interface FigurePlotLine extends Dashing, FigureLine {
  readonly color: string;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface FigureLook {
  readonly x: Range;
  readonly y: Range;
  /** The labels at the ends of the axes. */
  readonly xLabel: string;
  readonly yLabel: string;
  /** Whether a step up is a factor. */
  readonly isLogarithmic: boolean;
  /** Whether a unit is as long along both axes. */
  readonly isEqual: boolean;
  /** Whether the ends of the x axis are those of the values, without room beside them. */
  readonly isTight: boolean;
  /** Whether the lines are outlines of something filled. */
  readonly isFilled: boolean;
  readonly peakText: (x: number) => string;
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly color: string;
}

const BOTTOM_AXIS = 26;
const TOP = 8;
const DOT = 4;

/** A plot of one quantity over another. */
export class FigurePlot {
  private readonly host: HTMLElement;
  private plot: uPlot | undefined;
  private lines: readonly FigurePlotLine[] = [];
  private points: readonly Point[] = [];
  private look: FigureLook | undefined;
  private frame = 0;
  /** The part of the x axis that the user chose. */
  private chosen: [number, number] | undefined;

  constructor(host: HTMLElement) {
    this.host = host;
  }

  show(lines: readonly FigurePlotLine[], look: FigureLook): void {
    this.lines = lines;
    this.look = look;
    this.frame ||= requestAnimationFrame(() => this.make());
  }

  /** Marks places, such as where the vehicle is at the cursor. */
  mark(points: readonly Point[]): void {
    this.points = points;
    this.plot?.redraw(false);
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.plot?.ctx.canvas;
  }

  /** The values at a place in pixels from the left and upper edge. */
  at(left: number, top: number): { readonly x: number; readonly y: number } | undefined {
    const { plot } = this;
    const scale = devicePixelRatio || 1;
    if (!plot) return undefined;
    const [x, y] = [left - plot.bbox.left / scale, top - plot.bbox.top / scale];
    return { x: plot.posToVal(x, 'x'), y: plot.posToVal(y, 'y') };
  }

  /** Shows a part of the x axis, given in pixels; all of it where none is given. */
  choose(from?: number, to?: number): void {
    const ends = [from, to].map((left) => (left === undefined ? undefined : this.at(left, 0)?.x));
    const [low, high] = ends;
    this.chosen = low !== undefined && high !== undefined && high > low ? [low, high] : undefined;
    this.make();
  }

  /** Zooms the x axis about a place. */
  zoom(left: number, factor: number): void {
    const about = this.at(left, 0)?.x;
    const { min, max } = this.plot?.scales.x ?? {};
    if (about === undefined || min == null || max == null) return;
    this.chosen = [about + (min - about) * factor, about + (max - about) * factor];
    this.make();
  }

  resize(): void {
    if (this.look) this.make();
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    this.plot?.destroy();
    this.plot = undefined;
  }

  private make(): void {
    this.frame = 0;
    const { look, host } = this;
    this.plot?.destroy();
    this.plot = undefined;
    if (!look || host.clientWidth < 20 || host.clientHeight < 20) return;
    const axis = axisLook();
    const { x, y } = this.ranges(look);
    this.plot = new uPlot(
      {
        width: host.clientWidth,
        height: host.clientHeight,
        padding: [TOP, EDGE, 0, 0],
        ...BARE,
        scales: {
          x: { time: false, range: () => x },
          y: { range: () => y, ...(look.isLogarithmic ? { distr: 3 as const } : {}) },
        },
        axes: [
          { ...axis, scale: 'x', size: BOTTOM_AXIS, space: 70, values: (_, ticks) => ticks.map(tickText) },
          {
            ...axis,
            scale: 'y',
            size: LEFT_AXIS,
            space: 28,
            values: (_, ticks) => ticks.map(tickText),
            ...(look.isLogarithmic
              ? { splits: () => decades(y, host.clientHeight), filter: (_: uPlot, ticks: number[]) => ticks }
              : {}),
          },
        ],
        series: [
          {},
          ...this.lines.map((line) => ({
            scale: 'y',
            stroke: line.color,
            width: 1.4,
            dash: dashOf(line),
            ...(look.isFilled ? { fill: `${line.color}22` } : {}),
            points: { show: false },
            paths: (plot: uPlot) => pathsOf(plot, line, look.isFilled),
          })),
        ],
        hooks: { draw: [(plot) => this.drawLabels(plot, look)] },
      },
      [[...x], ...this.lines.map(() => [y[0], y[1]])],
      host,
    );
  }

  private ranges(look: FigureLook): { x: [number, number]; y: [number, number] } {
    const { x, y, isLogarithmic, isEqual, isTight } = look;
    const wide: [number, number] = this.chosen ?? (isTight && x.high > x.low ? [x.low, x.high] : padded(x.low, x.high));
    if (isLogarithmic) {
      const isKnown = y.low > 0 && Number.isFinite(y.high);
      // labels are above the peaks
      return { x: wide, y: isKnown ? [y.low / 1.5, y.high * Math.max(2, (y.high / y.low) ** 0.16)] : [0.1, 1] };
    }
    const high: [number, number] = y.low === 0 ? [0, padded(0, y.high)[1]] : padded(y.low, y.high);
    return isEqual ? equal(wide, high, this.host) : { x: wide, y: high };
  }

  private drawLabels(plot: uPlot, look: FigureLook): void {
    const { ctx, bbox } = plot;
    const scale = devicePixelRatio || 1;
    const place = ({ x, y }: { x: number; y: number }): [number, number] => [
      plot.valToPos(x, 'x', true),
      plot.valToPos(y, 'y', true),
    ];
    const isInside = (left: number): boolean => left >= bbox.left && left <= bbox.left + bbox.width;
    ctx.save();
    ctx.font = `${11 * scale}px system-ui, sans-serif`;
    ctx.fillStyle = themeColor('--dim');
    ctx.textBaseline = 'bottom';
    ctx.textAlign = 'right';
    write(ctx, look.xLabel, bbox.left + bbox.width - 6 * scale, bbox.top + bbox.height - 4 * scale);
    ctx.textBaseline = 'top';
    ctx.textAlign = 'left';
    write(ctx, look.yLabel, bbox.left + 6 * scale, bbox.top + 4 * scale);
    ctx.textAlign = 'center';
    ctx.textBaseline = 'bottom';
    const taken: number[] = [];
    for (const { peaks, color } of this.lines) {
      for (const peak of peaks) {
        const [left, top] = place(peak);
        // labels must not overlap
        if (!isInside(left) || taken.some((other) => Math.abs(other - left) < 46 * scale)) continue;
        taken.push(left);
        ctx.fillStyle = color;
        dot(ctx, left, top, 2.5 * scale);
        ctx.fillStyle = themeColor('--text');
        write(ctx, look.peakText(peak.x), left, top - 5 * scale);
      }
    }
    for (const point of this.points) {
      const [left, top] = place(point);
      if (!Number.isFinite(left + top) || !isInside(left)) continue;
      ctx.fillStyle = themeColor('--panel');
      dot(ctx, left, top, (DOT + 2) * scale);
      ctx.fillStyle = point.color;
      dot(ctx, left, top, DOT * scale);
    }
    ctx.restore();
  }
}

/** Powers of ten in a range, as far as there is room. */
function decades([low, high]: readonly [number, number], height: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, height / 36)));
  const powers: number[] = [];
  for (let power = first; power <= last; power += step) powers.push(10 ** power);
  return powers;
}

/** A text that can be read over lines. */
function write(ctx: CanvasRenderingContext2D, text: string, left: number, top: number): void {
  ctx.strokeStyle = themeColor('--panel');
  ctx.lineWidth = 3 * (devicePixelRatio || 1);
  ctx.lineJoin = 'round';
  ctx.strokeText(text, left, top);
  ctx.fillText(text, left, top);
}

function dot(ctx: CanvasRenderingContext2D, left: number, top: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(left, top, radius, 0, Math.PI * 2);
  ctx.fill();
}

/** Widens one of two ranges so that a unit is as long along both. */
function equal(
  x: [number, number],
  y: [number, number],
  host: HTMLElement,
): { x: [number, number]; y: [number, number] } {
  const width = Math.max(1, host.clientWidth - LEFT_AXIS - EDGE);
  const height = Math.max(1, host.clientHeight - BOTTOM_AXIS - TOP);
  const unit = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
  const widened = ([low, high]: [number, number], length: number): [number, number] => {
    const middle = (low + high) / 2;
    return [middle - length / 2, middle + length / 2];
  };
  return { x: widened(x, unit * width), y: widened(y, unit * height) };
}

function pathsOf(plot: uPlot, { x, y, joined }: FigurePlotLine, isFilled: boolean): uPlot.Series.Paths {
  const path = new Path2D();
  const min = plot.scales.y.min ?? 0;
  const isLogarithmic = plot.scales.y.distr === 3;
  const size = 1.2 * (devicePixelRatio || 1);
  let isDown = false;
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(x[i]) || Number.isNaN(y[i])) {
      isDown = false;
      continue;
    }
    const left = plot.valToPos(x[i], 'x', true);
    const top = plot.valToPos(isLogarithmic ? Math.max(y[i], min) : y[i], 'y', true);
    if (!joined) path.rect(left - size / 2, top - size / 2, size, size);
    else if (isDown) path.lineTo(left, top);
    else path.moveTo(left, top);
    isDown = true;
  }
  return { stroke: path, fill: isFilled ? path : null, flags: 1 };
}
