// Whether a page can be used without a mouse and without eyes, as the browser itself and axe-core see it.
import type { RunOptions } from 'axe-core';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What a person acts upon. */
const CONTROLS: ReadonlySet<string> = new Set([
  ...['button', 'checkbox', 'combobox', 'link', 'menuitem', 'radio', 'searchbox', 'slider', 'spinbutton', 'switch'],
  ...['tab', 'textbox', 'separator'],
]);

interface AxNode {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[];
}

/** Everything that is wrong with a page as it stands, one sentence each; and how many controls there are. */
export async function audit(page: Page): Promise<{ readonly controls: number; readonly wrong: readonly string[] }> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: AxNode[] };
  await session.detach();
  const wrong: string[] = [];
  const seen = nodes.filter(({ ignored }) => !ignored);
  const controls = seen.filter(({ role }) => CONTROLS.has(role?.value ?? ''));
  for (const { role, name, properties = [] } of controls) {
    const has = (property: string): boolean =>
      properties.some((each) => each.name === property && each.value.value === true);
    const text = name?.value.trim() ?? '';
    if (role?.value !== 'separator' && !has('focusable') && !has('disabled'))
      wrong.push(`the ${role?.value} "${text}" cannot be reached by keyboard`);
  }
  const banners = seen.filter(({ role }) => role?.value === 'banner').length;
  if (banners !== 1) wrong.push(`there are ${banners} banners`);
  return {
    controls: controls.length,
    wrong: [...wrong, ...(await page.evaluate(domFaults)), ...(await axeFaults(page))],
  };
}

interface AxePage {
  run(options: RunOptions): Promise<{ violations: { id: string; help: string; nodes: { target: unknown[] }[] }[] }>;
}

/** What axe-core finds: each rule with the elements that break it. */
async function axeFaults(page: Page): Promise<string[]> {
  // evaluated by the browser itself, for the page's own policy takes no script from elsewhere
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: AxePage }).axe.run({
      resultTypes: ['violations'],
      // what a finger must hit is not asked for by default
      rules: { 'target-size': { enabled: true } },
    });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target).join(', ')}`);
  });
}

/** In the page: what the tree of accessibility does not tell. */
function domFaults(): string[] {
  const wrong: string[] = [];
  const nameOf = (element: Element): string =>
    `${element.localName} "${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}"`;
  const ids = new Set<string>();
  for (const element of document.querySelectorAll<HTMLElement>('*')) {
    if (element.id !== '' && ids.has(element.id)) wrong.push(`two elements have the id ${element.id}`);
    if (element.id !== '') ids.add(element.id);
  }
  // who comes by keyboard must see where he is
  const before = document.activeElement;
  for (const element of document.querySelectorAll<HTMLElement>(
    'a[href], button, input, select, textarea, [tabindex]',
  )) {
    if (element.tabIndex < 0 || !element.checkVisibility() || element.matches(':disabled')) continue;
    element.focus({ focusVisible: true, preventScroll: true } as FocusOptions);
    if (document.activeElement !== element) continue;
    // what is too small to be seen may show its focus around its label
    const shown = [element, element.closest('label')].some((each) => {
      const { outlineStyle, outlineWidth, opacity } = getComputedStyle(each ?? element);
      return each !== null && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1 && opacity !== '0';
    });
    if (!shown) wrong.push(`${nameOf(element)} does not show that it has the focus`);
  }
  (before instanceof HTMLElement ? before : document.body).focus({ preventScroll: true });
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    const moving = document.getAnimations().filter(({ playState }) => playState === 'running');
    for (const animation of moving) wrong.push(`${animation.id || 'something'} moves though stillness was asked for`);
  }
  return [...new Set(wrong)];
}

/** Phone, desk, and the largest screens. */
const WIDTHS = [390, 1440, 2560];

/** What axe-core finds in light and dark at three widths; the page is left dark, and as wide as it was. */
export async function auditAll(page: Page): Promise<readonly string[]> {
  const before = page.viewportSize();
  const wrong: string[] = [];
  for (const theme of ['light', 'dark']) {
    await page.getByLabel('Theme').selectOption(theme);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const each of await axeFaults(page)) wrong.push(`${theme} at ${width}: ${each}`);
    }
  }
  if (before) await page.setViewportSize(before);
  return wrong;
}

/** Presses Tab so many times: where the focus came, each once. */
export async function tabThrough(page: Page, times: number): Promise<number> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
  });
  const places = new Set<string>();
  for (let k = 0; k < times; k++) {
    await page.keyboard.press('Tab');
    places.add(
      await page.evaluate(() => {
        const all = [...document.querySelectorAll('*')];
        return String(document.activeElement ? all.indexOf(document.activeElement) : -1);
      }),
    );
  }
  return places.size;
}
