import { placeColor } from '../shared/colors.ts';
import { TIME_BASES, type TimeBase } from '../shared/format.ts';
import type { Band, Mark } from '../shared/plot/bands.ts';
import { LEFT_AXIS } from '../shared/plot/time-plot.ts';
import { messageOf, remote } from '../shared/rpc.ts';
import { type ColorSet, keptColors, keptTheme, setColors, setTheme, type Theme, themeColor } from '../shared/theme.ts';
import type { UnitSystem } from '../shared/units.ts';
import { type Alignment, alignedOffset, isBeside, offsetOf } from './align.ts';
import { type FoundPreset, findPresets, firstPanes } from './fields/presets.ts';
import { keptNotes } from './notes.ts';
import { OpenFile } from './open-file.svelte.ts';
import { Player } from './player.svelte.ts';
import { DrawQueue } from './plots/draw-queue.ts';
import { bandsOf, marksOf } from './plots/marks.ts';
import type { Pane, Trace } from './plots/panes.svelte.ts';
import { Plots } from './plots/plots.svelte.ts';
import { Ruler } from './plots/ruler.svelte.ts';
import { moved, type TimeWindow, within, zoomed } from './plots/window.ts';
import type { TrackColoringName } from './track.ts';
import { hashOf, NO_VIEW, type View, viewOf } from './view-hash.ts';
import type { ProgressNote } from './worker/answers.ts';
import LogWorker from './worker/worker.ts?worker';
import type { SeriesRequest, Workspace } from './worker/workspace.ts';

/** Pixels from a sample within which a click means it. */
const NEAR = 12;

export class LogPage {
  files: OpenFile[] = $state([]);
  window: TimeWindow = $state.raw({ from: 0, to: 1 });
  all: TimeWindow = $state.raw({ from: 0, to: 1 });
  /** Where the cursor is until it is moved; the whole page shows that moment. */
  cursor: number | null = $state(null);
  /** Whether all logs are shown beside each other. */
  isComparing: boolean = $state(false);
  private main: number | null = $state(null);
  /** Where the pointer is over the plots, as a part of their width. */
  private pointed: number | null = $state(null);
  private chosenBase: TimeBase = $state('start');
  theme: Theme = $state(keptTheme());
  colors: ColorSet = $state(keptColors());
  units: UnitSystem = $state(NO_VIEW.units);
  tab: string = $state('');
  /** Whether the first lines are on the screen; what is slow waits for that. */
  isDrawn: boolean = $state(false);
  /** The file that dragging a plot moves; null if it zooms. */
  dragged: number | null = $state(null);
  showModes: boolean = $state(true);
  showEvents: boolean = $state(true);
  /** Plans, tiles and images to add to the map. */
  layerFiles: readonly File[] = $state.raw([]);
  /** A video of the flight, and the second of the log at which it begins; null for arming. */
  video: File | null = $state.raw(null);
  videoBegin: number | null = $state(null);
  /** What the colour of the track shows. */
  coloring: TrackColoringName = $state('mode');
  readonly plots: Plots = new Plots(this);
  readonly player: Player = new Player(this);
  readonly ruler: Ruler = new Ruler(this);
  /** Pixels that a plot has for its lines. */
  pixels: number = $state(1000);
  readonly worker = remote<Workspace>(new LogWorker(), (note) => this.progress(note as ProgressNote));
  private reading: Promise<void> = Promise.resolve();
  /** Archives, until a log in them is chosen. */
  private readonly archives = new Map<number, Blob | string>();
  /** The address, without parts that are not undo steps. */
  private kept = '';
  private hasCursor = false;
  private stepping: Promise<void> = Promise.resolve();
  private ids = 0;
  private wanted: View = viewOf(location.hash);
  /** What was shown of the last log when it was closed. */
  private closed: View | null = null;
  private readonly queue: DrawQueue = new DrawQueue(
    this,
    () => this.firstDrawn(),
    () => this.keepView(),
  );

  constructor() {
    setTheme(this.theme);
    setColors(this.colors);
    // the page may have replaced the address since
    window.addEventListener('hashchange', ({ newURL }) => this.restore(viewOf(new URL(newURL).hash)));
  }

  /** A number that nothing else on the page has. */
  newId(): number {
    return ++this.ids;
  }

  /** The file that the page is about: that which was opened or chosen last. */
  get first(): OpenFile | undefined {
    return this.ready.find(({ key }) => key === this.main) ?? this.ready[0];
  }

  fileOf(key: number): OpenFile | undefined {
    return this.files.find((file) => file.key === key);
  }

