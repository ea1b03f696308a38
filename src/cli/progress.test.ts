import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Progress } from './progress.ts';

describe('the bar', () => {
  const { isTTY, write } = process.stderr;
  let printed = '';
  let now = 0;

  beforeEach(() => {
    printed = '';
    now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    process.stderr.write = ((piece: string) => {
      printed += piece;
      return true;
    }) as typeof write;
  });

  afterEach(() => {
    vi.restoreAllMocks();
    process.stderr.write = write;
    process.stderr.isTTY = isTTY;
  });

  /** Reads so long, and tells of it twice; the bar is loaded in between. */
  async function readFor(milliseconds: number): Promise<Progress> {
    const progress = new Progress('reading');
    now = milliseconds;
    progress.update(40, 100);
    await import('cli-progress');
    await new Promise((resolve) => setImmediate(resolve));
    progress.update(60, 100);
    return progress;
  }

  test('comes on a terminal for what takes longer than a second, and goes when it is over', async () => {
    process.stderr.isTTY = true;
    const progress = await readFor(1001);
    expect(printed).toContain('reading');
    progress.stop();
    const before = printed;
    progress.update(100, 100);
    await new Promise((resolve) => setImmediate(resolve));
    expect(printed).toBe(before);
  });

  test('gives the cursor back at a signal, which does what it does without a bar', async () => {
    process.stderr.isTTY = true;
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const heard = process.listeners('SIGINT');
    process.removeAllListeners('SIGINT');
    await readFor(1001);
    expect(printed).not.toContain('\x1b[?25h');
    process.emit('SIGINT', 'SIGINT');
    expect(printed).toContain('\x1b[?25h');
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGINT']]);
    for (const listener of heard) process.on('SIGINT', listener);
  });

  test('does not come for what is done sooner', async () => {
    process.stderr.isTTY = true;
    (await readFor(999)).stop();
    expect(printed).toBe('');
  });

  test('does not come where nobody would see it', async () => {
    process.stderr.isTTY = false;
    (await readFor(5000)).stop();
    expect(printed).toBe('');
  });

  test('does not come when all is read before it is there', async () => {
    process.stderr.isTTY = true;
    const progress = new Progress('reading');
    now = 2000;
    progress.update(40, 100);
    progress.stop();
    await import('cli-progress');
    await new Promise((resolve) => setImmediate(resolve));
    expect(printed).toBe('');
  });
});
