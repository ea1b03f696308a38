import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../folder.ts';
import { Random } from '../suite/random.ts';
import { killWhileRecording } from './kill.ts';

const folder = temporaryFolder();
const KILLS = 300;

test(`killed ${KILLS} times while recording`, async () => {
  const random = new Random(300);
  for (let i = 0; i < KILLS; i++) {
    const place = join(folder, String(i));
    const { found, promised } = await killWhileRecording(place, random.below(400), i % 2 === 0 ? 1 << 30 : 20_000);
    expect(found).toBeGreaterThanOrEqual(promised);
    rmSync(place, { recursive: true });
  }
});
