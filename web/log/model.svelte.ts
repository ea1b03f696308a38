import type { Report } from '../../src/entry/pages.ts';
import type { Dashing } from '../shared/plot/dash.ts';
import type { PaneKind } from './plots/pane-kinds.ts';
import type { FileSummary, Insight, MessageInfo, ModeInfo } from './worker/answers.ts';
import type { Drawn } from './worker/draw.ts';
import type { Figure } from './worker/figures/figure.ts';
import type { SpectrogramImage } from './worker/figures/spectrogram.ts';
import type { Tried } from './worker/workspace.ts';
import type { Statistics } from './worker/statistics.ts';

const NO_INSIGHT: Insight = { events: [], leftOut: 0, armed: [], flying: [], flights: [], items: [], boot: null };

/** A file that is open, or about to be. Answers are kept as they came: a page watches only whether there are others. */
export class OpenFile {
  readonly key: number;
  readonly name: string;
  /** What the server calls it; null for a file that was dropped. */
  readonly id: string | null;
  /** Of 1: how much is read. */
  progress: number = $state(0);
  problem: string = $state('');
  /** The logs in it that may be opened, where it is an archive with several. */
  choices: readonly string[] = $state.raw([]);
  /** Microseconds that are added to its times. */
  offset: number = $state(0);
  summary: FileSummary | null = $state.raw(null);
  modes: readonly ModeInfo[] = $state.raw([]);
  messages: readonly MessageInfo[] = $state.raw([]);
  insight: Insight = $state.raw(NO_INSIGHT);
  report: Report | null = $state.raw(null);

  /** Whether it is not known yet what happened in it. */
  get isUnknown(): boolean {
    return this.problem === '' && this.insight === NO_INSIGHT;
  }

  constructor(key: number, name: string, id: string | null) {
    this.key = key;
    this.name = name;
    this.id = id;
  }
}

/** What a line of a plot is to show. */
export interface TraceWish {
  readonly file: number;
  readonly text: string;
  readonly axis: 'left' | 'right';
  readonly minus?: number | null | undefined;
}

/** A line of a plot. */
export class Trace {
  readonly id: number;
  readonly file: number;
  readonly text: string;
  color: string = $state('');
  readonly dashed: boolean;
  readonly dotted: boolean;
  /** The file whose same field is taken away from it; null for none. */
  readonly minus: number | null;
  axis: 'left' | 'right' = $state('left');
  drawn: Drawn | null = $state.raw(null);
  unit: string = $state('');
  problem: string = $state('');
  value: number = $state(Number.NaN);
  statistics: Statistics | null = $state.raw(null);

  constructor(id: number, { file, text, axis, minus = null }: TraceWish, color: string, dashing: Required<Dashing>) {
    this.id = id;
    this.file = file;
    this.text = text;
    this.color = color;
    this.dashed = dashing.dashed;
    this.dotted = dashing.dotted === true;
    this.minus = minus;
    this.axis = axis;
  }

  /** Keeps an answer, or why there is none. */
  take<T>(answer: Tried<T>, set: (value: T) => void): void {
    if ('problem' in answer) {
      this.problem = answer.problem;
      return;
    }
    this.problem = '';
    this.unit = answer.unit;
    set(answer.value);
  }
}

/** Lines that stand in one plot. */
export class Pane {
  readonly id: number;
  traces: Trace[] = $state([]);
  kind: PaneKind = $state('time');
  /** The other way to show it: an x/y plot with equal scales, a spectrum with even steps of power. */
  isOther: boolean = $state(false);
  figure: Figure | null = $state.raw(null);
  image: SpectrogramImage | null = $state.raw(null);
  /** Pixels that there are for a figure. */
  size: { readonly width: number; readonly height: number } = { width: 800, height: 300 };

  constructor(id: number, kind: PaneKind, isOther: boolean) {
    this.id = id;
    this.kind = kind;
    this.isOther = isOther;
  }
}

/** Logs that know UTC share a clock; any other is put where the first one begins. */
export function offsetOf({ utc, start }: FileSummary, reference: OpenFile | undefined): number {
  const first = reference?.summary;
  if (!first || first.start === null || start === null || (utc && first.utc)) return 0;
  return first.start + (reference?.offset ?? 0) - start;
}
