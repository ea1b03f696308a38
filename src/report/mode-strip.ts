import { htmlText } from '../core/names.ts';
import type { ModeInterval } from '../facts/modes.ts';
import type { Phases } from '../facts/phases.ts';
import type { Finding } from './finding.ts';
import { clockText, LINE_COLORS } from './svg-plot.ts';

const WIDTH = 1000;
/** Modes that are drawn; a log that switches more often shows the first. */
const MODES = 200;
const MARKS = 500;
/** Width of a letter, to see whether a name fits. */
const LETTER = 6.8;

/** What a strip is made of: a part of a report. */
export interface StripSource {
  readonly start: number | null;
  readonly end: number | null;
  readonly phases: Phases;
  readonly modes: readonly ModeInterval[];
  readonly findings: readonly Finding[];
}

/** The whole log at a glance: marks of findings, flight modes, and when the vehicle was in flight or moving. */
export function modeStrip({ start, end, phases, modes, findings }: StripSource): string {
  if (start === null || end === null || !(end > start)) return '';
  const x = (time: number): number =>
    Math.round(10 * Math.min(WIDTH, Math.max(0, (WIDTH * (time - start)) / (end - start)))) / 10;
  const parts: string[] = [];
  const names = [...new Set(modes.map(({ mode }) => mode))];
  for (const { mode, start: from, end: to } of modes.slice(0, MODES)) {
    const [left, width] = [x(from), x(to) - x(from)];
    if (!(width > 0.3)) continue;
    const color = names.indexOf(mode) % LINE_COLORS;
    parts.push(
      `<rect class="mode f${color}" x="${left}" y="16" width="${width}" height="22" rx="2"><title>${htmlText(mode)}</title></rect>`,
    );
    if (width > mode.length * LETTER + 8)
      parts.push(`<text class="name" x="${left + 6}" y="31">${htmlText(mode)}</text>`);
  }
  for (const stretch of phases.flying.slice(0, MODES)) {
    const left = x(stretch.start);
    parts.push(
      `<rect class="air" x="${left}" y="42" width="${Math.max(1, x(stretch.end) - left)}" height="5" rx="2"><title>in flight, or moving</title></rect>`,
    );
  }
  for (const { from, severity, title } of findings.slice(0, MARKS)) {
    if (from === null || (severity !== 'fail' && severity !== 'warn')) continue;
    const at = x(from);
    parts.push(`<path class="mark ${severity}" d="M${at - 5} 1h10l-5 11z"><title>${htmlText(title)}</title></path>`);
  }
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const anchor = part === 0 ? 'start' : part === 1 ? 'end' : 'middle';
    parts.push(
      `<text class="tick" x="${part * WIDTH}" y="62" text-anchor="${anchor}">${clockText(Math.round((part * (end - start)) / 1e6))}</text>`,
    );
  }
  return `<div class="strip"><svg viewBox="0 0 ${WIDTH} 66" role="img" aria-label="modes and findings over time">${parts.join('')}</svg></div>`;
}
