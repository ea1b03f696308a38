// Pages in a real browser, as a person has them before them: Debian's Chromium, driven by Playwright.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { SKEIN } from '../helpers/cli.ts';

export const CHROMIUM = 'chromium';
/** What a browser says of a map that it puts into a page by the processor. */
const COMPOSED = /GPU stall due to ReadPixels/;

/**
 * Without a graphics card maps are drawn by the processor, and all else of a page without WebGL: a quarter of the time that
 * it takes where all goes through it.
 */
export function startBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-compositing'];
  return chromium.launch({ executablePath: `/usr/bin/${CHROMIUM}`, args });
}

/** `skein view` as a user starts it. */
export interface Viewing {
  /** The address that was printed. */
  readonly address: string;
  /** Ends it as Ctrl-C does, and says how it ended. */
  close(): Promise<number | null>;
}

export async function startView(...files: string[]): Promise<Viewing> {
  const child = spawn(process.execPath, [SKEIN, 'view', ...files, '--no-open', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exit = once(child, 'exit');
  const [line] = await Promise.race([once(child.stdout, 'data'), exit]);
  const { address } = JSON.parse(String(line)) as { address: string };
  return {
    address,
    async close() {
      child.kill('SIGINT');
      return (await exit)[0] as number | null;
    },
  };
}

/** A page with what went wrong in it, and where it asked for anything. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors, refusals of the content policy, and dialogs: none of them may come. */
  readonly troubles: readonly string[];
  readonly requests: readonly string[];
}

/** Pages open too narrow for a map: drawing it without a graphics card takes most of the time of a test. */
export async function openPage(
  browser: Browser,
  address: string,
  viewport = { width: 1180, height: 800 },
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport, acceptDownloads: true });
  const page = await context.newPage();
  const troubles: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => {
    if ((message.type() === 'error' || message.type() === 'warning') && !COMPOSED.test(message.text()))
      troubles.push(message.text());
  });
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => requests.push(request.url()));
  page.setDefaultTimeout(20_000);
  await page.goto(address);
  return { page, context, troubles, requests };
}

/** A browser without WebGL: a map that is drawn without a graphics card takes all the time that there is. */
export function withoutMaps(): void {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
    return kind.startsWith('webgl') ? null : (getContext as (...args: unknown[]) => unknown).call(this, kind, ...rest);
  } as typeof getContext;
}
