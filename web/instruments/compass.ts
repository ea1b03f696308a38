import { degrees, disc, figures, fill, line, noData, RADIAN, shape, stroke } from '../shared/drawing.ts';
import { Instrument } from './instrument.ts';

/** Degrees from north; NaN or nothing where they are not known. */
export interface CompassState {
  readonly heading: number;
  /** Where it really moves to. */
  readonly course?: number | undefined;
  readonly home?: number | undefined;
}

const WINDS: readonly string[] = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

/** A rose that turns under the vehicle, so that what is ahead is above. */
export class Compass extends Instrument<CompassState> {
  constructor(state: CompassState = { heading: Number.NaN }) {
    super('compass', state);
    this.set(state);
  }

  protected override text(): string {
    const { heading, course = Number.NaN } = this.state;
    return `compass: heading ${degrees(heading)}, course ${degrees(course)}`;
  }

  protected override paint(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { heading, course = Number.NaN, home = Number.NaN } = this.state;
    const radius = Math.min(width, height) / 2 - 4;
    if (!(radius > 10)) return;
    const { palette } = this;
    context.save();
    context.translate(width / 2, height / 2);
    disc(context, 0, 0, radius);
    fill(context, palette.panel);
    stroke(context, palette.line, 2);
    if (Number.isFinite(heading)) {
      context.save();
      context.rotate(-heading * RADIAN);
      this.paintRose(context, radius);
      if (Number.isFinite(home)) this.paintMark(context, radius, home, palette.accent, true);
      if (Number.isFinite(course)) this.paintMark(context, radius, course, palette.good, false);
      context.restore();
      this.paintHeading(context, radius, heading);
    }
    context.restore();
    if (!Number.isFinite(heading)) noData(context, palette, 'no heading', width, height);
  }

  private paintRose(context: CanvasRenderingContext2D, radius: number): void {
    const { palette } = this;
    for (let angle = 0; angle < 360; angle += 10) {
      context.save();
      context.rotate(angle * RADIAN);
      const isWind = angle % 90 === 0;
      context.strokeStyle = isWind ? palette.text : palette.dim;
      context.lineWidth = isWind ? 2 : 1;
      line(context, 0, -radius + 3, 0, -radius + (angle % 30 === 0 ? 11 : 7));
      context.restore();
    }
    context.textAlign = 'center';
    for (const [i, wind] of WINDS.entries()) {
      context.save();
      context.rotate(i * 45 * RADIAN);
      const isMain = i % 2 === 0;
      figures(context, Math.max(9, radius / (isMain ? 6 : 9)), isMain ? 700 : 500);
      context.fillStyle = wind === 'N' ? palette.bad : isMain ? palette.text : palette.dim;
      context.fillText(wind, 0, -radius + 14 + radius / 9);
      context.restore();
    }
  }

  /** A diamond for the course, a house for home: shapes, not only colours. */
  private paintMark(
    context: CanvasRenderingContext2D,
    radius: number,
    angle: number,
    color: string,
    isHome: boolean,
  ): void {
    context.save();
    context.rotate(angle * RADIAN);
    context.translate(0, -radius + 6);
    if (isHome) shape(context, [0, -5, 6, 1, 4, 1, 4, 6, -4, 6, -4, 1, -6, 1]);
    else shape(context, [0, -6, 5, 0, 0, 6, -5, 0]);
    stroke(context, this.palette.panel, 2);
    fill(context, color);
    context.restore();
  }

  private paintHeading(context: CanvasRenderingContext2D, radius: number, heading: number): void {
    const { palette } = this;
    shape(context, [0, -radius + 1, 6, -radius - 9 + 20, -6, -radius - 9 + 20]);
    fill(context, '#ffcf4a');
    stroke(context, '#101010', 1);
    const size = Math.max(12, radius / 3.2);
    figures(context, size, 650);
    context.textAlign = 'center';
    context.fillStyle = palette.text;
    // 360 is written 000
    const whole = ((Math.round(heading) % 360) + 360) % 360;
    context.fillText(String(whole).padStart(3, '0'), 0, 2);
  }
}
