import { xmlText } from '../../../src/entry/pages.ts';
import { themeColor } from '../theme.ts';
import { dashOf } from './dash.ts';
import type { PlotTrace, PlotWindow } from './time-plot.ts';

/** A label above the lines of a picture. */
interface PictureLabel {
  readonly text: string;
  readonly color: string;
}

const HEAD = 24;

/** A plot as it is on the screen, with its labels above it, as a PNG. */
export function pngOf(plot: HTMLCanvasElement, labels: readonly PictureLabel[]): Promise<Blob> {
  const scale = devicePixelRatio || 1;
  const canvas = document.createElement('canvas');
  canvas.width = plot.width;
  canvas.height = plot.height + HEAD * scale;
  const ctx = canvas.getContext('2d');
  if (!ctx) throw new Error('this browser cannot draw pictures');
  ctx.fillStyle = themeColor('--panel');
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.drawImage(plot, 0, HEAD * scale);
  ctx.font = `${12 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  let left = 58 * scale;
  for (const { text, color } of labels) {
    ctx.fillStyle = color;
    ctx.fillRect(left, (HEAD / 2 - 1) * scale, 16 * scale, 2.5 * scale);
    ctx.fillStyle = themeColor('--text');
    ctx.fillText(text, left + 22 * scale, (HEAD / 2) * scale);
    left += ctx.measureText(text).width + 44 * scale;
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('picture too large'))), 'image/png'),
  );
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
    const place = (time: number, value: number): string =>
      `${(LEFT + ((time - from) / (to - from)) * width).toFixed(2)} ${(TOP + height - ((value - low) / (high - low || 1)) * height).toFixed(2)}`;
    for (const trace of own) parts.push(pathOf(trace, place));
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

function pathOf(trace: PlotTrace, place: (time: number, value: number) => string): string {
  const { x, y, color } = trace;
  let path = '';
  let isDown = false;
  for (let i = 0; i < x.length; i++) {
    if (!Number.isNaN(y[i])) path += `${isDown ? 'L' : 'M'}${place(x[i], y[i])}`;
    isDown = !Number.isNaN(y[i]);
  }
  const strokes = dashOf(trace);
  const dash = strokes.length === 0 ? '' : ` stroke-dasharray="${strokes.join(' ')}"`;
  return `<path d="${path}" fill="none" stroke="${xmlText(color)}" stroke-width="1.3"${dash}/>`;
}
