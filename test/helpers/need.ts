import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';

/** What vitest's `describe` and `test` have in common. */
export type Block = (title: string, body: () => void | Promise<void>) => void;

/** The path of something in the data that is too large, or not ours, to stand in the repository. */
export function sharedData(...parts: string[]): string {
  const root = process.env.SKEIN_DATA || fileURLToPath(new URL('../../../shared/data', import.meta.url));
  return join(root, ...parts);
}

/**
 * `needShared(describe, 'pcap')('captures', () => ...)` is `describe('captures', ...)` where the shared data holds
 * `pcap`. Elsewhere one skipped test stands in its place and says why, or, under CI, one that fails.
 */
export function needShared(block: Block, ...parts: string[]): Block {
  const path = sharedData(...parts);
  const name = ['../shared/data', ...parts].join('/');
  return need(block, existsSync(path), `no ${name}; SKEIN_DATA may say where the data is`);
}

/** `needCommand('chromium')('pages', () => ...)`: the same for a program on the PATH. */
export function needCommand(command: string, block: Block = describe): Block {
  return need(block, hasCommand(command), `no command ${command}`);
}

/** The same for anything else; `reason` is shown where it is absent. */
export function need(block: Block, present: boolean, reason: string): Block {
  if (present) return block;
  // The body is not even called: it may read what is absent in order to make its tests.
  return (title) => {
    if (process.env.CI) {
      test(title, () => {
        throw new Error(`${reason}, and under CI nothing may be absent`);
      });
    } else {
      test.skip(`${title} (skipped: ${reason})`);
    }
  };
}

function hasCommand(command: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
