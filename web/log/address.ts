import type { LogPage } from './page.svelte.ts';
import { within } from './plots/window.ts';
import { hashOf, NO_VIEW, type View, viewOf } from './view-hash.ts';

/** How many steps of this visit are before an address. */
type KeptState = { readonly step: number } | null;

const stepsBefore = (): number => (history.state as KeptState)?.step ?? 0;

/** The address of the page: it holds the view, and its history is what is undone. */
export class Address {
  private readonly page: LogPage;
  private wanted: View = viewOf(location.hash);
  /** What was shown of the last log when it was closed. */
  private last: View | null = null;
  /** The address, without parts that are not undo steps. */
  private kept = '';

  constructor(page: LogPage) {
    this.page = page;
    // the page may have replaced the address since
    window.addEventListener('hashchange', ({ newURL }) => this.restore(viewOf(new URL(newURL).hash)));
  }

  /** Microseconds by which the address moves a file. */
  shiftOf(place: number): number {
    return Math.round((this.wanted.shifts[place] ?? 0) * 1e6);
  }

  /** The last log was closed: the next one comes into the same view. */
  closed(): void {
    this.last = { ...this.view, window: null, at: null, shifts: [], compare: false };
  }

  /** Shows the first file as the address asks, or with the usual plots. */
  begin(): void {
    const { page, last } = this;
    if (last) this.wanted = page.plots.areKnown(last.panes, page.first) ? last : { ...last, panes: [] };
    this.last = null;
    const { wanted } = this;
    if (wanted.panes.length > 0 || wanted.window) this.restore(wanted);
    this.adopt(wanted);
    if (wanted.at !== null) page.setCursor(this.timeAt(wanted.at));
    // of the files that are still to come
    this.wanted = { ...NO_VIEW, shifts: wanted.shifts };
    const { summary, offset = 0 } = page.first ?? {};
    if (summary?.view && !wanted.window)
      page.window = within({ from: summary.view.start + offset, to: summary.view.end + offset }, page.all);
    if (page.plots.panes.length === 0) page.usualPlots();
    // what it begins with is not a step: Back leads to the page before
    this.kept = '';
    page.redraw();
  }

  private restore(view: View): void {
    const { page } = this;
    if (!page.first || hashOf(view) === hashOf(this.view)) return;
    this.adopt(view);
    for (const [i, file] of page.shownFirst.entries())
      file.offset = file.natural + Math.round((view.shifts[i] ?? 0) * 1e6);
    page.extend();
    page.window = view.window
      ? within({ from: this.timeAt(view.window[0]), to: this.timeAt(view.window[1]) }, page.all)
      : page.all;
    if (view.at !== null) page.setCursor(this.timeAt(view.at));
    // an address without plots says nothing of them, but for one of this visit
    if (view.panes.length > 0 || stepsBefore() > 0) page.plots.showPanes(view.panes);
    this.kept = hashOf(this.edited);
    page.redraw();
  }

  /** Takes over what does not depend on the files. */
  private adopt({ base, units, tab, coloring, video, columns, compare }: View): void {
    const { page } = this;
    page.chosenBase = base;
    page.units = units;
    page.tab = tab;
    page.coloring = coloring;
    page.videoBegin = video;
    page.plots.chosenColumns = columns;
    page.isComparing = compare;
  }

  /** Where the address counts from: the start of the log that the page is about. */
  private get zero(): number {
    const { summary, offset = 0 } = this.page.first ?? {};
    return (summary?.start ?? this.page.all.from - offset) + offset;
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
    const { page } = this;
    const { window, cursor, plots } = page;
    return {
      panes: plots.paneViews,
      window: page.isWhole ? null : [this.secondOf(window.from), this.secondOf(window.to)],
      at: cursor === null ? null : this.secondOf(cursor),
      shifts: page.shownFirst.map(({ offset, natural }) => (offset - natural) / 1e6),
      ...{ compare: page.isComparing, base: page.chosenBase, units: page.units, tab: page.tab },
      ...{ coloring: page.coloring, video: page.videoBegin, columns: plots.chosenColumns },
    };
  }

  /** What is undone and done again: all of the view but the cursor and the tab. */
  private get edited(): View {
    return { ...this.view, at: null, tab: '' };
  }

  undo(): void {
    this.page.queue.settleNow();
    if (stepsBefore() > 0) history.back();
  }

  redo(): void {
    history.forward();
  }

  /** Keeps the view in the address. What changed it is a step back for Ctrl+Z and the browser. */
  keep(): void {
    if (!this.page.first) return;
    const [edited, before] = [hashOf(this.edited), this.kept];
    const step = stepsBefore();
    const address = hashOf(this.view) || location.pathname + location.search;
    this.kept = edited;
    if (before !== '' && before !== edited) history.pushState({ step: step + 1 } satisfies KeptState, '', address);
    else history.replaceState({ step } satisfies KeptState, '', address);
  }
}
