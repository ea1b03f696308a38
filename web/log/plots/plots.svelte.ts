import { MediaQuery } from 'svelte/reactivity';
import { isDesired, shade, traceColor } from '../../shared/colors.ts';
import { themeColor } from '../../shared/theme.ts';
import { conversionOf } from '../../shared/units.ts';
import { fieldText, parseField } from '../fields/field-name.ts';
import { type FoundPreset, lineName } from '../fields/presets.ts';
import type { SavedPreset } from '../fields/saved-presets.ts';
import type { OpenFile } from '../open-file.svelte.ts';
import type { LogPage } from '../page.svelte.ts';
import type { PaneView, TraceView } from '../view-hash.ts';
import type { DraggedField, DropPlace } from './field-drag.ts';
import type { PaneKind } from './pane-kinds.ts';
import { Pane, Trace, type TraceRequest } from './panes.svelte.ts';

export class Plots {
  panes: Pane[] = $state([]);
  /** The plot that was clicked last: its samples are what the cursor steps by. */
  active: Pane | null = $state.raw(null);
  /** Expressions that were written, in their order. */
  expressions: string[] = $state([]);
  /** Plots beside each other that were chosen; null for as many as the window has room for. */
  chosenColumns: number | null = $state(null);
  private readonly wide = new MediaQuery('(min-width: 2200px)');
  private readonly narrow = new MediaQuery('(max-width: 759px)');
  readonly columns: number = $derived.by(() => {
    if (this.narrow.current) return 1;
    return Math.max(1, Math.min(this.panes.length, this.chosenColumns ?? (this.wide.current ? 2 : 1)));
  });
  private readonly page: LogPage;
  /** Lines that were shown just now: what they show stays until it comes again. */
  private before: readonly Trace[] = [];
  /** Lines that an address asks for, of files that are not read yet. */
  private waiting: { readonly pane: Pane; readonly trace: TraceView }[] = [];

  constructor(page: LogPage) {
    this.page = page;
  }

  /** How many plots a log first shows: as many as fit the window. */
  get firstCount(): number {
    return this.wide.current ? 6 : 3;
  }

  /** One plot beside the others more, up to three, then one again. */
  nextColumns(): void {
    this.setColumns((this.columns % Math.min(3, Math.max(1, this.panes.length))) + 1);
  }

  setColumns(columns: number | null): void {
    this.chosenColumns = columns;
    this.page.redraw();
  }

  private get first(): OpenFile | undefined {
    return this.page.first;
  }

  get traces(): Trace[] {
    return this.panes.flatMap(({ traces }) => traces);
  }

  /** The lines that the cursor steps along. */
  get stepped(): Trace[] {
    const pane = this.panes.find(({ id }) => id === this.active?.id) ?? this.panes.find(({ kind }) => kind !== 'table');
    return pane?.traces ?? [];
  }

  /** In the order in which the address counts them. */
  private get ready(): readonly OpenFile[] {
    return this.page.shownFirst;
  }

  // panes

  private newPane(kind: PaneKind = 'time', isOther = false): Pane {
    const pane = new Pane(this.page.newId(), kind, isOther);
    this.panes.push(pane);
    return pane;
  }

  setKind(pane: Pane, kind: PaneKind): void {
    pane.kind = kind;
    pane.isOther = false;
    pane.figure = null;
    pane.image = null;
    this.page.redraw();
  }

  removePane(pane: Pane): void {
    this.panes = this.panes.filter(({ id }) => id !== pane.id);
    this.page.redraw();
  }

  addPane(texts: readonly string[], file: number | undefined = this.first?.key, kind: PaneKind = 'time'): void {
    if (file === undefined) return;
    let pane = this.newPane(kind);
    for (const text of texts) {
      if (kind === 'time' && this.axisFor(pane, text, file) === undefined) pane = this.newPane(kind);
      this.push(pane, { file, text });
    }
    this.page.redraw();
  }

  // traces

  /** The unit that a field is shown in; '' for an expression. */
  private unitOf(text: string, file: number): string {
    const name = parseField(text);
    if (!name) return lineName(text).unit;
    const tables = this.page.fileOf(file)?.summary?.tables ?? [];
    const table = tables.find((each) => each.name === name.table && each.stream === name.stream);
    const unit = table?.fields.find((field) => field.name === name.field)?.unit ?? '';
    return conversionOf(unit, name.field, this.page.units).unit;
  }

  /** The axis of a pane that has the unit of a field, or nothing yet; undefined if both have another. */
  private axisFor({ traces }: Pane, text: string, file: number): 'left' | 'right' | undefined {
    const unit = this.unitOf(text, file);
    return (['left', 'right'] as const).find((axis) =>
      traces.every((trace) => trace.axis !== axis || this.unitOf(trace.text, trace.file) === unit),
    );
  }

