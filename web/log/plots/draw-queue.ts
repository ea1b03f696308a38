import type { LogPage } from '../page.svelte.ts';
import { isFigure } from './pane-kinds.ts';

/** Milliseconds without a change after which slower answers are requested. */
const SETTLED = 180;

/** Asks the worker for what the page shows. While an answer is awaited, only the newest request is kept. */
export class DrawQueue {
  private readonly page: LogPage;
  private readonly onFirst: () => void;
  private readonly onSettled: () => void;
  private isDrawing = false;
  private isStale = false;
  private isAsking = false;
  private isFiguring = false;
  private hasOtherFigures = false;
  private hasDrawn = false;
  private readonly resting: (() => void)[] = [];
  private settling: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param onFirst called once, when the first lines are on the screen
   * @param onSettled called when nothing changed for a moment
   */
  constructor(page: LogPage, onFirst: () => void, onSettled: () => void) {
    this.page = page;
    this.onFirst = onFirst;
    this.onSettled = onSettled;
  }

  /** Requests the lines of what is shown now. */
  redraw(): void {
    this.isStale = true;
    if (!this.isDrawing) void this.draw();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => void this.settle(), SETTLED);
  }

  private async draw(): Promise<void> {
    this.isDrawing = true;
    while (this.isStale) {
      this.isStale = false;
      const { plots, window, pixels, worker } = this.page;
      const traces = plots.panes.filter(({ kind }) => kind === 'time').flatMap((pane) => pane.traces);
      const answers = await worker.draw(this.page.requests(traces), window.from, window.to, pixels).catch(() => []);
      for (const [i, answer] of answers.entries()) traces[i].receive(answer, (drawn) => (traces[i].drawn = drawn));
      if (answers.length > 0 && !this.hasDrawn) afterNextFrame(this.onFirst);
      this.hasDrawn ||= answers.length > 0;
    }
    this.isDrawing = false;
    for (const resolve of this.resting.splice(0)) resolve();
  }

  /** Waits until all lines are drawn, so that slow requests come after them. */
  async rest(): Promise<void> {
    if (this.isDrawing) await new Promise<void>((resolve) => this.resting.push(resolve));
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

  /** Requests the panes whose axis is not the time: these depend on all samples of the window. */
  private async askFigures(): Promise<void> {
    this.hasOtherFigures = true;
    if (this.isFiguring) return;
    this.isFiguring = true;
    while (this.hasOtherFigures) {
      this.hasOtherFigures = false;
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
    this.isFiguring = false;
  }

  /** Requests the values at the cursor. */
  async askValues(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    let asked: number | null = Number.NaN;
    while (asked !== this.page.cursor) {
      const { cursor, worker, plots } = this.page;
      const { traces } = plots;
      asked = cursor;
      if (cursor === null) break;
      const answers = await worker.values(this.page.requests(traces), cursor).catch(() => []);
      for (const [i, answer] of answers.entries()) traces[i].receive(answer, (value) => (traces[i].value = value));
    }
    this.isAsking = false;
  }
}

/** Plots draw in the next frame, which is on the screen when the one after it begins. */
function afterNextFrame(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}
