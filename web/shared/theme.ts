import { keep, recall } from './kept.ts';

export const THEMES = ['dark', 'light', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

/** Colours of lines, bands and signs: the usual ones among pilots, or the colour-blind safe ones. */
const COLOR_SETS = ['usual', 'safe'] as const;
export type ColorSet = (typeof COLOR_SETS)[number];

const KEPT = 'skein-theme';
const KEPT_COLORS = 'skein-colors';

/** The theme of last time, dark where there was none. A page that may not keep anything starts dark. */
export function keptTheme(): Theme {
  const kept = recall(KEPT);
  return THEMES.find((theme) => theme === kept) ?? 'dark';
}

export function keptColors(): ColorSet {
  const kept = recall(KEPT_COLORS);
  return COLOR_SETS.find((set) => set === kept) ?? 'usual';
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  colors.clear();
  keep(KEPT, theme);
}

export function setColors(set: ColorSet): void {
  document.documentElement.dataset.colors = set;
  colors.clear();
  keep(KEPT_COLORS, set);
}

/** Colours that were asked for: to look one up costs as much as to draw a plot. */
const colors = new Map<string, string>();

/** A colour of the theme, for what is drawn on a canvas: '--grid'. */
export function themeColor(name: string): string {
  const known = colors.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  colors.set(name, known);
  return known;
}
