import { themeColor } from '../theme.ts';

/** How a vehicle is tilted, in degrees; NaN where it is not known. */
export interface Attitude {
  readonly roll: number;
  readonly pitch: number;
  readonly yaw: number;
}

const SKY = '#2f7fb8';
const GROUND = '#7a5230';
/** Degrees from the middle to the edge. */
const REACH = 40;

/** Draws an artificial horizon with a compass tape above it. */
export function drawAttitude(canvas: HTMLCanvasElement, { roll, pitch, yaw }: Attitude): void {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== width * scale || canvas.height !== height * scale) {
    canvas.width = width * scale;
    canvas.height = height * scale;
  }
  const ctx = canvas.getContext('2d');
  if (!ctx || width === 0) return;
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  ctx.clearRect(0, 0, width, height);
  const radius = Math.min(width, height - 26) / 2 - 4;
  ctx.save();
  ctx.translate(width / 2, 24 + radius + 2);
  if (Number.isFinite(roll) && Number.isFinite(pitch)) drawHorizon(ctx, roll, pitch, radius);
  drawFrame(ctx, radius);
  ctx.restore();
  drawHeading(ctx, yaw, width);
}

function drawHorizon(ctx: CanvasRenderingContext2D, roll: number, pitch: number, radius: number): void {
  const perDegree = radius / REACH;
  ctx.save();
  ctx.beginPath();
  ctx.arc(0, 0, radius, 0, 2 * Math.PI);
  ctx.clip();
  ctx.rotate((-roll * Math.PI) / 180);
  ctx.translate(0, pitch * perDegree);
  ctx.fillStyle = SKY;
  ctx.fillRect(-radius * 3, -radius * 8, radius * 6, radius * 8);
  ctx.fillStyle = GROUND;
  ctx.fillRect(-radius * 3, 0, radius * 6, radius * 8);
  ctx.strokeStyle = '#ffffff';
  ctx.fillStyle = '#ffffff';
  ctx.font = '9px system-ui, sans-serif';
  ctx.textBaseline = 'middle';
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(-radius * 3, 0);
  ctx.lineTo(radius * 3, 0);
  for (let degrees = -90; degrees <= 90; degrees += 10) {
    if (degrees === 0) continue;
    const half = degrees % 20 === 0 ? radius * 0.28 : radius * 0.16;
    ctx.moveTo(-half, -degrees * perDegree);
    ctx.lineTo(half, -degrees * perDegree);
    if (degrees % 20 === 0) ctx.fillText(String(Math.abs(degrees)), half + 4, -degrees * perDegree);
  }
  ctx.stroke();
  ctx.restore();
}

/** What stays where it is: the rim and the vehicle. */
function drawFrame(ctx: CanvasRenderingContext2D, radius: number): void {
  ctx.strokeStyle = themeColor('--line');
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.arc(0, 0, radius, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.strokeStyle = '#ffb224';
  ctx.lineWidth = 3;
  ctx.beginPath();
  ctx.moveTo(-radius * 0.5, 0);
  ctx.lineTo(-radius * 0.18, 0);
  ctx.lineTo(0, radius * 0.1);
  ctx.lineTo(radius * 0.18, 0);
  ctx.lineTo(radius * 0.5, 0);
  ctx.stroke();
}

const POINTS: readonly string[] = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];
/** Degrees of the compass that are seen at once. */
const TAPE = 120;

function drawHeading(ctx: CanvasRenderingContext2D, yaw: number, width: number): void {
  if (!Number.isFinite(yaw)) return;
  ctx.font = '11px system-ui, sans-serif';
  ctx.textAlign = 'center';
  ctx.textBaseline = 'top';
  ctx.fillStyle = themeColor('--dim');
  for (let mark = Math.ceil((yaw - TAPE / 2) / 15) * 15; mark <= yaw + TAPE / 2; mark += 15) {
    const left = width / 2 + ((mark - yaw) / TAPE) * width;
    const whole = ((mark % 360) + 360) % 360;
    ctx.fillText(whole % 45 === 0 ? POINTS[whole / 45] : '·', left, 2);
  }
  ctx.fillStyle = '#ffb224';
  ctx.beginPath();
  ctx.moveTo(width / 2 - 5, 22);
  ctx.lineTo(width / 2 + 5, 22);
  ctx.lineTo(width / 2, 15);
  ctx.fill();
}
