export const THEMES = ['dark', 'light', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT = 'skein-theme';

/** The theme of last time, dark where there was none. A page that may not keep anything starts dark. */
export function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEPT);
    return THEMES.find((theme) => theme === kept) ?? 'dark';
  } catch {
    return 'dark';
  }
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  colors.clear();
  try {
    localStorage.setItem(KEPT, theme);
  } catch {
    // it holds for this visit only
  }
}

/** Colours that were asked for: to look one up costs as much as to draw a plot. */
const colors = new Map<string, string>();

/** A colour of the theme, for what is drawn on a canvas: '--grid'. */
export function themeColor(name: string): string {
  const known = colors.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  colors.set(name, known);
  return known;
}
