import { newestOnly } from '../../shared/newest.ts';
import type { LogPage } from '../page.svelte.ts';
import { isFigure } from './pane-kinds.ts';

/** Milliseconds without a change after which slower answers are requested. */
const SETTLED = 180;

/** Asks the worker for what the page shows. */
export class DrawQueue {
  private readonly page: LogPage;
  private readonly onFirst: () => void;
  private readonly onSettled: () => void;
  private hasDrawn = false;
  /** Ends when all lines are drawn. */
  private drawing: Promise<void> = Promise.resolve();
  private readonly draw = newestOnly(() => this.drawNow());
  /** Requests the panes whose axis is not the time: these depend on all samples of the window. */
  private readonly askFigures = newestOnly(() => this.askFiguresNow());
  /** Requests the values at the cursor and at the pointer. */
  readonly askValues: () => Promise<void> = newestOnly(() => this.askValuesNow());
  private settling: ReturnType<typeof setTimeout> | undefined;

  /** @param onFirst called once, with the first lines. @param onSettled called after a moment without changes */
  constructor(page: LogPage, onFirst: () => void, onSettled: () => void) {
    this.page = page;
    this.onFirst = onFirst;
    this.onSettled = onSettled;
  }

  /** Requests the lines of what is shown now. */
  redraw(): void {
    this.drawing = this.draw();
    this.settleSoon();
  }

  private settleSoon(): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.settling = undefined;
      void this.settle();
    }, SETTLED);
  }

  /** Does at once what waits for a moment without a change. */
  settleNow(): void {
    if (this.settling === undefined) return;
    clearTimeout(this.settling);
    this.settling = undefined;
    void this.settle();
  }

  /** Requests what is shown at the cursor, and keeps its place. */
  cursorMoved(): void {
    void this.askValues();
    // a replay moves it with each frame, and would never settle
    if (this.settling === undefined) this.settling = setTimeout(() => this.keepOnly(), SETTLED);
  }

  private keepOnly(): void {
    this.settling = undefined;
    if (!this.page.player.isPlaying) this.onSettled();
  }

  private async drawNow(): Promise<void> {
    const { plots, window, pixels, worker } = this.page;
    void this.askStates();
    const traces = plots.panes.filter(({ kind }) => kind === 'time').flatMap((pane) => pane.traces);
    const answers = await worker.draw(this.page.requests(traces), window.from, window.to, pixels).catch(() => []);
    for (const [i, answer] of answers.entries()) traces[i].receive(answer, (drawn) => (traces[i].drawn = drawn));
    if (answers.length > 0 && !this.hasDrawn) afterNextFrame(this.onFirst);
    this.hasDrawn ||= answers.length > 0;
  }

  /** Requests the states of lines that are shown as such; they are those of all of the log. */
  private async askStates(): Promise<void> {
    for (const { kind, traces } of this.page.plots.panes) {
      if (kind !== 'lanes') continue;
      for (const trace of traces) {
        if (trace.states !== undefined) continue;
        trace.states = null;
        trace.states = await this.page.worker.states(trace.file, trace.text).catch(() => null);
      }
    }
  }

  /** Waits until all lines are drawn, so that slow requests come after them. */
  rest(): Promise<void> {
    return this.drawing;
  }

  /** Requests what is too slow for each change. */
  private async settle(): Promise<void> {
    this.onSettled();
    void this.askValues();
    void this.askFigures();
    void this.page.ruler.ask();
    const { plots, window, worker } = this.page;
    const { traces } = plots;
    const answers = await worker.statistics(this.page.requests(traces), window.from, window.to).catch(() => []);
    for (const [i, answer] of answers.entries()) traces[i].receive(answer, (found) => (traces[i].statistics = found));
  }

  private async askFiguresNow(): Promise<void> {
    const { plots, window, pixels, worker } = this.page;
    for (const pane of plots.panes) {
      const { kind, traces, size } = pane;
      const requests = this.page.requests(traces);
      const [image, figure] = await Promise.all([
        kind === 'spectrogram' ? worker.spectrogram(requests[0], window.from, window.to, pixels) : null,
        isFigure(kind) ? worker.figure(kind, requests, window.from, window.to, size.width, size.height) : null,
      ]).catch(() => [null, null]);
      // its kind may have changed meanwhile
      if (pane.kind !== kind) continue;
      pane.image = image;
      pane.figure = figure;
    }
  }

  private async askValuesNow(): Promise<void> {
    const { cursor, pointer, worker, plots } = this.page;
    const { traces } = plots;
    const requests = this.page.requests(traces);
    const [values, pointed] = await Promise.all(
      [cursor, pointer].map((time) => (time === null ? [] : worker.values(requests, time).catch(() => []))),
    );
    for (const [i, trace] of traces.entries()) {
      if (values[i]) trace.receive(values[i], (value) => (trace.value = value));
      if (pointed[i]) trace.receive(pointed[i], (value) => (trace.pointed = value));
    }
  }
}

/** Plots draw in the next frame, which is on the screen when the one after it begins. */
function afterNextFrame(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}
