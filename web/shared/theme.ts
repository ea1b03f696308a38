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
  try {
    localStorage.setItem(KEPT, theme);
  } catch {
    // it holds for this visit only
  }
}

/** A colour of the theme, for what is drawn on a canvas: '--grid'. */
export function themeColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