  /** The files that are read. */
  get ready(): readonly OpenFile[] {
    return this.files.filter(({ summary }) => summary !== null);
  }

  /** The files that plots and map are about, the one that the page is about first. */
  readonly shown: readonly OpenFile[] = $derived.by(() => {
    const { first } = this;
    const isShown = ({ key }: OpenFile): boolean =>
      this.isComparing || this.plots.traces.some(({ file }) => file === key);
    return first ? [first, ...this.ready.filter((file) => file !== first && isShown(file))] : [];
  });

  /** Those of them that were logged at another time than the first one. */
  readonly apart: readonly OpenFile[] = $derived.by(() => {
    const [main, ...others] = this.shown;
    return others.filter((file) => !isBeside(file, main));
  });

  /** The colour of a file where several are shown. */
  colorOf(file: OpenFile): string {
    return placeColor(this.files.indexOf(file), { colors: this.colors, ground: themeColor('--panel') });
  }

  readonly presets: readonly FoundPreset[] = $derived(findPresets(this.first?.summary?.tables ?? []));

  readonly marks: readonly Mark[] = $derived(this.shown.flatMap((file) => marksOf(file, this.colors)));
  readonly bands: readonly Band[] = $derived(this.first ? bandsOf(this.first, this.colors) : []);

  /** Whether times are guessed, because no record of a log has a time. */
  readonly isGuessed: boolean = $derived(this.files.some(({ summary }) => summary?.guessed === true));

  /** What times may count from; without UTC there is no time of day. */
  readonly bases: readonly TimeBase[] = $derived.by(() => {
    const { summary, insight } = this.first ?? {};
    if (this.isGuessed) return ['guessed'];
    const isKnown: Record<(typeof TIME_BASES)[number], boolean> = {
      ...{ start: true, log: true, boot: insight?.boot != null, arm: insight?.armed[0] !== undefined },
      ...{ utc: summary?.utc === true, local: summary?.utc === true, gps: summary?.utc === true },
    };
    return TIME_BASES.filter((base) => isKnown[base]);
  });

  get base(): TimeBase {
    return this.isGuessed ? 'guessed' : this.chosenBase;
  }

  /** The moment that relative times count from. */
  get origin(): number {
    const { insight, offset = 0 } = this.first ?? {};
    const moment = { boot: insight?.boot, arm: insight?.armed[0]?.start }[this.base as 'boot' | 'arm'];
    return moment == null ? this.all.from : moment + offset;
  }

  setBase(base: TimeBase): void {
    if (base !== 'guessed') this.chosenBase = base;
    this.redraw();
  }

  setUnits(units: UnitSystem): void {
    this.units = units;
    // no number of one unit beside the name of another
    for (const trace of this.plots.traces) trace.value = trace.pointed = Number.NaN;
    this.redraw();
    void this.queue.askValues();
    void this.ruler.ask();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    setTheme(theme);
    this.plots.recolor();
  }

  setColors(colors: ColorSet): void {
    this.colors = colors;
    setColors(colors);
    this.plots.recolor();
  }

  // files

  /** Opens a file. Several are read one after the other; the page is about the first. */
  open(name: string, input: Blob | string, id: string | null = null, entry?: string): Promise<void> {
    return this.begun(name, input, id, entry).learnt;
  }

  /** Opens the next log in the view that is there. */
  async openNext(name: string, input: Blob): Promise<void> {
    const { first: before, isComparing } = this;
    const { file, learnt } = this.begun(name, input);
    await this.reading;
    // where a part is shown, it is the same part by arming, which is known later
    if (isComparing || !this.isWhole) await learnt;
    if (before && isComparing) await this.compare(true);
    else if (before && this.first === before) this.show(file);
    await learnt;
  }

  private begun(name: string, input: Blob | string, id: string | null = null, entry?: string) {
    const file = new OpenFile(this.newId(), name, id);
    this.files.push(file);
    const read = this.reading.then(() => this.read(file, input, entry));
    this.reading = read;
    return { file, learnt: read.then(() => this.learn(file)) };
  }

  /** Makes the page about another log: its fields in the same plots, the same window and cursor by arming. */
  show(file: OpenFile): void {
    const before = this.first;
    if (!before || file === before || !file.summary || !this.files.includes(file)) return;
    const wasWhole = this.isWhole;
    const by = this.momentOf(file) - this.momentOf(before);
    this.main = file.key;
    if (!this.isComparing && this.plots.isKnownTo(file)) this.plots.retarget(before, file);
    else if (!this.isComparing) this.usualPlots();
    this.extend();
    this.window = wasWhole ? this.all : within({ from: this.window.from + by, to: this.window.to + by }, this.all);
    if (this.cursor !== null && !this.isComparing) this.setCursor(this.cursor + by);
    this.plots.recolor();
    this.redraw();
  }

