import { sixDigits } from './contrast.ts';

const NAMES = ['back', 'panel', 'line', 'text', 'dim', 'accent', 'grid', 'good', 'warn', 'bad'] as const;

/** The colours of the theme, for what is drawn on a canvas. */
export interface Palette extends Readonly<Record<(typeof NAMES)[number], string>> {
  readonly isDark: boolean;
}

/** The font of everything that is drawn, as the pages have it. */
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colors = NAMES.map((name) => [name, sixDigits(style.getPropertyValue(`--${name}`).trim())]);
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
