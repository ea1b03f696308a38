import uPlot from 'uplot';
import type { TimeBase } from '../format.ts';
import { themeColor } from '../theme.ts';
import { type Band, drawBands, type Mark } from './bands.ts';
import { type Dashing, dashOf } from './dash.ts';
import { axisOrigin, TIME_STEPS, tickTexts } from './time-axis.ts';

/** Samples to draw, in order of time. */
export interface DrawnLine {
  /** Microseconds. */
  readonly x: Float64Array;
  /** NaN breaks the line. */
  readonly y: Float64Array;
  /** The least and greatest value in the window, NaN if there is none. */
  readonly low: number;
  readonly high: number;
}

export interface PlotTrace extends Dashing, DrawnLine {
  readonly color: string;
  readonly axis: 'left' | 'right';
  /** Whether samples are few enough to be marked one by one. */
  readonly marked: boolean;
}

export interface PlotWindow {
  readonly from: number;
  readonly to: number;
}

/** A picture behind the lines, in the places of its times and values. */
export interface PlotImage {
  readonly canvas: HTMLCanvasElement;
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
}

export interface PlotLook {
  readonly base: TimeBase;
  /** Where the page's time begins, microseconds. */
  readonly start: number;
  /** Whether times are below the plot. */
  readonly timed: boolean;
  /** Whether there is room for an axis on the right. */
  readonly right: boolean;
}

/** Limits of the values of an axis, where they are not those of the lines. */
export interface AxisLimits {
  readonly left?: readonly [low: number, high: number] | undefined;
  readonly right?: readonly [low: number, high: number] | undefined;
}

/** Widths of the axes, so that plots above each other line up. */
export const LEFT_AXIS = 58;
const RIGHT_AXIS = 52;
export const EDGE = 10;
const BOTTOM_AXIS = 26;
const LINE = 1.4;
/** Points in a pixel from which on a line is a surface. */
const DENSE = 2;
/** Pixels from which on a gap is marked. */
const GAP = 8;

/** Charts draw lines and axes; all else is the page's. */
export const BARE = {
  legend: { show: false },
  cursor: { show: false },
  select: { show: false, left: 0, top: 0, width: 0, height: 0 },
};

/** What axes look like. */
export function axisLook(): uPlot.Axis {
  const [stroke, grid] = [themeColor('--dim'), { stroke: themeColor('--grid'), width: 1 }];
  return { stroke, grid, font: '11px system-ui, sans-serif', ticks: { show: false }, gap: 6 };
}

/** A plot over time. The worker chooses the samples to draw. */
export class TimePlot {
  private readonly host: HTMLElement;
  private plot: uPlot | undefined;
  private traces: readonly PlotTrace[] = [];
  private window: PlotWindow = { from: 0, to: 1 };
  private look: PlotLook = { base: 'start', start: 0, timed: true, right: false };
  private bands: readonly Band[] = [];
  private marks: readonly Mark[] = [];
  private image: PlotImage | undefined;
  private shape = '';
  private frame = 0;
  private limits: AxisLimits = {};

  constructor(host: HTMLElement) {
    this.host = host;
  }

  /** Redraws everything. The chart itself is remade only if lines come or go. */
  show(
    traces: readonly PlotTrace[],
    window: PlotWindow,
    look: PlotLook,
    bands: readonly Band[],
    marks: readonly Mark[],
    image?: PlotImage,
    limits: AxisLimits = {},
  ): void {
    this.traces = traces;
    this.window = window;
    this.look = look;
    this.bands = bands;
    this.marks = marks;
    this.image = image;
    this.limits = limits;
    // events are more frequent than frames
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    const lines = this.traces.map(({ color, dashed, axis }) => [color, dashed, axis]);
    const shape = JSON.stringify([lines, this.look, document.documentElement.dataset.theme]);
    if (shape !== this.shape || !this.plot) this.make();
    else {
      for (const [i, trace] of this.traces.entries()) this.plot.series[i + 1].width = this.widthOf(trace);
      this.plot.setData(this.data());
    }
    this.shape = shape;
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.host;
    // other lines that wait for the next frame: the chart has those of before
    if (this.plot && this.frame !== 0) {
      cancelAnimationFrame(this.frame);
      this.draw();
    }
    if (this.plot && clientWidth > 0 && clientHeight > 0) {
      this.plot.setSize({ width: clientWidth, height: clientHeight });
      this.plot.setData(this.data());
    }
  }

