import { TIME_BASES, type TimeBase } from '../shared/format.ts';
import type { AxisLimits } from '../shared/plot/time-plot.ts';
import { UNIT_SYSTEMS, type UnitSystem } from '../shared/units.ts';
import { PANE_KINDS, type PaneKind } from './plots/pane-kinds.ts';

/** One line of a pane, as the address names it. */
export interface TraceView {
  /** Which of the open files, counted from 0. */
  readonly file: number;
  /** The file whose same field is taken away from it. */
  readonly minus?: number | undefined;
  /** A field or an expression. */
  readonly text: string;
  readonly axis: 'left' | 'right';
}

export interface PaneView {
  readonly kind: PaneKind;
  readonly isOther: boolean;
  readonly traces: readonly TraceView[];
  /** Limits of its value axes, where they are not those of the values. */
  readonly limits?: AxisLimits | undefined;
}

/** What the address holds of a page: enough to show the same again. */
export interface View {
  readonly panes: readonly PaneView[];
  /** Seconds from the start of the first log; null for all there is. */
  readonly window: readonly [number, number] | null;
  /** Where the cursor is, in the same seconds. */
  readonly at: number | null;
  /** Seconds that each log is moved by, as far as they are moved. */
  readonly shifts: readonly number[];
  /** Whether the plots show all logs. */
  readonly compare: boolean;
  readonly base: TimeBase;
  readonly units: UnitSystem;
  /** The tab of the drawer, '' where it is closed. */
  readonly tab: string;
  /** What the colour of the track shows. */
  readonly coloring: string;
  /** The second at which a video begins; null for arming. */
  readonly video: number | null;
  /** Plots beside each other; null for as many as there is room for. */
  readonly columns: number | null;
}

export const NO_VIEW: View = {
  ...{ panes: [], window: null, at: null, shifts: [], compare: false },
  ...{ columns: null, base: 'start', units: 'usual', tab: '', coloring: 'mode', video: null },
};

/** Plots beside each other, at most. */
export const MOST_COLUMNS = 4;

/** What a link may ask for at most: it may come from anyone. */
const PANES = 16;
const TRACES = 24;
const TEXT = 2000;
const FILES = 16;

/*
 *   #panes=ATT.Roll,ATT.Pitch~l:-5:5;1!BARO.Alt@right;xy:ATT.Roll,ATT.Pitch;spectrum+:RATE.R&window=12.5,80&at=20.1
 *   &shift=0,-3.5&compare=1&base=utc&units=si&tab=events&color=speed&video=3.5&columns=2
 *
 * 1!x is that of the second file, 1-0!x how much it differs from the first. A pane that is not a plot over time begins with its kind; + is the other way to show it.
 * Each text is escaped, so that commas and semicolons in names do not separate.
 */
export function hashOf(view: View): string {
  const { panes, window, at, shifts, base, units, tab, coloring, video, columns } = view;
  const parts: string[] = [];
  if (panes.length > 0) parts.push(`panes=${panes.map(paneText).join(';')}`);
  if (window) parts.push(`window=${window.map(short).join(',')}`);
  if (at !== null) parts.push(`at=${short(at)}`);
  if (shifts.some((seconds) => seconds !== 0)) parts.push(`shift=${shifts.map(short).join(',')}`);
  if (view.compare) parts.push('compare=1');
  if (base !== 'start') parts.push(`base=${base}`);
  if (units !== NO_VIEW.units) parts.push(`units=${units}`);
  if (tab !== '') parts.push(`tab=${escaped(tab)}`);
  if (coloring !== NO_VIEW.coloring) parts.push(`color=${escaped(coloring)}`);
  if (video !== null) parts.push(`video=${Number(video.toFixed(3))}`);
  if (columns !== null) parts.push(`columns=${columns}`);
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}

/** Seconds to the microsecond. */
const short = (seconds: number): number => Number(seconds.toFixed(6));

