import { degrees, disc, figures, fill, line, noData, RADIAN, shape, stroke } from '../shared/drawing.ts';
import { faded } from '../shared/palette.ts';
import { Instrument } from './instrument.ts';

/** Degrees; NaN where they are not known. */
export interface AttitudeState {
  readonly roll: number;
  readonly pitch: number;
}

/** Degrees of pitch from the middle to the edge. */
const PITCH_SPAN = 30;
const ROLL_TICKS: readonly number[] = [-60, -45, -30, -20, -10, 0, 10, 20, 30, 45, 60];

/** The horizon as it is seen from the vehicle. */
export class AttitudeIndicator extends Instrument<AttitudeState> {
  constructor(state: AttitudeState = { roll: Number.NaN, pitch: Number.NaN }) {
    super('attitude', state);
    this.set(state);
  }

  protected override text(): string {
    return `attitude: roll ${degrees(this.state.roll)}, pitch ${degrees(this.state.pitch)}`;
  }

  protected override paint(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { roll, pitch } = this.state;
    const radius = Math.min(width, height) / 2 - 4;
    if (!(radius > 10)) return;
    context.save();
    context.translate(width / 2, height / 2);
    disc(context, 0, 0, radius);
    fill(context, this.palette.panel);
    // what no vehicle can have is not known
    const isKnown = Math.abs(roll) <= 360 && Math.abs(pitch) <= 180;
    if (isKnown) {
      context.save();
      context.clip();
      this.paintHorizon(context, radius, roll, pitch);
      context.restore();
      this.paintRoll(context, radius, roll);
      this.paintVehicle(context, radius);
      this.paintFigures(context, radius, roll, pitch);
    }
    disc(context, 0, 0, radius);
    stroke(context, this.palette.line, 2);
    context.restore();
    if (!isKnown) noData(context, this.palette, 'no attitude', width, height);
  }

  private paintHorizon(context: CanvasRenderingContext2D, radius: number, roll: number, pitch: number): void {
    const { isDark } = this.palette;
    const scale = radius / PITCH_SPAN;
    context.rotate(-roll * RADIAN);
    context.translate(0, pitch * scale);
    const far = radius * 8;
    const sky = context.createLinearGradient(0, -radius * 1.6, 0, 0);
    sky.addColorStop(0, isDark ? '#12407a' : '#2f7fd0');
    sky.addColorStop(1, isDark ? '#2f7fc4' : '#9fd0f5');
    context.fillStyle = sky;
    context.fillRect(-far, -far, 2 * far, far);
    const ground = context.createLinearGradient(0, 0, 0, radius * 1.6);
    ground.addColorStop(0, isDark ? '#7a5230' : '#b98a5a');
    ground.addColorStop(1, isDark ? '#3d2816' : '#7a5230');
    context.fillStyle = ground;
    context.fillRect(-far, 0, 2 * far, far);
    context.strokeStyle = '#ffffff';
    context.lineWidth = 2;
    line(context, -far, 0, far, 0);
    this.paintLadder(context, radius, scale, pitch);
  }

  private paintLadder(context: CanvasRenderingContext2D, radius: number, scale: number, pitch: number): void {
    figures(context, Math.max(9, radius / 11), 600);
    context.fillStyle = '#ffffff';
    context.lineWidth = 1.5;
    const first = Math.ceil((pitch - PITCH_SPAN * 0.62) / 5) * 5;
    for (let mark = first; mark <= pitch + PITCH_SPAN * 0.52; mark += 5) {
      if (mark === 0) continue;
      const y = -mark * scale;
      const half = mark % 10 === 0 ? radius * 0.26 : radius * 0.12;
      context.strokeStyle = faded('#ffffff', 0.9);
      line(context, -half, y, half, y);
      if (mark % 10 !== 0) continue;
      // beyond straight up and down the ladder comes back
      const shown = String(Math.abs(Math.abs(mark) > 90 ? 180 - Math.abs(mark) : mark));
      context.textAlign = 'right';
      context.fillText(shown, -half - 5, y);
      context.textAlign = 'left';
      context.fillText(shown, half + 5, y);
    }
  }

  private paintRoll(context: CanvasRenderingContext2D, radius: number, roll: number): void {
    context.save();
    context.rotate(-roll * RADIAN);
    context.strokeStyle = '#ffffff';
    context.lineWidth = 1.5;
    for (const tick of ROLL_TICKS) {
      context.save();
      context.rotate(tick * RADIAN);
      const long = tick % 30 === 0 ? 10 : 6;
      line(context, 0, -radius + 2, 0, -radius + 2 + long);
      context.restore();
    }
    context.restore();
    shape(context, [0, -radius + 13, 6, -radius + 23, -6, -radius + 23]);
    fill(context, Math.abs(roll) > 60 ? this.palette.bad : '#ffcf4a');
  }

  private paintVehicle(context: CanvasRenderingContext2D, radius: number): void {
    const half = radius * 0.5;
    context.lineCap = 'round';
    context.lineJoin = 'round';
    for (const [color, width] of [
      ['#101010', 6],
      ['#ffcf4a', 3.5],
    ] as const) {
      context.strokeStyle = color;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(-half, 0);
      context.lineTo(-half * 0.42, 0);
      context.lineTo(-half * 0.21, half * 0.22);
      context.lineTo(0, 0);
      context.lineTo(half * 0.21, half * 0.22);
      context.lineTo(half * 0.42, 0);
      context.lineTo(half, 0);
      context.stroke();
    }
  }

  private paintFigures(context: CanvasRenderingContext2D, radius: number, roll: number, pitch: number): void {
    const size = Math.max(10, radius / 9);
    const text = `${signed(roll)}°  ${signed(pitch)}°`;
    figures(context, size);
    const wide = context.measureText(text).width + 14;
    const y = radius * 0.76;
    context.fillStyle = faded('#0b0f14', 0.62);
    context.beginPath();
    context.roundRect(-wide / 2, y - size * 0.85, wide, size * 1.7, size * 0.5);
    context.fill();
    context.fillStyle = '#ffffff';
    context.textAlign = 'center';
    context.fillText(text, 0, y + 0.5);
  }
}

function signed(value: number): string {
  const rounded = Math.round(value);
  return rounded < 0 ? `−${-rounded}` : `${Math.abs(rounded)}`;
}
