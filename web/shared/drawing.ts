import { FONT, faded, type Palette } from './palette.ts';

export const RADIAN: number = Math.PI / 180;

/** A font for figures that change: all digits are of one width. */
export function figures(context: CanvasRenderingContext2D, size: number, weight = 600): void {
  context.font = `${weight} ${size}px ${FONT}`;
  context.fontVariantCaps = 'normal';
  context.textBaseline = 'middle';
}

export function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** Fills what was drawn last. */
export function fill(context: CanvasRenderingContext2D, color: string): void {
  context.fillStyle = color;
  context.fill();
}

/** Draws the edge of what was drawn last. */
export function stroke(context: CanvasRenderingContext2D, color: string, width: number): void {
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

export function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

export function shape(context: CanvasRenderingContext2D, points: readonly number[]): void {
  context.beginPath();
  for (let i = 0; i < points.length; i += 2) context.lineTo(points[i], points[i + 1]);
  context.closePath();
}

/** Instead of an instrument without a value: never a number that looks real. */
export function noData(
  context: CanvasRenderingContext2D,
  palette: Palette,
  text: string,
  width: number,
  height: number,
): void {
  context.strokeStyle = faded(palette.bad, 0.5);
  context.lineWidth = 1.5;
  line(context, width * 0.2, height * 0.2, width * 0.8, height * 0.8);
  line(context, width * 0.8, height * 0.2, width * 0.2, height * 0.8);
  figures(context, Math.max(10, Math.min(13, width / 9)), 500);
  context.textAlign = 'center';
  const wide = context.measureText(text).width;
  context.fillStyle = palette.panel;
  context.fillRect(width / 2 - wide / 2 - 5, height / 2 - 10, wide + 10, 20);
  context.fillStyle = palette.dim;
  context.fillText(text, width / 2, height / 2);
}

/** A whole number of degrees with its sign, as it is spoken. */
export function degrees(value: number): string {
  return Number.isFinite(value) ? `${Math.round(value)} degrees` : 'unknown';
}