  /** Arming on the clock of the page; the start of a log that was never armed. */
  private momentOf({ insight, summary, offset }: OpenFile): number {
    return (insight.armed[0]?.start ?? summary?.start ?? 0) + offset;
  }

  /** Shows all logs in the same plots, or only that which the page is about. */
  async compare(isComparing = !this.isComparing): Promise<void> {
    this.isComparing = isComparing;
    if (isComparing) await this.plots.addOthers();
    else this.plots.keepTraces(({ file }) => file === this.first?.key);
    this.plots.recolor();
    this.extend();
    this.redraw();
  }

  /** Opens one of the logs in an archive instead of the archive. */
  openChoice(file: OpenFile, entry: string): void {
    const input = this.archives.get(file.key);
    if (input === undefined) return;
    this.close(file);
    void this.open(`${file.name}#${entry}`, input, file.id, entry);
  }

  private async read(file: OpenFile, input: Blob | string, entry?: string): Promise<void> {
    try {
      const summary = await this.worker.open(file.key, input, entry);
      file.natural = offsetOf(summary, this.first);
      file.offset = file.natural + Math.round((this.wanted.shifts[this.ready.length] ?? 0) * 1e6);
      file.summary = summary;
      // for the benches
      performance.mark('skein-summary');
      file.progress = 1;
      if (this.plots.panes.length > 0) this.plots.placeWaiting();
      this.extend();
      if (this.plots.panes.length === 0) this.begin();
    } catch (error) {
      file.problem = messageOf(error);
      file.choices = await this.worker.choices(file.key).catch(() => []);
      if (file.choices.length === 0) return;
      file.problem = `archive with ${file.choices.length} logs: choose one`;
      this.archives.set(file.key, input);
    }
  }

  private firstDrawn(): void {
    this.isDrawn = true;
    // for the benches
    performance.mark('skein-drawn');
  }

  /** Reads what takes a while, after the plots are drawn. */
  private async learn(file: OpenFile): Promise<void> {
    if (!file.summary) return;
    try {
      await this.queue.rest();
      file.modes = await this.worker.modes(file.key);
      file.messages = await this.worker.messages(file.key);
      file.insight = await this.worker.insight(file.key);
      file.report = await this.worker.report(file.key);
      if (file === this.first && !this.hasCursor) await this.placeCursor(file);
      file.hash = await this.worker.hash(file.key);
      file.notes = keptNotes(file.hash);
    } catch (error) {
      file.problem = messageOf(error);
    }
  }

  /** The cursor begins at take-off, else at arming, else where the plots have their first sample. */
  private async placeCursor({ insight, offset }: OpenFile): Promise<void> {
    const takeoffs = insight.flights.map(({ takeoff, start }) => takeoff ?? start);
    const moments = [...takeoffs, ...insight.flying, ...insight.armed]
      .map((moment) => (typeof moment === 'number' ? moment : moment.start) + offset)
      .filter((time) => time >= this.window.from && time <= this.window.to);
    const time = moments[0] ?? this.window.from;
    const near = await this.worker.sampleAt(this.requests(this.plots.stepped), time, 0);
    if (!this.hasCursor) this.setCursor(near ?? time);
  }

  close(file: OpenFile): void {
    const [next] = this.ready.filter((other) => other !== file);
    // the next log that is opened comes into the same view
    if (file === this.first) {
      if (next) this.show(next);
      else {
        this.closed = { ...this.view, window: null, at: null, shifts: [], compare: false };
        // the next log shows all of its time and chooses its moment
        this.window = this.all;
        this.cursor = null;
        this.hasCursor = false;
      }
    }
    this.files = this.files.filter(({ key }) => key !== file.key);
    this.plots.keepTraces((trace) => trace.file !== file.key && trace.minus !== file.key);
    if (this.dragged === file.key) this.dragged = null;
    this.archives.delete(file.key);
    void this.worker.close(file.key);
    this.extend();
    this.redraw();
  }

  /** Aligns a file with the first one by a moment that both have. */
  align(file: OpenFile, alignment: Alignment): void {
    const offset = this.first ? alignedOffset(file, this.first, alignment) : null;
    if (offset !== null) this.shift(file, offset);
  }

  /** Moves a file in time. */
  shift(file: OpenFile, offset: number): void {
    if (!Number.isFinite(offset)) return;
    file.offset = offset;
    this.extend();
    this.redraw();
  }

