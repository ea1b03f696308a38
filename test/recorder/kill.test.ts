import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../folder.ts';
import { Random } from '../suite/random.ts';
import { killWhileRecording } from './kill.ts';

const folder = temporaryFolder();
const KILLS = 30;

test(`killed ${KILLS} times while recording: every frame that was acknowledged is there, every file opens`, async () => {
  const random = new Random(6);
  let files = 0;
  let promised = 0;
  for (let i = 0; i < KILLS; i++) {
    // small files in half of the runs, so that some are killed between two files
    const killed = await killWhileRecording(join(folder, String(i)), random.below(120), i % 2 === 0 ? 1 << 30 : 20_000);
    expect(killed.found).toBeGreaterThanOrEqual(killed.promised);
    files += killed.files;
    promised += killed.promised;
  }
  expect(promised).toBeGreaterThan(KILLS * 50);
  expect(files).toBeGreaterThan(KILLS);
});
