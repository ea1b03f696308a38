import type { LogPage } from '../page.svelte.ts';
import { isFigure } from './pane-kinds.ts';

/** Milliseconds after which a hand counts as resting. */
const SETTLED = 180;

/** Asks the worker for what a page shows. While an answer is under way the newest wish waits, all others are moot. */
export class Asker {
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
   * @param onSettled called whenever the hand rests
   */
  constructor(page: LogPage, onFirst: () => void, onSettled: () => void) {
    this.page = page;
    this.onFirst = onFirst;
    this.onSettled = onSettled;
  }

  /** Asks for the lines of what is shown now. */
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
      const { panes, window, pixels, worker } = this.page;
      const traces = panes.filter(({ kind }) => kind === 'time').flatMap((pane) => pane.traces);
      const answers = await worker.draw(this.page.requests(traces), window.from, window.to, pixels).catch(() => []);
      for (const [i, answer] of answers.entries()) traces[i].take(answer, (drawn) => (traces[i].drawn = drawn));
      if (answers.length > 0 && !this.hasDrawn) afterNextFrame(this.onFirst);
      this.hasDrawn ||= answers.length > 0;
    }
    this.isDrawing = false;
    for (const resolve of this.resting.splice(0)) resolve();
  }

  /** Waits until all that is shown has its lines: nothing that takes long may come before them. */
  async rest(): Promise<void> {
    if (this.isDrawing) await new Promise<void>((resolve) => this.resting.push(resolve));
  }

  /** What is worth its time only once the hand rests. */
  private async settle(): Promise<void> {
    this.onSettled();
    void this.askValues();
    void this.askFigures();
    void this.page.ruler.ask();
    const { traces, window, worker } = this.page;
    const answers = await worker.statistics(this.page.requests(traces), window.from, window.to).catch(() => []);
    for (const [i, answer] of answers.entries()) traces[i].take(answer, (found) => (traces[i].statistics = found));
  }

  /** Asks for panes whose axis is not the time: these take longer, and change with all of the window. */
  private async askFigures(): Promise<void> {
    this.hasOtherFigures = true;
    if (this.isFiguring) return;
    this.isFiguring = true;
    while (this.hasOtherFigures) {
      this.hasOtherFigures = false;
      const { panes, window, pixels, worker } = this.page;
      for (const pane of panes) {
        const { kind, traces, size } = pane;
        const wanted = this.page.requests(traces);
        const [image, figure] = await Promise.all([
          kind === 'spectrogram' ? worker.spectrogram(wanted[0], window.from, window.to, pixels) : null,
          isFigure(kind) ? worker.figure(kind, wanted, window.from, window.to, size.width, size.height) : null,
        ]).catch(() => [null, null]);
        // it may have become another one meanwhile
        if (pane.kind !== kind) continue;
        pane.image = image;
        pane.figure = figure;
      }
    }
    this.isFiguring = false;
  }

  /** Asks for the values at the cursor. */
  async askValues(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    let asked: number | null = Number.NaN;
    while (asked !== this.page.cursor) {
      const { traces, cursor, worker } = this.page;
      asked = cursor;
      if (cursor === null) break;
      const answers = await worker.values(this.page.requests(traces), cursor).catch(() => []);
      for (const [i, answer] of answers.entries()) traces[i].take(answer, (value) => (traces[i].value = value));
    }
    this.isAsking = false;
  }
}

/** Plots draw in the next frame, which is on the screen before the one behind it begins. */
function afterNextFrame(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}