  /** Moves the file that is dragged; the page's time is extended at the end of the drag. */
  drag(by: number): void {
    const file = this.fileOf(this.dragged ?? Number.NaN);
    if (!file) return;
    file.offset += by;
    this.redraw();
  }

  endDrag(): void {
    this.extend();
    this.redraw();
  }

  private progress({ file: key, done }: ProgressNote): void {
    const file = this.fileOf(key);
    if (file && !file.summary) file.progress = done;
  }

  private get isWhole(): boolean {
    return this.window.from === this.all.from && this.window.to === this.all.to;
  }

  /** Sets the page's time to that of all files that are shown. */
  private extend(): void {
    const wasAll = this.isWhole;
    const spans = this.shown.flatMap(({ summary, offset }) =>
      summary?.start == null || summary.end === null ? [] : [[summary.start + offset, summary.end + offset]],
    );
    if (spans.length === 0) return;
    const from = Math.min(...spans.map(([start]) => start));
    const to = Math.max(from + 1, ...spans.map(([, end]) => end));
    this.all = { from, to };
    if (wasAll) this.window = this.all;
  }

  /** Shows the first file as the address asks, or with the usual plots. */
  private begin(): void {
    if (this.closed)
      this.wanted = this.plots.areKnown(this.closed.panes, this.first) ? this.closed : { ...this.closed, panes: [] };
    this.closed = null;
    if (this.wanted.panes.length > 0 || this.wanted.window) this.restore(this.wanted);
    else this.chosenBase = this.wanted.base;
    this.units = this.wanted.units;
    this.tab = this.wanted.tab;
    this.coloring = this.wanted.coloring;
    this.videoBegin = this.wanted.video;
    if (this.wanted.at !== null) this.setCursor(this.timeAt(this.wanted.at));
    this.plots.chosenColumns = this.wanted.columns;
    const isWindowed = this.wanted.window !== null;
    this.isComparing = this.wanted.compare;
    // of the files that are still to come
    this.wanted = { ...NO_VIEW, shifts: this.wanted.shifts };
    const { summary, offset = 0 } = this.first ?? {};
    if (summary?.view && !isWindowed) {
      this.window = within({ from: summary.view.start + offset, to: summary.view.end + offset }, this.all);
    }
    if (this.plots.panes.length === 0) this.usualPlots();
    // what it begins with is not a step: Back leads to the page before
    this.kept = '';
    this.redraw();
  }

  private usualPlots(): void {
    this.plots.panes = [];
    const tables = this.first?.summary?.tables ?? [];
    for (const fields of firstPanes(this.presets, tables, this.plots.firstCount)) this.plots.addPane(fields);
  }

  private restore(view: View): void {
    if (!this.first || hashOf(view) === hashOf(this.view)) return;
    this.chosenBase = view.base;
    this.units = view.units;
    this.tab = view.tab;
    this.coloring = view.coloring;
    this.videoBegin = view.video;
    this.plots.chosenColumns = view.columns;
    this.isComparing = view.compare;
    for (const [i, file] of this.shownFirst.entries())
      file.offset = file.natural + Math.round((view.shifts[i] ?? 0) * 1e6);
    this.extend();
    this.window = view.window
      ? within({ from: this.timeAt(view.window[0]), to: this.timeAt(view.window[1]) }, this.all)
      : this.all;
    if (view.at !== null) this.setCursor(this.timeAt(view.at));
    // an address without plots says nothing of them, but for one of this visit
    if (view.panes.length > 0 || (history.state as KeptState)?.step) this.plots.showPanes(view.panes);
    this.kept = hashOf(this.edited);
    this.redraw();
  }

  /** The files as the address counts them. */
  get shownFirst(): readonly OpenFile[] {
    const { first } = this;
    return first ? [first, ...this.ready.filter((file) => file !== first)] : [];
  }

  /** Where the address counts from: the start of the log that the page is about. */
  private get zero(): number {
    const { summary, offset = 0 } = this.first ?? {};
    return (summary?.start ?? this.all.from - offset) + offset;
  }

  /** The second of the address at which a time is. */
  secondOf(time: number): number {
    return (time - this.zero) / 1e6;
  }

  /** Of a second of the address; samples are at whole microseconds. */
  private timeAt(seconds: number): number {
    return this.zero + Math.round(seconds * 1e6);
  }

