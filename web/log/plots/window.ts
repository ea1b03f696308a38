import type { PlotWindow } from '../../shared/plot/time-plot.ts';

/** The least that is shown: below it doubles of UTC in microseconds have too few digits. */
const SHORTEST = 20;
/** Room that may be shown beside all there is, as a part of it. */
const BESIDE = 0.02;

export function zoomed({ from, to }: PlotWindow, about: number, factor: number, all: PlotWindow): PlotWindow {
  return within({ from: about + (from - about) * factor, to: about + (to - about) * factor }, all);
}

export function moved({ from, to }: PlotWindow, by: number, all: PlotWindow): PlotWindow {
  return within({ from: from + by, to: to + by }, all);
}

/** The same length, moved to where there is something; cut to all there is where it is longer. */
export function within({ from, to }: PlotWindow, all: PlotWindow): PlotWindow {
  const room = (all.to - all.from) * BESIDE;
  const [least, most] = [all.from - room, all.to + room];
  const length = Math.max(SHORTEST, to - from);
  if (!(length < most - least)) return all;
  const begin = Math.min(Math.max(from, least), most - length);
  return { from: begin, to: begin + length };
}
