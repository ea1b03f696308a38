import { sixDigits } from './contrast.ts';

/** The colours of the theme, for what is drawn on a canvas. */
export interface Palette {
  readonly back: string;
  readonly panel: string;
  readonly line: string;
  readonly text: string;
  readonly dim: string;
  readonly accent: string;
  readonly grid: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
  readonly isDark: boolean;
}

/** What a page without the theme's style sheet looks like. */
const FALLBACK: Palette = {
  back: '#0d1117',
  panel: '#141a22',
  line: '#2a3441',
  text: '#e8edf4',
  dim: '#9aa7b8',
  accent: '#35b8d6',
  grid: '#222b37',
  good: '#3fb97f',
  warn: '#ffb224',
  bad: '#ff6369',
  isDark: true,
};

/** The font of everything that is drawn, as the pages have it. */
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colors = Object.entries(FALLBACK).map(([name, color]) => [
    name,
    sixDigits(style.getPropertyValue(`--${name}`).trim()) || color,
  ]);
  return { ...(Object.fromEntries(colors) as Palette), isDark: !style.colorScheme.includes('light') };
}

/** Calls back when the theme changes; returns a function that ends this. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** A colour with another opacity; only colours of six digits are known. */
export function faded(color: string, opacity: number): string {
  const alpha = Math.round(Math.max(0, Math.min(1, opacity)) * 255);
  return /^#[0-9a-f]{6}$/i.test(color) ? color + alpha.toString(16).padStart(2, '0') : color;
}

/** Whether the user asks for reduced motion. */
export function prefersStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