  /** Pixels from the left edge of the host to where the lines begin, and how wide they are. */
  get area(): { left: number; width: number; top: number; height: number } {
    const scale = devicePixelRatio || 1;
    const box = this.plot?.bbox ?? { left: 0, width: 0, top: 0, height: 0 };
    return { left: box.left / scale, width: box.width / scale, top: box.top / scale, height: box.height / scale };
  }

  /** The limits of the values, zoomed about a height in pixels. */
  zoomed(top: number, factor: number): AxisLimits {
    const { top: begin, height } = this.area;
    const zoomed = (['left', 'right'] as const).flatMap((axis) => {
      const { min, max } = this.plot?.scales[axis] ?? {};
      if (min == null || max == null || !this.hasValues(axis)) return [];
      const about = max - ((top - begin) / Math.max(1, height)) * (max - min);
      return [[axis, [about + (min - about) * factor, about + (max - about) * factor]]];
    });
    return Object.fromEntries(zoomed);
  }

  /** An axis without values has no numbers: 0 to 1 would be none of the log. */
  private hasValues(axis: 'left' | 'right'): boolean {
    return this.traces.some((trace) => trace.axis === axis && Number.isFinite(trace.low));
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.plot?.ctx.canvas;
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    this.plot?.destroy();
    this.plot = undefined;
  }

  private get origin(): number {
    return axisOrigin(this.look.base, this.look.start);
  }

  /** Only limits: the lines are drawn from what the traces hold. */
  private data(): uPlot.AlignedData {
    const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
    return [this.secondsWindow(), ...this.traces.map(({ low, high }) => [known(low), known(high)])];
  }

  private make(): void {
    this.plot?.destroy();
    const { base, timed, right } = this.look;
    const values = axisLook();
    this.plot = new uPlot(
      {
        width: Math.max(10, this.host.clientWidth),
        height: Math.max(10, this.host.clientHeight),
        padding: [8, right ? 0 : EDGE, timed ? 0 : 6, 0],
        ...BARE,
        scales: {
          x: { time: false, range: () => this.secondsWindow() },
          left: { range: (_, low, high) => this.rangeOf('left', low, high) },
          right: { range: (_, low, high) => this.rangeOf('right', low, high) },
        },
        axes: [
          {
            ...values,
            scale: 'x',
            size: timed ? BOTTOM_AXIS : 0,
            space: 90,
            incrs: [...TIME_STEPS],
            values: (_, ticks, _index, _space, step) => (timed ? tickTexts(ticks, step, base) : ticks.map(() => '')),
          },
          {
            ...values,
            scale: 'left',
            size: LEFT_AXIS,
            space: valueSpace,
            values: (_, ticks) => this.tickTexts('left', ticks),
          },
          {
            ...values,
            scale: 'right',
            side: 1,
            size: RIGHT_AXIS,
            space: valueSpace,
            show: right,
            grid: { show: false },
            values: (_, ticks) => this.tickTexts('right', ticks),
          },
        ],
        series: [{}, ...this.traces.map((trace, i) => this.seriesOf(trace, i))],
        hooks: {
          drawClear: [(plot) => drawBands(plot, this.bands, this.marks, this.origin), (plot) => this.drawImage(plot)],
          drawSeries: [
            (plot, index) => this.drawMarks(plot, this.traces[index - 1]),
            (plot, index) => this.drawGaps(plot, this.traces[index - 1]),
          ],
        },
      },
      this.data(),
      this.host,
    );
  }

  private rangeOf(axis: 'left' | 'right', low: number | null, high: number | null): [number, number] {
    const [from, to] = this.limits[axis] ?? padded(low, high);
    return [from, to];
  }

  private tickTexts(axis: 'left' | 'right', ticks: number[]): string[] {
    return ticks.map((tick) => (this.hasValues(axis) ? tickText(tick) : ''));
  }

  private secondsWindow(): [number, number] {
    return [(this.window.from - this.origin) / 1e6, (this.window.to - this.origin) / 1e6];
  }

  /** Lines one screen pixel wide are drawn several times as fast; among dense points they look the same. */
  private widthOf({ x }: PlotTrace): number {
    return x.length > DENSE * this.host.clientWidth ? 1 / (devicePixelRatio || 1) : LINE;
  }

  private seriesOf(trace: PlotTrace, index: number): uPlot.Series {
    const { color, axis } = trace;
    return {
      scale: axis,
      stroke: color,
      width: this.widthOf(trace),
      dash: dashOf(trace),
      points: { show: false },
      paths: (plot) => ({ stroke: this.pathOf(plot, this.traces[index]), fill: null, flags: 1 }),
    };
  }

