import { flushSync } from 'svelte';
import type { LogPage } from './page.svelte.ts';

/** Every key of the page, and what it does. */
export const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['/', 'search fields'],
  ['f', 'show all'],
  ['z, Ctrl+Z', 'undo; Ctrl+Shift+Z or Ctrl+Y does it again'],
  ['+ −', 'zoom in, zoom out'],
  ['← →', 'cursor to the sample before, after; with Shift by a second'],
  ['Alt + ← →', 'move the window'],
  ['Esc', 'take the cursor away'],
  ['[ ]', 'previous, next event'],
  ['space', 'play, pause'],
  ['m', 'mode bands'],
  ['e', 'event lines'],
  ['c', 'plots in one, two or three columns'],
  ['d', 'measure between two times'],
  ['x', 'time base: start, boot, arming, UTC, local, GPS, log'],
  ['?', 'this help'],
];

/** Share of the window that an arrow with Alt moves. */
const STEP = 0.15;

export function handleKey(event: KeyboardEvent, page: LogPage): void {
  const target = event.target as HTMLElement | null;
  if (target?.closest('input:not([type=range], [type=checkbox]), textarea, select')) return;
  if (event.ctrlKey || event.metaKey) {
    undoKey(event, page);
    return;
  }
  if (event.altKey && !event.key.startsWith('Arrow')) return;
  const isOnControl = target?.closest('button, [role="tab"], [role="slider"], [role="grid"], summary') !== null;
  if (isOnControl && (event.key.startsWith('Arrow') || event.key === ' ')) return;
  const middle = page.cursor ?? (page.window.from + page.window.to) / 2;
  const does: Record<string, () => void> = {
    '/': () => {
      page.shows.fields = true;
      // at once, or the next key would go elsewhere
      flushSync();
      document.getElementById('field-search')?.focus();
    },
    '?': () => (page.shows.help = !page.shows.help),
    f: () => page.fit(),
    z: () => page.address.undo(),
    Escape: () => page.setCursor(null),
    '+': () => page.zoom(middle, 0.7),
    '=': () => page.zoom(middle, 0.7),
    '-': () => page.zoom(middle, 1 / 0.7),
    ArrowLeft: () => walk(event, page, -1),
    ArrowRight: () => walk(event, page, 1),
    '[': () => stepEvent(page, -1),
    ']': () => stepEvent(page, 1),
    ' ': () => page.player.toggle(),
    m: () => (page.showModes = !page.showModes),
    e: () => (page.showEvents = !page.showEvents),
    c: () => page.plots.nextColumns(),
    d: () => page.ruler.toggle(),
    x: () => page.setBase(page.bases[(page.bases.indexOf(page.base) + 1) % page.bases.length]),
  };
  const act = Object.hasOwn(does, event.key) ? does[event.key] : undefined;
  if (!act) return;
  event.preventDefault();
  act();
}

/** Undo and redo as other programs have them. */
function undoKey(event: KeyboardEvent, page: LogPage): void {
  const key = event.key.toLowerCase();
  const act = key === 'z' ? (event.shiftKey ? 'redo' : 'undo') : key === 'y' ? 'redo' : undefined;
  if (!act) return;
  event.preventDefault();
  page.address[act]();
}

function walk({ altKey, shiftKey }: KeyboardEvent, page: LogPage, by: 1 | -1): void {
  if (altKey) page.pan((page.window.to - page.window.from) * STEP * by);
  else if (shiftKey) page.goTo((page.cursor ?? page.window.from) + by * 1e6);
  else void page.step(by);
}

function stepEvent(page: LogPage, step: 1 | -1): void {
  const now = page.cursor ?? page.window.from;
  const times = page.marks.map(({ time }) => time).sort((a, b) => a - b);
  const next = step > 0 ? times.find((time) => time > now) : times.findLast((time) => time < now);
  if (next !== undefined) page.goTo(next);
}
