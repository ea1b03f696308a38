import { errorText } from '../../src/entry/pages.ts';
import { placeColor } from '../shared/colors.ts';
import { TIME_BASES, type TimeBase } from '../shared/format.ts';
import { Look } from '../shared/look.svelte.ts';
import type { Band, Mark } from '../shared/plot/bands.ts';
import { LEFT_AXIS, type PlotWindow } from '../shared/plot/time-plot.ts';
import { remote } from '../shared/rpc.ts';
import { themeColor } from '../shared/theme.ts';
import type { UnitSystem } from '../shared/units.ts';
import { Address } from './address.ts';
import { type Alignment, alignedOffset, isBeside, offsetOf } from './align.ts';
import { type FoundPreset, findPresets, firstPanes } from './fields/presets.ts';
import { isLayer, isVideo } from './layers.ts';
import { keptNotes } from './notes.ts';
import { OpenFile } from './open-file.svelte.ts';
import { Player } from './player.svelte.ts';
import { DrawQueue } from './plots/draw-queue.ts';
import { bandsOf, marksOf } from './plots/marks.ts';
import type { Pane, Trace } from './plots/panes.svelte.ts';
import { Plots } from './plots/plots.svelte.ts';
import { Ruler } from './plots/ruler.svelte.ts';
import { moved, within, zoomed } from './plots/window.ts';
import type { TrackColoringName } from './track.ts';
import { NO_VIEW } from './view-hash.ts';
import type { ProgressNote } from './worker/answers.ts';
import LogWorker from './worker/worker.ts?worker';
import type { SeriesRequest, Workspace } from './worker/workspace.ts';

/** Pixels from a sample within which a click means it. */
const NEAR = 12;

export class LogPage {
  files: OpenFile[] = $state([]);
  window: PlotWindow = $state.raw({ from: 0, to: 1 });
  all: PlotWindow = $state.raw({ from: 0, to: 1 });
  /** Where the cursor is until it is moved; the whole page shows that moment. */
  cursor: number | null = $state(null);
  /** Whether all logs are shown beside each other. */
  isComparing: boolean = $state(false);
  private main: number | null = $state(null);
  /** Where the pointer is over the plots, as a part of their width. */
  private pointed: number | null = $state(null);
  chosenBase: TimeBase = $state('start');
  readonly look: Look = new Look(() => this.plots.recolor());
  /** What is open beside the plots. */
  readonly shows: { fields: boolean; map: boolean; link: boolean; help: boolean } = $state({
    ...{ fields: matchMedia('(min-width: 760px)').matches, map: matchMedia('(min-width: 1200px)').matches },
    ...{ link: false, help: false },
  });
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
  readonly address: Address = new Address(this);
  /** Pixels that a plot has for its lines. */
  pixels: number = $state(1000);
  readonly worker = remote<Workspace>(new LogWorker(), (note) => this.progress(note as ProgressNote));
  private reading: Promise<void> = Promise.resolve();
  /** Archives, until a log in them is chosen. */
  private readonly archives = new Map<number, Blob | string>();
  private hasCursor = false;
  private stepping: Promise<void> = Promise.resolve();
  private ids = 0;
  readonly queue: DrawQueue = new DrawQueue(
    this,
    () => this.firstDrawn(),
    () => this.address.keep(),
  );

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
    return placeColor(this.files.indexOf(file), { colors: this.look.colors, ground: themeColor('--panel') });
  }

  readonly presets: readonly FoundPreset[] = $derived(findPresets(this.first?.summary?.tables ?? []));

  readonly marks: readonly Mark[] = $derived(this.shown.flatMap((file) => marksOf(file, this.look.colors)));
  readonly bands: readonly Band[] = $derived(this.first ? bandsOf(this.first, this.look.colors) : []);

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

  // files

  /** Opens what was chosen or dropped: logs, layers of the map, a video. */
  openAll(files: Iterable<File>): void {
    const all = [...files];
    // plans and pictures belong on the map, once there is a flight to show on it
    const layers = this.files.length > 0 ? all.filter(isLayer) : [];
    const video = all.find(isVideo);
    const logs = all.filter((file) => !layers.includes(file) && !isVideo(file));
    // one more log goes into the view of the one before it
    for (const file of logs) void (logs.length === 1 ? this.openNext(file.name, file) : this.open(file.name, file));
    if (video) this.video = video;
    if (layers.length > 0) this.layerFiles = layers;
    this.shows.map ||= video !== undefined || layers.length > 0;
  }

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
      file.offset = file.natural + this.address.shiftOf(this.ready.length);
      file.summary = summary;
      // for the benches
      performance.mark('skein-summary');
      file.progress = 1;
      if (this.plots.panes.length > 0) this.plots.placeWaiting();
      this.extend();
      if (this.plots.panes.length === 0) this.address.begin();
    } catch (error) {
      file.problem = errorText(error);
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
      file.problem = errorText(error);
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
        this.address.closed();
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

  get isWhole(): boolean {
    return this.window.from === this.all.from && this.window.to === this.all.to;
  }

  /** Sets the page's time to that of all files that are shown. */
  extend(): void {
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

  usualPlots(): void {
    this.plots.panes = [];
    const tables = this.first?.summary?.tables ?? [];
    for (const fields of firstPanes(this.presets, tables, this.plots.firstCount)) this.plots.addPane(fields);
  }

  /** The files as the address counts them. */
  get shownFirst(): readonly OpenFile[] {
    const { first } = this;
    return first ? [first, ...this.ready.filter((file) => file !== first)] : [];
  }

  // time

  setWindow(window: PlotWindow): void {
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
}