  /** What makes pixels of times and values: x = left + (time - from) * kx, y = bottom - (value - min) * ky. */
  private scaleOf({ bbox, scales }: uPlot, { axis }: PlotTrace) {
    const { from, to } = this.window;
    const [min, max] = [scales[axis]?.min ?? 0, scales[axis]?.max ?? 1];
    const [kx, ky] = [bbox.width / (to - from), bbox.height / (max - min)];
    return { from, min, kx, ky, left: bbox.left, bottom: bbox.top + bbox.height };
  }

  private pathOf(plot: uPlot, trace: PlotTrace): Path2D {
    const path = new Path2D();
    const { from, min, kx, ky, left, bottom } = this.scaleOf(plot, trace);
    const { x, y } = trace;
    let isDown = false;
    for (let i = 0; i < x.length; i++) {
      const value = y[i];
      if (Number.isNaN(value)) isDown = false;
      else if (isDown) path.lineTo(left + (x[i] - from) * kx, bottom - (value - min) * ky);
      else {
        path.moveTo(left + (x[i] - from) * kx, bottom - (value - min) * ky);
        isDown = true;
      }
    }
    return path;
  }

  private drawImage({ ctx, bbox, scales }: uPlot): void {
    if (!this.image) return;
    const { canvas, from, to, low, high } = this.image;
    const { min, max } = scales.left;
    if (min == null || max == null) return;
    const left = (time: number): number =>
      bbox.left + ((time - this.window.from) / (this.window.to - this.window.from)) * bbox.width;
    const top = (value: number): number => bbox.top + ((max - value) / (max - min)) * bbox.height;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.drawImage(canvas, left(from), top(high), left(to) - left(from), top(low) - top(high));
    ctx.restore();
  }

  /** A dotted line along the bottom from the last sample before a gap to the first one after it. */
  private drawGaps(plot: uPlot, trace: PlotTrace | undefined): void {
    if (!trace) return;
    const { x, y, color } = trace;
    const { from, kx, left, bottom } = this.scaleOf(plot, trace);
    const scale = devicePixelRatio || 1;
    const { ctx, bbox } = plot;
    const place = (time: number): number =>
      Math.max(bbox.left, Math.min(bbox.left + bbox.width, left + (time - from) * kx));
    ctx.save();
    ctx.strokeStyle = color;
    ctx.lineWidth = 2 * scale;
    ctx.setLineDash([2 * scale, 3 * scale]);
    ctx.beginPath();
    for (let i = 1; i + 1 < x.length; i++) {
      if (!Number.isNaN(y[i]) || place(x[i + 1]) - place(x[i - 1]) < GAP * scale) continue;
      ctx.moveTo(place(x[i - 1]), bottom - 2 * scale);
      ctx.lineTo(place(x[i + 1]), bottom - 2 * scale);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** Dots for samples that are far enough apart, and for those without a line. */
  private drawMarks(plot: uPlot, trace: PlotTrace | undefined): void {
    if (!trace) return;
    const { x, y } = trace;
    const { ctx, bbox } = plot;
    const { from, min, kx, ky, left, bottom } = this.scaleOf(plot, trace);
    const size = 2.2 * (devicePixelRatio || 1);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = trace.color;
    for (let i = 0; i < x.length; i++) {
      if (Number.isNaN(y[i])) continue;
      const isAlone = !Number.isFinite(y[i - 1]) && !Number.isFinite(y[i + 1]);
      if (!trace.marked && !isAlone) continue;
      ctx.fillRect(left + (x[i] - from) * kx - size, bottom - (y[i] - min) * ky - size, size * 2, size * 2);
    }
    ctx.restore();
  }
}

/** Pixels between two values of an axis: less where a low plot would else have one of them, or none. */
function valueSpace(_plot: uPlot, _axis: number, _low: number, _high: number, pixels: number): number {
  return Math.max(14, Math.min(28, pixels / 3));
}

/** A little room above and below; some height where all values are one. */
export function padded(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = high > low ? (high - low) * 0.06 : Math.max(Math.abs(high) * 0.05, 0.5);
  return [low - room, high + room];
}

export function tickText(tick: number): string {
  const size = Math.abs(tick);
  if (size >= 1e6 || (size > 0 && size < 1e-4)) return tick.toExponential(1).replace('.0e', 'e').replaceAll('-', '−');
  return String(Number(tick.toPrecision(7))).replace('-', '−');
}