  private push(pane: Pane, request: TraceRequest): void {
    const { file, text, axis = this.axisFor(pane, text, file), minus = null } = request;
    if (pane.traces.some((trace) => trace.file === file && trace.text === text && trace.minus === minus)) return;
    const dashed = minus === null && isDesired(parseField(text)?.field ?? '');
    const color = this.colorOf(request, pane.traces);
    const trace = new Trace(this.page.newId(), { ...request, axis }, color, dashed);
    const before = this.before.find((each) => each.file === file && each.text === text && each.minus === minus);
    if (before) trace.showAs(before);
    pane.traces.push(trace);
  }

  /** Each field has its colour; where logs are compared each log, and its fields are shades of it. */
  private colorOf({ file, text, minus = null }: TraceRequest, before: readonly Trace[]): string {
    const look = { colors: this.page.look.colors, ground: themeColor('--panel') };
    const owner = this.page.fileOf(file);
    if (this.page.isComparing && owner && minus === null) {
      const bases = [...new Set([...before.map((trace) => baseOf(trace.text)), baseOf(text)])];
      return shade(this.page.colorOf(owner), bases.indexOf(baseOf(text)), look);
    }
    const field = minus === null ? (parseField(text)?.field ?? lineName(text).name) : '';
    const used = before.map(({ color }) => color);
    return traceColor(field, used, look);
  }

  /** A line that is seen on one background may not be on another. */
  recolor(): void {
    for (const { traces } of this.panes)
      for (const [i, trace] of traces.entries()) trace.color = this.colorOf(trace, traces.slice(0, i));
  }

  /** Adds a field to a pane or below it; a line of another pane moves there. */
  async drop(pane: Pane, { text, file, trace: id }: DraggedField, wanted: DropPlace): Promise<void> {
    const kind = (await this.isState(text, file)) ? 'lanes' : 'time';
    const isOther = pane.kind === (kind === 'time' ? 'lanes' : 'time');
    const place = isOther ? 'below' : wanted;
    const moved = this.traces.find((trace) => trace.id === id);
    for (const each of this.panes) each.traces = each.traces.filter((trace) => trace.id !== id);
    const made = place === 'below' ? this.newPane(kind) : pane;
    // rows are those of one table
    if (made.kind === 'table') made.traces = [];
    this.push(made, { file, text, axis: place === 'right' ? 'right' : undefined, minus: moved?.minus });
    if (made !== pane) {
      const others = this.panes.filter((each) => each !== made);
      others.splice(others.indexOf(pane) + 1, 0, made);
      this.panes = others;
    }
    this.keepTraces(() => true);
    this.page.redraw();
  }

  /** Plots a field, or removes it. */
  async toggle(text: string, file: number | undefined = this.first?.key): Promise<void> {
    if (this.shows(text, file)) {
      this.keepTraces((trace) => trace.text !== text || trace.file !== file);
      this.page.redraw();
      return;
    }
    // numbers with names are lanes, not lines
    if (file !== undefined && (await this.isState(text, file))) {
      const lanes = this.panes.find(({ kind }) => kind === 'lanes');
      if (!lanes) this.addPane([text], file, 'lanes');
      else this.push(lanes, { file, text });
      this.page.redraw();
      return;
    }
    // fields of one table share a pane
    const last = this.panes.at(-1);
    const name = parseField(text);
    const table = last?.traces.map((trace) => parseField(trace.text)).at(-1);
    const isOfTable = name && table?.table === name.table && table.stream === name.stream;
    if (file !== undefined && last?.kind === 'time' && isOfTable && this.axisFor(last, text, file)) {
      this.push(last, { file, text });
      this.page.redraw();
    } else this.addPane([text], file);
  }

  private async isState(text: string, file: number): Promise<boolean> {
    return (await this.page.worker.states(file, text).catch(() => null)) !== null;
  }

  shows(text: string, file: number | undefined = this.first?.key): boolean {
    return this.traces.some((trace) => trace.text === text && trace.file === file);
  }

  removeTrace({ id }: Trace): void {
    this.keepTraces((trace) => trace.id !== id);
    this.page.redraw();
  }

  /** Removes all other lines, and panes without lines. */
  keepTraces(isKept: (trace: Trace) => boolean): void {
    for (const pane of this.panes) pane.traces = pane.traces.filter(isKept);
    this.panes = this.panes.filter(({ traces }) => traces.length > 0);
  }

  // several files

  /** Adds to each plot the same fields of all other files that have them. */
  async addOthers(): Promise<void> {
    const { first } = this;
    for (const pane of this.panes) {
      const own = pane.traces.filter(({ file, minus }) => file === first?.key && minus === null);
      for (const other of this.ready) {
        if (other === first) continue;
        for (const { text, axis } of own) {
          const same = textIn(other, text);
          if ((await this.page.worker.problem(other.key, same)) === null)
            this.push(pane, { file: other.key, text: same, axis });
        }
      }
    }
  }

