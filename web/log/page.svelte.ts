import { isDesired, traceColor } from '../shared/colors.ts';
import type { TimeBase } from '../shared/format.ts';
import type { Band, Mark } from '../shared/plot/bands.ts';
import { remote } from '../shared/rpc.ts';
import { type ColorSet, keptColors, keptTheme, setColors, setTheme, type Theme, themeColor } from '../shared/theme.ts';
import { type Alignment, alignedOffset } from './align.ts';
import { Asker } from './asker.ts';
import { type FieldName, fieldText, parseField } from './field-name.ts';
import { hasField } from './field-search.ts';
import { bandsOf, marksOf } from './happenings.ts';
import { OpenFile, offsetOf, type Pane, Trace } from './model.svelte.ts';
import { Player } from './player.svelte.ts';
import { type FoundPreset, findPresets, firstPanes } from './presets.ts';
import { hashOf, NO_VIEW, type View, viewOf } from './view-hash.ts';
import { moved, type TimeWindow, within, zoomed } from './window.ts';
import type { ProgressNote } from './worker/answers.ts';
import type { BookFunctions } from './worker/log-book.ts';
import LogWorker from './worker/worker.ts?worker';

const HISTORY = 100;

/** All that the page shows, and what can be done to it. */
export class LogPage {
  files: OpenFile[] = $state([]);
  panes: Pane[] = $state([]);
  window: TimeWindow = $state.raw({ from: 0, to: 1 });
  all: TimeWindow = $state.raw({ from: 0, to: 1 });
  cursor: number | null = $state(null);
  base: TimeBase = $state('start');
  theme: Theme = $state(keptTheme());
  colors: ColorSet = $state(keptColors());
  tab: string = $state('');
  /** Whether the first lines are on the screen: what is large waits for that. */
  isDrawn: boolean = $state(false);
  showModes: boolean = $state(true);
  showEvents: boolean = $state(true);
  readonly player: Player = new Player(this);
  /** Pixels that a plot has for its lines. */
  pixels = 1000;
  readonly worker = remote<BookFunctions>(new LogWorker(), (note) => this.progress(note as ProgressNote));
  private reading: Promise<void> = Promise.resolve();
  private readonly back: TimeWindow[] = [];
  private wanted: View = viewOf(location.hash);
  private ids = 0;
  private readonly asker: Asker = new Asker(
    this,
    () => this.begun(),
    () => this.keepView(),
  );

