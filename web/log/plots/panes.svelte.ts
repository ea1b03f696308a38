import type { AxisLimits } from '../../shared/plot/time-plot.ts';
import { parseField } from '../fields/field-name.ts';
import { lineName } from '../fields/presets.ts';
import type { OpenFile } from '../open-file.svelte.ts';
import type { TableInfo } from '../worker/answers.ts';
import type { Drawn } from '../worker/draw.ts';
import type { Figure } from '../worker/figures/figure.ts';
import type { SpectrogramImage } from '../worker/figures/spectrogram.ts';
import type { States } from '../worker/lanes.ts';
import type { WindowStatistics } from '../worker/statistics.ts';
import type { Tried } from '../worker/workspace.ts';
import type { PaneKind } from './pane-kinds.ts';

/** What a line of a plot shows. */
export interface TraceRequest {
  readonly file: number;
  readonly text: string;
  /** By default that of its unit. */
  readonly axis?: 'left' | 'right' | undefined;
  readonly minus?: number | null | undefined;
}

/** A line of a plot. */
export class Trace {
  readonly id: number;
  readonly file: number;
  readonly text: string;
  color: string = $state('');
  readonly dashed: boolean;
  /** The file whose same field is subtracted; null for none. */
  readonly minus: number | null;
  axis: 'left' | 'right' = $state('left');
  drawn: Drawn | null = $state.raw(null);
  unit: string = $state('');
  problem: string = $state('');
  /** At the cursor, and at the pointer. */
  value: number = $state(Number.NaN);
  pointed: number = $state(Number.NaN);
  statistics: WindowStatistics | null = $state.raw(null);
  /** What it says in names; null for numbers, undefined until that is known. */
  states: States | null | undefined = $state.raw(undefined);

  constructor(id: number, { file, text, axis = 'left', minus = null }: TraceRequest, color: string, dashed: boolean) {
    this.id = id;
    this.file = file;
    this.text = text;
    this.color = color;
    this.dashed = dashed;
    this.minus = minus;
    this.axis = axis;
  }

  /** Shows what another one shows, until answers come. */
  showAs({ drawn, unit, problem, value, statistics, states }: Trace): void {
    Object.assign(this, { drawn, unit, problem, value, statistics, states });
  }

  /** Passes an answer on, or keeps its error. */
  receive<T>(answer: Tried<T>, set: (value: T) => void): void {
    if ('problem' in answer) {
      this.problem = answer.problem;
      return;
    }
    this.problem = '';
    this.unit = answer.unit || lineName(this.text).unit;
    set(answer.value);
  }
}

/** A plot with its lines. */
export class Pane {
  readonly id: number;
  traces: Trace[] = $state([]);
  kind: PaneKind = $state('time');
  /** The other way to show it: an x/y plot with equal scales, a spectrum with linear power. */
  isOther: boolean = $state(false);
  figure: Figure | null = $state.raw(null);
  image: SpectrogramImage | null = $state.raw(null);
  /** Limits that the user gave the values of an axis. */
  limits: AxisLimits = $state.raw({});
  /** What it looks like, for pictures of all plots. */
  canvas: () => HTMLCanvasElement | undefined = () => undefined;
  svg: () => string = () => '';
  /** Pixels of the figure. */
  size: { readonly width: number; readonly height: number } = { width: 800, height: 300 };

  constructor(id: number, kind: PaneKind, isOther: boolean) {
    this.id = id;
    this.kind = kind;
    this.isOther = isOther;
  }
}

/** The table that a pane shows. */
export interface ShownTable {
  readonly file: OpenFile;
  readonly table: TableInfo;
  readonly trace: Trace;
  /** The field that the pane was opened with. */
  readonly field: string;
}

/** The table of the first field of a pane; undefined if it is an expression. */
export function shownTableOf({ traces: [trace] }: Pane, files: readonly OpenFile[]): ShownTable | undefined {
  const [file, name] = [files.find(({ key }) => key === trace?.file), parseField(trace?.text ?? '')];
  const named = file?.summary?.tables.filter((table) => table.name === name?.table) ?? [];
  const table = named.find(({ stream }) => stream === name?.stream) ?? named[0];
  return file && name && table ? { file, table, trace, field: name.field } : undefined;
}
