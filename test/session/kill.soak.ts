import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { Random } from '../suite/random.ts';
import { killWhileRecording } from './kill.ts';

const folder = temporaryFolder();
const KILLS = 10_000;
/** Processes at a time. */
const TOGETHER = 4;

test(`killed ${KILLS} times while recording`, async () => {
  const random = new Random(300);
  let next = 0;
  const kill = async (): Promise<void> => {
    while (next < KILLS) {
      const place = join(folder, String(next++));
      const { killed } = await killWhileRecording(place, random.below(400), 2);
      for (const { found, promised } of killed) expect(found).toBeGreaterThanOrEqual(promised);
      rmSync(place, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, kill));
});
