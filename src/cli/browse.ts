import { spawn } from 'node:child_process';

/** The program that opens an address, by system. */
const OPENERS: Readonly<Record<string, readonly [command: string, ...words: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
};

/** Shows an address in the user's browser, where there is one. It may fail: the address was printed. */
export function browse(address: string): void {
  const [command, ...words] = OPENERS[process.platform] ?? OPENERS.linux;
  const hasScreen = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (!hasScreen) return;
  // no shell: the address is an argument, whatever it holds
  const child = spawn(command, [...words, address], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
