import { TIME_BASES, type TimeBase } from '../shared/format.ts';
import type { Band, Mark } from '../shared/plot/bands.ts';
import { remote } from '../shared/rpc.ts';
import { type ColorSet, keptTheme, setColors, setTheme, type Theme } from '../shared/theme.ts';
import { type Alignment, alignedOffset } from './align.ts';
import { Asker } from './plots/draw-queue.ts';
import { fieldText } from './fields/field-name.ts';
import { bandsOf, marksOf } from './plots/marks.ts';
import { OpenFile, offsetOf, type Trace } from './model.svelte.ts';
import { Player } from './player.svelte.ts';
import { PlotBoard } from './plots/plots.svelte.ts';
import { type FoundPreset, findPresets, firstPanes } from './fields/presets.ts';
import { Ruler } from './plots/ruler.svelte.ts';
import type { TrackColoringName } from './track-coloring.ts';
import type { UnitSystem } from './units.ts';
import { hashOf, NO_VIEW, type View, viewOf } from './view-hash.ts';
import { moved, type TimeWindow, within, zoomed } from './plots/window.ts';
import type { ProgressNote } from './worker/answers.ts';
import type { BookFunctions, SeriesRequest } from './worker/workspace.ts';
import LogWorker from './worker/worker.ts?worker';

const HISTORY = 100;

/** All that the page shows, and what can be done to it. */
export class LogPage extends PlotBoard {
  files: OpenFile[] = $state([]);
  window: TimeWindow = $state.raw({ from: 0, to: 1 });
  all: TimeWindow = $state.raw({ from: 0, to: 1 });
  cursor: number | null = $state(null);
  private chosenBase: TimeBase = $state('start');
  theme: Theme = $state(keptTheme());
  units: UnitSystem = $state('log');
  tab: string = $state('');
  /** Whether the first lines are on the screen: what is large waits for that. */
  isDrawn: boolean = $state(false);
  /** The file that is moved when plots are dragged; null where a drag chooses a stretch. */
  dragged: number | null = $state(null);
  showModes: boolean = $state(true);
  showEvents: boolean = $state(true);
  /** Plans, tiles and images that wait to be put on the map. */
  layerFiles: readonly File[] = $state.raw([]);
  /** What the colour of the track tells. */
  coloring: TrackColoringName = $state('mode');
  readonly player: Player = new Player(this);
  readonly ruler: Ruler = new Ruler(this);
  /** Pixels that a plot has for its lines. */
  pixels = 1000;
  readonly worker = remote<BookFunctions>(new LogWorker(), (note) => this.progress(note as ProgressNote));
  private reading: Promise<void> = Promise.resolve();
  /** Archives of which a log is still to be chosen. */
  private readonly archives = new Map<number, Blob | string>();
  private readonly back: TimeWindow[] = [];
  private wanted: View = viewOf(location.hash);
  private readonly asker: Asker = new Asker(
    this,
    () => this.begun(),
    () => this.keepView(),
  );

  constructor() {
    super();
    setTheme(this.theme);
    setColors(this.colors);
    // not the address of now: the page may have written its own over it meanwhile
    window.addEventListener('hashchange', ({ newURL }) => this.restore(viewOf(new URL(newURL).hash)));
  }

  /** The file that the page is about. */
  get first(): OpenFile | undefined {
    return this.files.find(({ summary }) => summary !== null);
  }

  readonly presets: readonly FoundPreset[] = $derived(findPresets(this.first?.summary?.tables ?? []));

  readonly marks: readonly Mark[] = $derived(this.files.flatMap((file) => marksOf(file, this.colors)));
  readonly bands: readonly Band[] = $derived(this.first ? bandsOf(this.first, this.colors) : []);

  /** Whether times are guessed, because no record of a log has one. */
  readonly isGuessed: boolean = $derived(this.files.some(({ summary }) => summary?.guessed === true));

  /** What times may count from: a clock that does not know UTC has no time of day. */
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
    this.recolor();
  }

  setColors(colors: ColorSet): void {
    this.colors = colors;
    setColors(colors);
    this.recolor();
  }

  // files

  /** Opens a file. Several are read one after the other, so that the first is the one that the page is about. */
  open(name: string, input: Blob | string, id: string | null = null, entry?: string): Promise<void> {
    const file = new OpenFile(this.newId(), name, id);
    this.files.push(file);
    const read = this.reading.then(() => this.read(file, input, entry));
    this.reading = read;
    return read.then(() => this.learn(file));
  }

  /** Opens one of the logs in an archive in the place of the archive. */
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
      // for who measures the page
      performance.mark('skein-summary');
      file.progress = 1;
      this.extend();
      if (this.panes.length === 0) this.begin();
      else this.placeWaiting();
    } catch (error) {
      file.problem = sentence(error);
      file.choices = await this.worker.choices(file.key).catch(() => []);
      if (file.choices.length === 0) return;
      file.problem = `archive with ${file.choices.length} logs: choose one`;
      this.archives.set(file.key, input);
    }
  }

  private begun(): void {
    this.isDrawn = true;
    // for who measures the page
    performance.mark('skein-drawn');
  }

  /** What takes a while comes when it comes: plots are there before it. */
  private async learn(file: OpenFile): Promise<void> {
    if (!file.summary) return;
    try {
      await this.asker.rest();
      file.modes = await this.worker.modes(file.key);
      file.messages = await this.worker.messages(file.key);
      file.insight = await this.worker.insight(file.key);
      file.report = await this.worker.report(file.key);
    } catch (error) {
      file.problem = sentence(error);
    }
  }

  close(file: OpenFile): void {
    this.files = this.files.filter(({ key }) => key !== file.key);
    this.keepTraces((trace) => trace.file !== file.key && trace.minus !== file.key);
    if (this.dragged === file.key) this.dragged = null;
    this.archives.delete(file.key);
    void this.worker.close(file.key);
    this.extend();
    this.redraw();
  }

  /** Lays a file upon the first one by a moment that both have. */
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

  /** Moves the file that is dragged. What the page shows stays where it is until the hand lets go. */
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

  /** The page's time is that of all files. */
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

  /** What a file is first shown with: what the address asks for, or what most want to see. */
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
    if (this.panes.length === 0) for (const fields of firstPanes(this.presets)) this.addPane(fields.map(fieldText));
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
    if (view.panes.length > 0) this.showPanes(view.panes);
    this.redraw();
  }

  get view(): View {
    const isAll = this.window.from === this.all.from && this.window.to === this.all.to;
    return {
      panes: this.paneViews,
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
    void this.asker.askValues();
  }

  setCursor(time: number | null): void {
    this.cursor = time;
    void this.asker.askValues();
  }

  /** What traces say at a time; NaN where they say nothing. */
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

  protected async canShow(file: number, text: string): Promise<boolean> {
    return (await this.worker.problem(file, text)) === null;
  }

  redraw(): void {
    this.asker.redraw();
  }

  /** The address holds what is shown. */
  private keepView(): void {
    if (this.first) history.replaceState(null, '', hashOf(this.view) || location.pathname + location.search);
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
