import { rowFrom } from '../../../src/entry/pages.ts';
import { numberText } from '../../shared/format.ts';
import type { FigureLine, FigureLook } from '../../shared/plot/figure-plot.ts';
import type { Figure } from '../worker/figures/figure.ts';
import type { FigureKind } from './pane-kinds.ts';
import type { Pane } from './panes.svelte.ts';

interface Axed extends Pick<Pane, 'isOther'> {
  readonly traces: readonly { readonly text: string; readonly unit: string }[];
}

/** How a pane without a time axis is drawn. */
export function figureLook(kind: FigureKind, { isOther, traces }: Axed, { x, y }: Figure): FigureLook {
  const units = [...new Set(traces.map(({ unit }) => unit))];
  const common = units.length === 1 ? units[0] : '';
  const plain = { x, y, isLogarithmic: false, isEqual: false, isTight: false, isFilled: false, peakText: () => '' };
  switch (kind) {
    case 'xy': {
      const [along, ...others] = traces.map(({ text, unit }) => withUnit(text, unit));
      return { ...plain, xLabel: along ?? '', yLabel: others.join(', '), isEqual: isOther };
    }
    case 'spectrum':
      return {
        ...{ ...plain, xLabel: 'Hz', yLabel: common === '' ? 'power / Hz' : `(${common})² / Hz` },
        y: isOther ? { low: 0, high: y.high } : y,
        isLogarithmic: !isOther,
        isTight: true,
        peakText: (frequency) => `${numberText(frequency, 3)} Hz`,
      };
    case 'histogram':
      return { ...plain, xLabel: common, yLabel: '% of samples', isTight: true, isFilled: true };
  }
}

function withUnit(text: string, unit: string): string {
  return unit === '' ? text : `${text} (${unit})`;
}

/** The text for the place under the pointer. */
export function readingAt(
  kind: FigureKind,
  { x, y }: { readonly x: number; readonly y: number },
  lines: readonly Pick<FigureLine, 'x' | 'y'>[],
): string {
  if (kind === 'xy') return `${numberText(x, 4)}, ${numberText(y, 4)}`;
  const values = lines.map((line) => numberText(valueNear(line, x), 3)).join(', ');
  return kind === 'spectrum' ? `${numberText(x, 4)} Hz: ${values}` : `${numberText(x, 4)}: ${values} %`;
}

/** The value of the point nearest to a place; the points are in order. */
function valueNear({ x, y }: Pick<FigureLine, 'x' | 'y'>, place: number): number {
  const low = Math.min(rowFrom(x, place), x.length - 1);
  const isBefore = low > 0 && place - x[low - 1] < x[low] - place;
  return y[isBefore ? low - 1 : low] ?? Number.NaN;
}
