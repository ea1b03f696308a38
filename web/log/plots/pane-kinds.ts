/** What a pane shows of its fields. */
export const PANE_KINDS = ['time', 'lanes', 'xy', 'spectrum', 'spectrogram', 'histogram', 'table'] as const;
export type PaneKind = (typeof PANE_KINDS)[number];

export const PANE_NAMES: Record<PaneKind, string> = {
  time: 'Time',
  lanes: 'States',
  xy: 'X / Y',
  spectrum: 'Spectrum',
  spectrogram: 'Spectrogram',
  histogram: 'Histogram',
  table: 'Table',
};

/** Those whose x axis is the time of all plots. */
type TimedKind = 'time' | 'spectrogram' | 'lanes';

/** Those with another x axis. */
export type FigureKind = Exclude<PaneKind, TimedKind | 'table'>;

export function isFigure(kind: PaneKind): kind is FigureKind {
  return !isTimed(kind) && kind !== 'table';
}

export function isTimed(kind: PaneKind): kind is TimedKind {
  return kind === 'time' || kind === 'spectrogram' || kind === 'lanes';
}
