import { firstIndex, type ModeInterval } from '../../../src/entry/pages.ts';
import { modeColor, PALETTE } from '../../shared/colors.ts';
import type { PlotWindow } from '../../shared/plot/time-plot.ts';
import { type ColorSet, themeColor } from '../../shared/theme.ts';
import type { States } from '../worker/lanes.ts';

/** A stretch with a name. */
interface LaneSpan {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly color: string;
}

/** One line of stretches. */
export interface LaneRow {
  readonly label: string;
  readonly spans: readonly LaneSpan[];
}

/** Pixels of a lane, and of the space below it. */
export const LANE = 20;
const BELOW = 3;
const TEXT_ROOM = 22;

/** The lanes of a field, on the clock of the page. A bit has no text: that it is set is all it says. */
export function rowsOf({ lanes, isBits }: States, offset: number, color: string, colors: ColorSet): LaneRow[] {
  return lanes.map(({ name, from, to, code, texts }) => ({
    label: name,
    spans: Array.from(from, (start, i) => ({
      ...{ from: start + offset, to: to[i] + offset },
      text: isBits ? '' : texts[code[i]],
      color: isBits ? color : stateColor(texts[code[i]], code[i], colors),
    })),
  }));
}

/** Modes have their own colours, other states those of lines one after the other. */
function stateColor(text: string, code: number, colors: ColorSet): string {
  return /^[A-Z][A-Z_0-9]+$/.test(text) ? modeColor(text, colors) : PALETTE[code % PALETTE.length];
}

/** The modes of a log as a lane. */
export function modeRow(modes: readonly ModeInterval[], offset: number, label: string, colors: ColorSet): LaneRow {
  const spans = modes.map(({ mode, start, end }) => ({
    ...{ from: start + offset, to: end + offset, text: mode, color: modeColor(mode, colors) },
  }));
  return { label, spans };
}

/** What a field says at a time: the name of its value, or of all bits that are set. */
export function stateAt({ lanes, always, isBits }: States, time: number): string {
  const texts = lanes.flatMap(({ name, from, to, code, texts: own }) => {
    const at = firstIndex(from.length, (i) => from[i] > time) - 1;
    return at >= 0 && time <= to[at] ? [isBits ? name : own[code[at]]] : [];
  });
  return [...texts, ...always].join(', ');
}

/** A text as far as there is room for it: what is cut says so, and two letters say nothing. */
function fitting(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  if (ctx.measureText(text).width <= room) return text;
  const length = Math.floor((text.length * room) / ctx.measureText(text).width) - 1;
  return length < 3 ? '' : `${text.slice(0, length)}…`;
}

/** Draws lanes from the top; times are from `left` on, `width` pixels wide. */
export function drawLanes(
  ctx: CanvasRenderingContext2D,
  rows: readonly LaneRow[],
  { from, to }: PlotWindow,
  left: number,
  width: number,
): void {
  const scale = width / (to - from);
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, 0, width, rows.length * LANE);
  ctx.clip();
  ctx.font = '11px system-ui, sans-serif';
  ctx.textBaseline = 'middle';
  for (const [i, { spans }] of rows.entries()) {
    const [top, height] = [i * LANE, LANE - BELOW];
    let drawn = Number.NEGATIVE_INFINITY;
    const first = firstIndex(spans.length, (k) => spans[k].to >= from);
    for (let k = first; k < spans.length && spans[k].from <= to; k++) {
      const { text, color } = spans[k];
      const begin = Math.max(left, left + (spans[k].from - from) * scale);
      const end = Math.min(left + width, left + (spans[k].to - from) * scale);
      // of what is within one pixel the first is drawn
      if (end - drawn < 1) continue;
      drawn = end;
      ctx.fillStyle = color;
      ctx.globalAlpha = 0.3;
      ctx.fillRect(begin, top, Math.max(1, end - begin), height);
      ctx.globalAlpha = 1;
      ctx.fillRect(begin, top, Math.min(3, Math.max(1, end - begin)), height);
      if (end - begin < TEXT_ROOM || text === '') continue;
      ctx.save();
      ctx.beginPath();
      ctx.rect(begin, top, end - begin - 2, height);
      ctx.clip();
      ctx.fillStyle = themeColor('--text');
      ctx.fillText(fitting(ctx, text, end - begin - 10), begin + 7, top + height / 2 + 0.5);
      ctx.restore();
    }
  }
  ctx.restore();
}