  /** Whether a file has any of the fields that are shown. */
  isKnownTo(file: OpenFile): boolean {
    return this.traces.length === 0 || this.areKnown(this.panes, file);
  }

  areKnown(
    panes: readonly { readonly traces: readonly { readonly text: string }[] }[],
    file: OpenFile | undefined,
  ): boolean {
    const tables = file?.summary?.tables ?? [];
    return panes.some(({ traces }) =>
      traces.some(({ text }) => {
        const name = parseField(text);
        return (
          !name ||
          tables.some((table) => table.name === name.table && table.fields.some((field) => field.name === name.field))
        );
      }),
    );
  }

  /** Shows the same fields of another file; one that it lacks keeps its place, and says so. */
  retarget(from: OpenFile, to: OpenFile): void {
    for (const pane of this.panes) {
      const before = pane.traces;
      pane.traces = before.filter(({ file }) => file !== from.key && file !== to.key);
      for (const trace of before) {
        if ((trace.file !== from.key && trace.file !== to.key) || trace.minus !== null) continue;
        this.push(pane, { file: to.key, text: textIn(to, trace.text), axis: trace.axis });
      }
    }
  }

  /** Plots how much a line of another file differs from the first file. */
  addDifference(pane: Pane, { file, text }: Trace): void {
    if (this.first) this.push(pane, { file, text, axis: 'right', minus: this.first.key });
    this.page.redraw();
  }

  // expressions and presets

  /** Keeps an expression and plots it. */
  addExpression(text: string, file: number | undefined = this.first?.key): void {
    if (!this.expressions.includes(text)) this.expressions.push(text);
    if (!this.shows(text, file)) this.addPane([text], file);
  }

  removeExpression(text: string): void {
    this.expressions = this.expressions.filter((kept) => kept !== text);
    this.keepTraces((trace) => trace.text !== text);
    this.page.redraw();
  }

  showPreset({ panes }: FoundPreset): void {
    this.panes = [];
    for (const texts of panes) this.addPane(texts);
  }

  showSaved({ panes }: SavedPreset): void {
    const views = panes.map(({ kind, isOther, traces }) => ({
      ...{ kind, isOther },
      traces: traces.map(({ text, axis }) => ({ file: 0, text, axis })),
    }));
    this.showPanes(views);
    this.page.redraw();
  }

  // addresses

  /** The plots as an address names them. */
  get paneViews(): PaneView[] {
    const places = new Map(this.ready.map(({ key }, place) => [key, place]));
    return this.panes.map(({ kind, isOther, limits, traces }) => ({
      ...{ kind, isOther, limits },
      traces: traces.map(({ file, text, axis, minus }) => ({
        ...{ file: places.get(file) ?? 0, text, axis },
        ...(minus === null ? {} : { minus: places.get(minus) ?? 0 }),
      })),
    }));
  }

  showPanes(views: readonly PaneView[]): void {
    this.before = this.traces;
    this.panes = [];
    this.waiting = [];
    for (const { kind, isOther, limits, traces } of views) {
      const pane = this.newPane(kind, isOther);
      pane.limits = limits ?? {};
      for (const trace of traces) this.waiting.push({ pane, trace });
    }
    this.placeWaiting();
    this.before = [];
    // panes whose lines wait for a file stay
    this.panes = this.panes.filter((pane) => pane.traces.length > 0 || this.waiting.some((each) => each.pane === pane));
  }

  /** Plots the lines whose file is read by now. */
  placeWaiting(): void {
    const { ready } = this;
    const isReady = ({ trace: { file, minus = 0 } }: (typeof this.waiting)[number]): boolean =>
      Math.max(file, minus) < ready.length;
    const placed = this.waiting.filter(isReady);
    this.waiting = this.waiting.filter((each) => !isReady(each) && this.panes.includes(each.pane));
    for (const { pane, trace } of placed) {
      const { file, text, axis, minus } = trace;
      if (!parseField(text) && !this.expressions.includes(text)) this.expressions.push(text);
      this.push(pane, { text, axis, file: ready[file].key, minus: minus === undefined ? null : ready[minus].key });
    }
    if (placed.length > 0) this.page.redraw();
  }
}

/** What a field is about, desired or actual: Roll for DesRoll. */
function baseOf(text: string): string {
  const field = parseField(text)?.field;
  return field === undefined
    ? text
    : field.replace(/^(des|nav_|target_?|t_)(?=[a-z])|(_?des|_target|sp)$/gi, '').toLowerCase();
}

/** The name of the same field in another log, whose vehicle or sensor may have another number. */
function textIn({ summary }: OpenFile, text: string): string {
  const name = parseField(text);
  const named = summary?.tables.filter(({ name: own }) => own === name?.table) ?? [];
  if (!name || named.length === 0 || named.some(({ stream }) => stream === name.stream)) return text;
  return fieldText({ ...name, stream: named[0].stream });
}