function paneText({ kind, isOther, traces, limits }: PaneView): string {
  const head = kind === 'time' && !isOther ? '' : `${kind}${isOther ? '+' : ''}:`;
  const tail = (['left', 'right'] as const).map((axis) => {
    const range = limits?.[axis];
    return range ? `~${axis[0]}:${range.map((end) => Number(end.toPrecision(9))).join(':')}` : '';
  });
  return head + traces.map(traceText).join(',') + tail.join('');
}

function traceText({ file, minus, text, axis }: TraceView): string {
  const head = minus === undefined ? `${file}!` : `${file}-${minus}!`;
  return `${head === '0!' ? '' : head}${escaped(text)}${axis === 'right' ? '@right' : ''}`;
}

/** Also the characters that mean something here and that `encodeURIComponent` leaves; halves of characters make it fail. */
function escaped(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
    .replaceAll('!', '%21')
    .replaceAll('~', '%7E');
}

/** Reads a hash. What is not understood is left out. */
export function viewOf(hash: string): View {
  const parts = new Map(
    hash
      .replace(/^#/, '')
      .split('&')
      .filter((part) => part.includes('='))
      .map((part) => [part.split('=')[0], part.slice(part.indexOf('=') + 1)] as const),
  );
  const [from, to] = (parts.get('window') ?? '').split(',').map(Number);
  const at = Number.parseFloat(parts.get('at') ?? '');
  const video = Number.parseFloat(parts.get('video') ?? '');
  const shifts = (parts.get('shift') ?? '').split(',').slice(0, FILES).map(Number);
  const columns = Number(parts.get('columns') ?? Number.NaN);
  const base = TIME_BASES.find((known) => known === parts.get('base')) ?? 'start';
  return {
    panes: (parts.get('panes') ?? '')
      .split(';')
      .slice(0, PANES)
      .map(paneOf)
      .filter(({ traces }) => traces.length > 0),
    window: Number.isFinite(from) && Number.isFinite(to) && to > from ? [from, to] : null,
    at: Number.isFinite(at) ? at : null,
    shifts: parts.has('shift') && shifts.every(Number.isFinite) ? shifts : [],
    compare: parts.get('compare') === '1',
    base,
    units: UNIT_SYSTEMS.find((known) => known === parts.get('units')) ?? NO_VIEW.units,
    tab: unescaped(parts.get('tab') ?? '') ?? '',
    coloring: (unescaped(parts.get('color') ?? '') || NO_VIEW.coloring).slice(0, TEXT),
    video: Number.isFinite(video) ? video : null,
    columns: Number.isInteger(columns) && columns >= 1 && columns <= MOST_COLUMNS ? columns : null,
  };
}

function paneOf(text: string): PaneView {
  const [head = '', name = '', plus = ''] = /^(\w*)(\+?):/.exec(text) ?? [];
  const [body, ...tails] = text.slice(head.length).split('~');
  const traces = body.split(',').slice(0, TRACES).map(traceOf);
  const kind = PANE_KINDS.find((known) => known === name) ?? 'time';
  const limits = Object.fromEntries(tails.slice(0, 2).flatMap(limitOf));
  return {
    ...{ kind, isOther: plus !== '', traces: traces.filter((trace) => trace !== undefined) },
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
}

function limitOf(tail: string): [axis: string, range: readonly [number, number]][] {
  const [axis, low, high] = tail.split(':');
  const range = [Number.parseFloat(low), Number.parseFloat(high)] as const;
  const name = { l: 'left', r: 'right' }[axis];
  return name && Number.isFinite(range[0]) && range[1] > range[0] ? [[name, range]] : [];
}

function traceOf(word: string): TraceView | undefined {
  const match = /^(?:(\d{1,3})(?:-(\d{1,3}))?!)?(.+?)(@right)?$/.exec(word);
  const text = match ? unescaped(match[3]) : undefined;
  if (!match || text === undefined || text.length > TEXT) return undefined;
  const minus = match[2] === undefined ? {} : { minus: Number(match[2]) };
  return { file: Number(match[1] ?? 0), ...minus, text, axis: match[4] ? 'right' : 'left' };
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
