import { flushSync } from 'svelte';
import type { LivePage } from './page.svelte.ts';

export function handleLiveKey(event: KeyboardEvent, page: LivePage): void {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === 'Escape') {
    Object.assign(page.shows, { links: false, alerts: false, help: false });
    return;
  }
  // not while the help is open
  if (document.querySelector('dialog[open]')) return;
  if (target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]')) return;
  // a button that has the focus is pressed by the space bar
  if (key === ' ' && target instanceof HTMLElement && target.closest('button, a, summary')) return;
  const digit = /^[1-9]$/.test(key) ? page.vehicles[Number(key) - 1] : undefined;
  if (digit) page.lookAt(digit.id);
  else if (key === 'v') {
    if (page.isFleet) page.lookAt(page.focus);
    else page.showFleet();
  } else if (key === ' ') page.pause();
  else if (key === 'm') page.mark('mark');
  else if (key === 'l') page.shows.links = !page.shows.links;
  else if (key === 'a') page.shows.alerts = !page.shows.alerts;
  else if (key === '?') page.shows.help = !page.shows.help;
  else if (key === '/') {
    // at once: what is typed next goes into the box
    flushSync(() => page.arrangement.choose('inspector'));
    document.getElementById('find-message')?.focus();
  } else return;
  event.preventDefault();
}
