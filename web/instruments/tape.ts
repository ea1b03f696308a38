import { figures, fill, line, shape, stroke } from '../shared/drawing.ts';
import { fixed } from '../shared/format.ts';
import { faded } from '../shared/palette.ts';
import { Instrument } from './instrument.ts';

export interface TapeState {
  /** NaN where it is not known. */
  readonly value: number;
}

export interface TapeOptions {
  readonly label: string;
  readonly unit: string;
  /** On which side of the horizon it is: the pointer is on the other. */
  readonly side: 'left' | 'right';
  /** Units from one figure to the next; the tape shows about six of them. */
  readonly step: number;
  /** Where the scale begins; by default nowhere. */
  readonly least?: number | undefined;
}

/** Length of a tape in steps: values beyond it are not plausible. */
const MOST_STEPS = 1e9;

/** A scale that runs behind a window with the value: speed or altitude. */
export class Tape extends Instrument<TapeState> {
  private readonly options: TapeOptions;

  constructor(options: TapeOptions) {
    super('tape', { value: Number.NaN });
    this.options = options;
    this.set(this.state);
  }

  protected override text(): string {
    const { label, unit } = this.options;
    const { value } = this.state;
    return `${label}: ${Math.abs(value) < this.options.step * MOST_STEPS ? `${shown(value, this.options.step)} ${unit}` : 'unknown'}`;
  }

  protected override paint(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { palette, options } = this;
    const { value } = this.state;
    context.beginPath();
    context.roundRect(0.5, 0.5, width - 1, height - 1, 8);
    fill(context, palette.panel);
    context.save();
    context.clip();
    // a number so large that steps vanish in it has no scale
    const isKnown = Math.abs(value) < options.step * MOST_STEPS;
    if (isKnown) this.paintScale(context, width, height, value, height / 6 / options.step);
    context.restore();
    this.paintHead(context, width);
    this.paintWindow(context, width, height / 2, isKnown ? shown(value, options.step) : '– –');
    context.beginPath();
    context.roundRect(0.5, 0.5, width - 1, height - 1, 8);
    stroke(context, palette.line, 1);
  }

  private paintScale(
    context: CanvasRenderingContext2D,
    width: number,
    height: number,
    value: number,
    pixels: number,
  ): void {
    const { palette, options } = this;
    const isLeft = options.side === 'left';
    const minor = options.step / 5;
    const edge = isLeft ? width : 0;
    const inward = isLeft ? -1 : 1;
    const span = height / 2 / pixels;
    figures(context, Math.max(10, Math.min(13, width / 5.5)), 500);
    context.textAlign = isLeft ? 'right' : 'left';
    context.lineWidth = 1;
    const first = Math.ceil(Math.max(value - span, options.least ?? Number.NEGATIVE_INFINITY) / minor);
    const last = Math.floor((value + span) / minor);
    for (let mark = first; mark <= last; mark++) {
      const y = height / 2 - (mark * minor - value) * pixels;
      const isMain = mark % 5 === 0;
      context.strokeStyle = isMain ? palette.text : faded(palette.dim, 0.7);
      line(context, edge, y, edge + inward * (isMain ? 10 : 5), y);
      if (!isMain) continue;
      context.fillStyle = palette.dim;
      context.fillText(
        String(Number(((mark / 5) * options.step).toPrecision(9))).replace('-', '−'),
        edge + inward * 15,
        y,
      );
    }
  }

  private paintHead(context: CanvasRenderingContext2D, width: number): void {
    const { palette, options } = this;
    context.fillStyle = faded(palette.panel, 0.92);
    context.beginPath();
    context.roundRect(1, 1, width - 2, 22, [8, 8, 0, 0]);
    context.fill();
    figures(context, Math.max(9, Math.min(11, width / 6)), 600);
    context.textAlign = 'center';
    context.fillStyle = palette.dim;
    context.fillText(`${options.label} ${options.unit}`, width / 2, 12, width - 6);
  }

  private paintWindow(context: CanvasRenderingContext2D, width: number, middle: number, text: string): void {
    const { palette, options } = this;
    const half = 14;
    const tip = 8;
    const [inner, outer] = options.side === 'left' ? [width - tip - 2, 3] : [tip + 2, width - 3];
    const point = options.side === 'left' ? width - 2 : 2;
    shape(context, [
      outer,
      middle - half,
      inner,
      middle - half,
      inner,
      middle - 6,
      point,
      middle,
      inner,
      middle + 6,
      inner,
      middle + half,
      outer,
      middle + half,
    ]);
    fill(context, palette.back);
    stroke(context, palette.text, 1.5);
    figures(context, Math.max(11, Math.min(17, width / 4)), 700);
    context.textAlign = 'center';
    context.fillStyle = palette.text;
    context.fillText(text, (inner + outer) / 2, middle + 1, Math.abs(inner - outer) - 6);
  }
}

/** A value with the digits that the scale can show. */
function shown(value: number, step: number): string {
  return fixed(value, step >= 10 ? 0 : 1);
}
