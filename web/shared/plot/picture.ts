import { xmlText } from '../../../src/entry/pages.ts';
import { themeColor } from '../theme.ts';
import { dashOf } from './dash.ts';
import { linePath } from './line-path.ts';
import { LEFT_AXIS, type PlotTrace, type PlotWindow } from './time-plot.ts';

/** A label above the lines of a picture. */
interface PictureLabel {
  readonly text: string;
  readonly color: string;
}

const HEAD = 24;

/** A plot as it is on the screen, and the labels that belong above it. */
interface PicturePart {
  readonly canvas: HTMLCanvasElement;
  readonly labels: readonly PictureLabel[];
}

/** Plots below each other with their labels, and the times below them, as a PNG. */
export function boardPng(
  parts: readonly PicturePart[],
  ticks: readonly { readonly left: number; readonly text: string }[],
): Promise<Blob> {
  const scale = devicePixelRatio || 1;
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, ...parts.map((part) => part.canvas.width));
  canvas.height = parts.reduce((sum, part) => sum + part.canvas.height + HEAD * scale, HEAD * scale);
  const ctx = canvas.getContext('2d');
  if (!ctx) throw new Error('this browser cannot draw pictures');
  ctx.fillStyle = themeColor('--panel');
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.font = `${12 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  let top = 0;
  for (const part of parts) {
    let left = LEFT_AXIS * scale;
    for (const { text, color } of part.labels) {
      ctx.fillStyle = color;
      ctx.fillRect(left, top + (HEAD / 2 - 1) * scale, 16 * scale, 2.5 * scale);
      ctx.fillStyle = themeColor('--text');
      ctx.fillText(text, left + 22 * scale, top + (HEAD / 2) * scale);
      left += ctx.measureText(text).width + 44 * scale;
    }
    ctx.drawImage(part.canvas, 0, top + HEAD * scale);
    top += part.canvas.height + HEAD * scale;
  }
  ctx.textAlign = 'center';
  ctx.fillStyle = themeColor('--dim');
  for (const { left, text } of ticks) ctx.fillText(text, (LEFT_AXIS + left) * scale, top + (HEAD / 2) * scale);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('picture too large'))), 'image/png'),
  );
}

/** Drawings of plots below each other as one. */
export function boardSvg(drawings: readonly string[]): string {
  const placed = drawings
    .filter((drawing) => drawing !== '')
    .map((drawing, i) => drawing.replace('<svg ', `<svg y="${i * HEIGHT}" width="${WIDTH}" height="${HEIGHT}" `));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT * placed.length}">\n${placed.join('')}</svg>\n`;
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [1000, 340, 64, 26, 34];

/** Lines of a plot as a drawing for documents: SVG, each axis from the least to the greatest value of its lines. */
export function svgOf(
  traces: readonly (PlotTrace & PictureLabel)[],
  { from, to }: PlotWindow,
  timeText: (time: number) => string,
): string {
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
  ];
  const [width, height] = [WIDTH - 2 * LEFT, HEIGHT - TOP - BOTTOM];
  for (const axis of ['left', 'right'] as const) {
    const own = traces.filter((trace) => trace.axis === axis && Number.isFinite(trace.low));
    if (own.length === 0) continue;
    const [low, high] = [Math.min(...own.map((trace) => trace.low)), Math.max(...own.map((trace) => trace.high))];
    for (const trace of own) {
      const { x, y } = trace;
      const path = linePath(
        x.length,
        (i) => [
          LEFT + ((x[i] - from) / (to - from)) * width,
          TOP + height - ((y[i] - low) / (high - low || 1)) * height,
        ],
        2,
      );
      const strokes = dashOf(trace);
      const dash = strokes.length === 0 ? '' : ` stroke-dasharray="${strokes.join(' ')}"`;
      parts.push(`<path d="${path}" fill="none" stroke="${xmlText(trace.color)}" stroke-width="1.3"${dash}/>`);
    }
    const [x, anchor] = axis === 'left' ? [LEFT - 6, 'end'] : [WIDTH - LEFT + 6, 'start'];
    for (const share of [0, 0.5, 1]) {
      const value = Number((low + (high - low) * share).toPrecision(5));
      parts.push(`<text x="${x}" y="${TOP + height * (1 - share) + 4}" text-anchor="${anchor}">${value}</text>`);
    }
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const x = LEFT + width * share;
    parts.push(
      `<text x="${x}" y="${HEIGHT - 8}" text-anchor="middle">${xmlText(timeText(from + (to - from) * share))}</text>`,
    );
  }
  parts.push(`<rect x="${LEFT}" y="${TOP}" width="${width}" height="${height}" fill="none" stroke="#8a94a3"/>`);
  traces.forEach(({ text, color }, i) => {
    parts.push(`<text x="${LEFT + i * 180}" y="20" fill="${xmlText(color)}">${xmlText(text)}</text>`);
  });
  return `${parts.join('\n')}\n</svg>\n`;
}
