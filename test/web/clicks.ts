import type { Page } from 'playwright-core';
import { Random } from '../suite/random.ts';

/** What a person acts upon without leaving the page. */
const CONTROLS =
  'button, select, summary, input:not([type=file]), textarea, [role=tab], [role=slider], [role=option], canvas, .u-over';
/** Clicks of which a browser believes that a person did them, when they come in one call. */
const AT_ONCE = 25;

/**
 * Clicks so many times on what is seen of a page, by chance but always the same; faster than anybody can, so that each
 * comes while the page still does what the one before asked for. Files that it wants are not given.
 * @param spared what is not clicked on, as a selector
 */
export async function clickAround(page: Page, count: number, seed: number, spared = 'a'): Promise<void> {
  const random = new Random(seed);
  const ignored = (): void => undefined;
  page.on('filechooser', ignored);
  for (let done = 0; done < count; done += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - done) }, () => [random.bits(), random.bits()]);
    await page.evaluate(click, { controls: CONTROLS, spared, numbers });
  }
  page.off('filechooser', ignored);
}

/** In the page: a click for each two random numbers, with a frame after every fifth. */
async function click({ controls, spared, numbers }: { controls: string; spared: string; numbers: number[][] }) {
  const isSeen = (each: HTMLElement): boolean => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    return isInside && right > left && bottom > top && each.checkVisibility();
  };
  // a pointer of a script cannot be held
  Element.prototype.setPointerCapture = () => undefined;
  for (const [i, [which, where]] of numbers.entries()) {
    const found = [...document.querySelectorAll<HTMLElement>(controls)].filter(
      (each) => !each.matches(':disabled') && each.closest(spared) === null && isSeen(each),
    );
    const chosen = found[which % found.length];
    if (chosen instanceof HTMLSelectElement) {
      chosen.selectedIndex = where % chosen.options.length;
      chosen.dispatchEvent(new Event('change', { bubbles: true }));
    } else if (chosen) {
      const { left, top, width, height } = chosen.getBoundingClientRect();
      const share = (where % 1000) / 1000;
      const place = { clientX: left + width * share, clientY: top + height * (1 - share) };
      const event = { ...place, bubbles: true, cancelable: true, isPrimary: true, button: 0, pointerType: 'mouse' };
      for (const name of ['pointermove', 'pointerdown', 'pointerup'])
        chosen.dispatchEvent(new PointerEvent(name, event));
      chosen.focus();
      chosen.click();
    }
    await new Promise((next) => (i % 5 === 0 ? requestAnimationFrame(next) : setTimeout(next)));
  }
}
