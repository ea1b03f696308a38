/** What a pane shows of its fields. */
export const PANE_KINDS = ['time', 'xy', 'spectrum', 'spectrogram', 'histogram'] as const;
export type PaneKind = (typeof PANE_KINDS)[number];

export const PANE_NAMES: Record<PaneKind, string> = {
  time: 'Time',
  xy: 'X / Y',
  spectrum: 'Spectrum',
  spectrogram: 'Spectrogram',
  histogram: 'Histogram',
};

/** Those that do not lie over the time that all plots share. */
export type FigureKind = Exclude<PaneKind, 'time' | 'spectrogram'>;

export function isFigure(kind: PaneKind): kind is FigureKind {
  return kind !== 'time' && kind !== 'spectrogram';
}