  constructor() {
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

  /** What is seen on one ground may not be on another. */
  private recolor(): void {
    for (const { traces } of this.panes) {
      const taken: string[] = [];
      for (const trace of traces) {
        trace.color = this.colorOf(trace.text, taken);
        taken.push(trace.color);
      }
    }
  }

  private colorOf(text: string, taken: readonly string[]): string {
    const look = { colors: this.colors, ground: themeColor('--panel') };
    return traceColor(parseField(text)?.field ?? text, taken, look);
  }

  // files

  /** Opens a file. Several are read one after the other, so that the first is the one that the page is about. */
  open(name: string, input: Blob | string, id: string | null = null): Promise<void> {
    const file = new OpenFile(++this.ids, name, id);
    this.files.push(file);
    const read = this.reading.then(() => this.read(file, input));
    this.reading = read;
    return read.then(() => this.learn(file));
  }

  private async read(file: OpenFile, input: Blob | string): Promise<void> {
    try {
      const summary = await this.worker.open(file.key, input);
      file.offset = offsetOf(summary, this.first);
      file.summary = summary;
      // for who measures the page
      performance.mark('skein-summary');
      file.progress = 1;
      this.extend();
      if (this.panes.length === 0) this.begin();
    } catch (error) {
      file.problem = sentence(error);
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
    for (const pane of this.panes) pane.traces = pane.traces.filter((trace) => trace.file !== file.key);
    this.panes = this.panes.filter(({ traces }) => traces.length > 0);
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

  /** Adds to each plot the same fields of all other files that have them. */
  compare(): void {
    const others = this.files.filter(({ summary, key }) => summary !== null && key !== this.first?.key);
    for (const pane of this.panes) {
      const own = pane.traces.filter(({ file }) => file === this.first?.key);
      for (const { key, summary } of others) {
        for (const { text, axis } of own) if (hasField(summary, text)) this.push(pane, key, text, axis);
      }
    }
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
    else this.base = this.wanted.base;
    this.tab = this.wanted.tab;
    this.wanted = NO_VIEW;
    if (this.panes.length === 0) for (const fields of firstPanes(this.presets)) this.addPane(fields.map(fieldText));
    this.redraw();
  }

  private restore(view: View): void {
    if (!this.first || hashOf(view) === hashOf(this.view)) return;
    this.base = view.base;
    this.tab = view.tab;
    const start = this.all.from;
    this.window = view.window
      ? within({ from: start + view.window[0] * 1e6, to: start + view.window[1] * 1e6 }, this.all)
      : this.all;
    const ready = this.files.filter(({ summary }) => summary !== null);
    if (view.panes.length > 0) this.panes = [];
    for (const traces of view.panes) {
      const pane = this.newPane();
      for (const { file, text, axis } of traces) {
        const owner = ready[file];
        if (owner) this.push(pane, owner.key, text, axis);
      }
    }
    this.redraw();
  }

  get view(): View {
    const isAll = this.window.from === this.all.from && this.window.to === this.all.to;
    const ready = this.files.filter(({ summary }) => summary !== null);
    return {
      panes: this.panes.map(({ traces }) =>
        traces.map(({ file, text, axis }) => ({ file: ready.findIndex(({ key }) => key === file), text, axis })),
      ),
      window: isAll ? null : [(this.window.from - this.all.from) / 1e6, (this.window.to - this.all.from) / 1e6],
      base: this.base,
      tab: this.tab,
    };
  }

  // panes

  private newPane(): Pane {
    this.panes.push({ id: ++this.ids, traces: [] });
    return this.panes[this.panes.length - 1];
  }

  private push(pane: Pane, file: number, text: string, axis: 'left' | 'right'): void {
    if (pane.traces.some((trace) => trace.file === file && trace.text === text)) return;
    const field = parseField(text)?.field ?? text;
    const isSecond = file !== this.first?.key;
    const color = this.colorOf(
      text,
      pane.traces.map((trace) => trace.color),
    );
    pane.traces.push(new Trace(++this.ids, file, text, color, isSecond || isDesired(field), axis));
  }

  addPane(texts: readonly string[], file: number | undefined = this.first?.key): void {
    if (file === undefined) return;
    const pane = this.newPane();
    for (const text of texts) this.push(pane, file, text, 'left');
    this.redraw();
  }

  addTrace(
    pane: Pane,
    text: string,
    axis: 'left' | 'right' = 'left',
    file: number | undefined = this.first?.key,
  ): void {
    if (file !== undefined) this.push(pane, file, text, axis);
    this.redraw();
  }

  /** Shows a field in a pane of its own, or takes it away where it is shown. */
  toggle(name: FieldName, file: number | undefined = this.first?.key): void {
    const text = fieldText(name);
    const isShown = this.shows(text, file);
    if (isShown) {
      for (const pane of this.panes) {
        pane.traces = pane.traces.filter((trace) => trace.text !== text || trace.file !== file);
      }
      this.panes = this.panes.filter(({ traces }) => traces.length > 0);
      this.redraw();
    } else {
      // fields of one table belong together
      const last = this.panes.at(-1);
      const table = last?.traces.map((trace) => parseField(trace.text)).at(-1);
      if (last && table?.table === name.table && table.stream === name.stream) this.addTrace(last, text, 'left', file);
      else this.addPane([text], file);
    }
  }

  shows(text: string, file: number | undefined = this.first?.key): boolean {
    return this.panes.some(({ traces }) => traces.some((trace) => trace.text === text && trace.file === file));
  }

  removeTrace(pane: Pane, trace: Trace): void {
    pane.traces = pane.traces.filter(({ id }) => id !== trace.id);
    if (pane.traces.length === 0) this.removePane(pane);
    else this.redraw();
  }

  removePane(pane: Pane): void {
    this.panes = this.panes.filter(({ id }) => id !== pane.id);
    this.redraw();
  }

  showPreset({ panes }: FoundPreset): void {
    this.panes = [];
    for (const fields of panes) this.addPane(fields.map(fieldText));
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

  get traces(): Trace[] {
    return this.panes.flatMap(({ traces }) => traces);
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
