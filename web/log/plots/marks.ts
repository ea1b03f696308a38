import { modeColor } from '../../shared/colors.ts';
import type { Band, Mark } from '../../shared/plot/bands.ts';
import type { ColorSet } from '../../shared/theme.ts';
import type { OpenFile } from '../open-file.svelte.ts';

export const EVENT_COLORS = {
  usual: { error: '#e5484d', warning: '#f5a524', notice: '#8fa6c4', info: '#8fa6c4' },
  safe: { error: '#d55e00', warning: '#e69f00', notice: '#56b4e9', info: '#56b4e9' },
} as const;

const NOTE = '#d6409f';

/** Texts are many and mostly small talk: those that matter are drawn. */
const QUIET: ReadonlySet<string> = new Set(['text', 'parameter', 'mode']);
const MOST = 2000;

/** The background of plots: modes, and errors for as long as they lasted. */
export function bandsOf({ modes, insight, offset }: OpenFile, colors: ColorSet): Band[] {
  const bands = modes.map(({ mode, start, end }) => ({
    ...{ from: start + offset, to: end + offset, color: modeColor(mode, colors), label: mode, wrong: false },
  }));
  for (const { kind, time, end, text } of insight.events) {
    if ((kind === 'error' || kind === 'failsafe') && end !== null)
      bands.push({
        from: time + offset,
        to: end + offset,
        color: EVENT_COLORS[colors].error,
        label: text,
        wrong: true,
      });
  }
  return bands;
}

/** Moments to draw across plots. */
export function marksOf({ insight, offset, notes }: OpenFile, colors: ColorSet): Mark[] {
  const events = insight.events
    .filter(({ kind, severity }) => !QUIET.has(kind) || severity === 'error' || severity === 'warning')
    .slice(0, MOST)
    .map(({ time, severity }) => ({ time: time + offset, color: EVENT_COLORS[colors][severity] }));
  return [...events, ...notes.map(({ from }) => ({ time: from + offset, color: NOTE }))];
}
