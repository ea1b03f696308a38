import { flushSync } from 'svelte';
import type { LivePage } from './page.svelte.ts';

/** What keys do beside what the page itself can. */
interface Reach {
  readonly toggleLinks: () => void;
  readonly toggleAlerts: () => void;
  readonly toggleHelp: () => void;
  readonly inspect: () => void;
  readonly close: () => void;
}

export function handleLiveKey(event: KeyboardEvent, page: LivePage, reach: Reach): void {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === 'Escape') {
    reach.close();
    return;
  }
  // not while the help is open
  if (document.querySelector('dialog[open]')) return;
  if (target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]')) return;
  // a button that has the focus is pressed by the space bar
  if (key === ' ' && target instanceof HTMLElement && target.closest('button, a, summary')) return;
  const digit = /^[1-9]$/.test(key) ? page.vehicles[Number(key) - 1] : undefined;
  if (digit) page.look(digit.id);
  else if (key === 'v') {
    if (page.isFleet) page.look(page.focus);
    else page.showFleet();
  } else if (key === ' ') page.pause();
  else if (key === 'm') page.mark('mark');
  else if (key === 'l') reach.toggleLinks();
  else if (key === 'a') reach.toggleAlerts();
  else if (key === '?') reach.toggleHelp();
  else if (key === '/') {
    // at once: what is typed next goes into the box
    flushSync(reach.inspect);
    document.getElementById('find-message')?.focus();
  } else return;
  event.preventDefault();
}
