import { flushSync } from 'svelte';
import type { LogPage } from './page.svelte.ts';

interface KeyActions {
  readonly toggleHelp: () => void;
  readonly showFields: () => void;
}

/** Every key of the page, and what it does. */
export const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['/', 'search fields'],
  ['f', 'show all'],
  ['z', 'zoom back'],
  ['+ −', 'zoom in, zoom out'],
  ['← →', 'move'],
  ['[ ]', 'previous, next event'],
  ['space', 'play, pause'],
  ['m', 'mode bands'],
  ['e', 'event lines'],
  ['d', 'measure between two times'],
  ['x', 'time base: start, boot, arming, UTC, local, GPS, log'],
  ['?', 'this help'],
];

/** Share of the window that an arrow moves. */
const STEP = 0.15;

export function handleKey(event: KeyboardEvent, page: LogPage, actions: KeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement | null;
  if (target?.closest('input, textarea, select')) return;
  const isOnControl = target?.closest('button, [role="tab"], [role="slider"], [role="grid"], summary') !== null;
  if (isOnControl && (event.key.startsWith('Arrow') || event.key === ' ')) return;
  const middle = page.cursor ?? (page.window.from + page.window.to) / 2;
  const length = page.window.to - page.window.from;
  const does: Record<string, () => void> = {
    '/': () => {
      actions.showFields();
      // at once, or the next key would go elsewhere
      flushSync();
      document.getElementById('field-search')?.focus();
    },
    '?': actions.toggleHelp,
    f: () => page.fit(),
    z: () => page.goBack(),
    '+': () => page.zoom(middle, 0.7),
    '=': () => page.zoom(middle, 0.7),
    '-': () => page.zoom(middle, 1 / 0.7),
    ArrowLeft: () => page.pan(-length * STEP),
    ArrowRight: () => page.pan(length * STEP),
    '[': () => stepEvent(page, -1),
    ']': () => stepEvent(page, 1),
    ' ': () => page.player.toggle(),
    m: () => (page.showModes = !page.showModes),
    e: () => (page.showEvents = !page.showEvents),
    d: () => page.ruler.toggle(),
    x: () => page.setBase(page.bases[(page.bases.indexOf(page.base) + 1) % page.bases.length]),
  };
  const act = Object.hasOwn(does, event.key) ? does[event.key] : undefined;
  if (!act) return;
  event.preventDefault();
  act();
}

function stepEvent(page: LogPage, step: 1 | -1): void {
  const now = page.cursor ?? page.window.from;
  const times = page.marks.map(({ time }) => time).sort((a, b) => a - b);
  const next = step > 0 ? times.find((time) => time > now) : times.findLast((time) => time < now);
  if (next !== undefined) page.goTo(next);
}