  get view(): View {
    return {
      panes: this.plots.paneViews,
      window: this.isWhole ? null : [this.secondOf(this.window.from), this.secondOf(this.window.to)],
      at: this.cursor === null ? null : this.secondOf(this.cursor),
      shifts: this.shownFirst.map(({ offset, natural }) => (offset - natural) / 1e6),
      compare: this.isComparing,
      base: this.chosenBase,
      units: this.units,
      tab: this.tab,
      coloring: this.coloring,
      video: this.videoBegin,
      columns: this.plots.chosenColumns,
    };
  }

  /** What is undone and done again: all of the view but the cursor and the tab. */
  private get edited(): View {
    return { ...this.view, at: null, tab: '' };
  }

  undo(): void {
    this.queue.settleNow();
    if ((history.state as KeptState)?.step) history.back();
  }

  redo(): void {
    history.forward();
  }

  // time

  setWindow(window: TimeWindow): void {
    this.window = within(window, this.all);
    this.redraw();
  }

  zoom(about: number, factor: number): void {
    this.window = zoomed(this.window, about, factor, this.all);
    this.redraw();
  }

  pan(by: number): void {
    this.window = moved(this.window, by, this.all);
    this.redraw();
  }

  fit(): void {
    this.setWindow(this.all);
  }

  goTo(time: number): void {
    this.setCursor(time);
    if (time < this.window.from || time > this.window.to) {
      const half = (this.window.to - this.window.from) / 2;
      this.setWindow({ from: time - half, to: time + half });
    }
  }

  setCursor(time: number | null): void {
    this.cursor = time;
    this.hasCursor = true;
    this.queue.cursorMoved();
  }

  /** Sets the cursor to the sample of a plot that is near, so that the line and the values are one moment. */
  async pin(time: number, pane?: Pane): Promise<void> {
    this.setCursor(time);
    if (pane) this.plots.active = pane;
    const near = await this.worker.sampleAt(this.requests(this.plots.stepped), time, 0);
    const pixel = (this.window.to - this.window.from) / this.pixels;
    if (near !== null && Math.abs(near - time) <= NEAR * pixel && this.cursor === time) this.setCursor(near);
  }

  /** Moves the cursor by samples of the plot that was clicked last, one step after the other. */
  step(by: 1 | -1): Promise<void> {
    this.stepping = this.stepping.then(async () => {
      const from = this.cursor ?? (by > 0 ? this.window.from : this.window.to);
      const next = await this.worker.sampleAt(this.requests(this.plots.stepped), from, by).catch(() => null);
      if (next !== null) this.goTo(next);
    });
    return this.stepping;
  }

  /** The time at the pointer; it stays under it when the window moves. */
  get pointer(): number | null {
    const { from, to } = this.window;
    return this.pointed === null ? null : from + this.pointed * (to - from);
  }

  /** Where a time is in pixels from the beginning of the lines; null if outside. */
  placeOf(time: number | null): number | null {
    const { from, to } = this.window;
    return time === null || time < from || time > to ? null : ((time - from) / (to - from)) * this.pixels;
  }

  timeAtPlace(left: number): number {
    const { from, to } = this.window;
    return from + ((left - LEFT_AXIS) / this.pixels) * (to - from);
  }

  point(part: number | null): void {
    this.pointed = part !== null && part >= 0 && part <= 1 ? part : null;
    void this.queue.askValues();
  }

  /** The values of traces at a time; NaN if unknown. */
  async valuesAt(traces: readonly Trace[], time: number): Promise<number[]> {
    const answers = await this.worker.values(this.requests(traces), time);
    return answers.map((answer) => ('value' in answer ? answer.value : Number.NaN));
  }

  requests(traces: readonly Trace[]): SeriesRequest[] {
    const offsets = new Map(this.files.map(({ key, offset }) => [key, offset]));
    const { units } = this;
    return traces.map(({ file, text, minus }) => ({
      ...{ file, text, offset: offsets.get(file) ?? 0, units },
      minus: minus === null ? undefined : { file: minus, offset: offsets.get(minus) ?? 0 },
    }));
  }

  redraw(): void {
    this.queue.redraw();
  }

  /** Keeps the view in the address. What changed it is a step back for Ctrl+Z and the browser. */
  private keepView(): void {
    if (!this.first) return;
    const [edited, before] = [hashOf(this.edited), this.kept];
    const step = (history.state as KeptState)?.step ?? 0;
    const address = hashOf(this.view) || location.pathname + location.search;
    this.kept = edited;
    if (before !== '' && before !== edited) history.pushState({ step: step + 1 } satisfies KeptState, '', address);
    else history.replaceState({ step } satisfies KeptState, '', address);
  }
}

/** How many steps of this visit are before an address. */
type KeptState = { readonly step: number } | null;
