import { TIME_BASES, type TimeBase } from '../shared/format.ts';
import type { Band, Mark } from '../shared/plot/bands.ts';
import { messageOf, remote } from '../shared/rpc.ts';
import { type ColorSet, keptColors, keptTheme, setColors, setTheme, type Theme } from '../shared/theme.ts';
import { type Alignment, alignedOffset, offsetOf } from './align.ts';
import { fieldText } from './fields/field-name.ts';
import { type FoundPreset, findPresets, firstPanes } from './fields/presets.ts';
import { OpenFile } from './open-file.svelte.ts';
import { Player } from './player.svelte.ts';
import { DrawQueue } from './plots/draw-queue.ts';
import { bandsOf, marksOf } from './plots/marks.ts';
import type { Trace } from './plots/panes.svelte.ts';
import { Plots } from './plots/plots.svelte.ts';
import { Ruler } from './plots/ruler.svelte.ts';
import { moved, type TimeWindow, within, zoomed } from './plots/window.ts';
import type { TrackColoringName } from './track.ts';
import type { UnitSystem } from './units.ts';
import { hashOf, NO_VIEW, type View, viewOf } from './view-hash.ts';
import type { ProgressNote } from './worker/answers.ts';
import LogWorker from './worker/worker.ts?worker';
import type { SeriesRequest, Workspace } from './worker/workspace.ts';

const HISTORY = 100;

/** The state of the page. */
export class LogPage {
  files: OpenFile[] = $state([]);
  window: TimeWindow = $state.raw({ from: 0, to: 1 });
  all: TimeWindow = $state.raw({ from: 0, to: 1 });
  cursor: number | null = $state(null);
  private chosenBase: TimeBase = $state('start');
  theme: Theme = $state(keptTheme());
  colors: ColorSet = $state(keptColors());
  units: UnitSystem = $state('log');
  tab: string = $state('');
  /** Whether the first lines are on the screen; what is slow waits for that. */
  isDrawn: boolean = $state(false);
  /** The file that dragging a plot moves; null if it zooms. */
  dragged: number | null = $state(null);
  showModes: boolean = $state(true);
  showEvents: boolean = $state(true);
  /** Plans, tiles and images to add to the map. */
  layerFiles: readonly File[] = $state.raw([]);
  /** What the colour of the track shows. */
  coloring: TrackColoringName = $state('mode');
  readonly plots: Plots = new Plots(this);
  readonly player: Player = new Player(this);
  readonly ruler: Ruler = new Ruler(this);
  /** Pixels that a plot has for its lines. */
  pixels = 1000;
  readonly worker = remote<Workspace>(new LogWorker(), (note) => this.progress(note as ProgressNote));
  private reading: Promise<void> = Promise.resolve();
  /** Archives, until a log in them is chosen. */
  private readonly archives = new Map<number, Blob | string>();
  private readonly back: TimeWindow[] = [];
  private ids = 0;
  private wanted: View = viewOf(location.hash);
  private readonly queue: DrawQueue = new DrawQueue(
    this,
    () => this.begun(),
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

  /** The file that the page is about. */
  get first(): OpenFile | undefined {
    return this.files.find(({ summary }) => summary !== null);
  }

  readonly presets: readonly FoundPreset[] = $derived(findPresets(this.first?.summary?.tables ?? []));

  readonly marks: readonly Mark[] = $derived(this.files.flatMap((file) => marksOf(file, this.colors)));
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
    this.redraw();
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
    const file = new OpenFile(this.newId(), name, id);
    this.files.push(file);
    const read = this.reading.then(() => this.read(file, input, entry));
    this.reading = read;
    return read.then(() => this.learn(file));
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
      file.offset = offsetOf(summary, this.first);
      file.summary = summary;
      // for the benches
      performance.mark('skein-summary');
      file.progress = 1;
      this.extend();
      if (this.plots.panes.length === 0) this.begin();
      else this.plots.placeWaiting();
    } catch (error) {
      file.problem = messageOf(error);
      file.choices = await this.worker.choices(file.key).catch(() => []);
      if (file.choices.length === 0) return;
      file.problem = `archive with ${file.choices.length} logs: choose one`;
      this.archives.set(file.key, input);
    }
  }

  private begun(): void {
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
    } catch (error) {
      file.problem = messageOf(error);
    }
  }

  close(file: OpenFile): void {
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
    const file = this.files.find(({ key }) => key === this.dragged);
    if (!file) return;
    file.offset += by;
    this.redraw();
  }

  endDrag(): void {
    this.extend();
    this.redraw();
  }

  private progress({ file: key, done }: ProgressNote): void {
    const file = this.files.find((open) => open.key === key);
    if (file && !file.summary) file.progress = done;
  }

  /** Sets the page's time to that of all files. */
  private extend(): void {
    const wasAll = this.window.from === this.all.from && this.window.to === this.all.to;
    const spans = this.files.flatMap(({ summary, offset }) =>
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
    if (this.wanted.panes.length > 0 || this.wanted.window) this.restore(this.wanted);
    else this.chosenBase = this.wanted.base;
    this.units = this.wanted.units;
    this.tab = this.wanted.tab;
    this.coloring = this.wanted.coloring;
    const isWindowed = this.wanted.window !== null;
    this.wanted = NO_VIEW;
    const { summary, offset = 0 } = this.first ?? {};
    if (summary?.view && !isWindowed) {
      this.window = within({ from: summary.view.start + offset, to: summary.view.end + offset }, this.all);
    }
    if (this.plots.panes.length === 0)
      for (const fields of firstPanes(this.presets)) this.plots.addPane(fields.map(fieldText));
    this.redraw();
  }

  private restore(view: View): void {
    if (!this.first || hashOf(view) === hashOf(this.view)) return;
    this.chosenBase = view.base;
    this.units = view.units;
    this.tab = view.tab;
    this.coloring = view.coloring;
    const start = this.all.from;
    this.window = view.window
      ? within({ from: start + view.window[0] * 1e6, to: start + view.window[1] * 1e6 }, this.all)
      : this.all;
    if (view.panes.length > 0) this.plots.showPanes(view.panes);
    this.redraw();
  }

  get view(): View {
    const isAll = this.window.from === this.all.from && this.window.to === this.all.to;
    return {
      panes: this.plots.paneViews,
      window: isAll ? null : [(this.window.from - this.all.from) / 1e6, (this.window.to - this.all.from) / 1e6],
      base: this.chosenBase,
      units: this.units,
      tab: this.tab,
      coloring: this.coloring,
    };
  }

  // time

  setWindow(window: TimeWindow, isStep = true): void {
    if (isStep) this.remember();
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

  goBack(): void {
    const before = this.back.pop();
    if (before) this.setWindow(before, false);
  }

  private remember(): void {
    this.back.push(this.window);
    if (this.back.length > HISTORY) this.back.shift();
  }

  goTo(time: number): void {
    this.cursor = time;
    if (time < this.window.from || time > this.window.to) {
      const half = (this.window.to - this.window.from) / 2;
      this.setWindow({ from: time - half, to: time + half });
    }
    void this.queue.askValues();
  }

  setCursor(time: number | null): void {
    this.cursor = time;
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

  /** Keeps the view in the address. */
  private keepView(): void {
    if (this.first) history.replaceState(null, '', hashOf(this.view) || location.pathname + location.search);
  }
}
