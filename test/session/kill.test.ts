import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { many } from '../helpers/long.ts';
import { Random } from '../suite/random.ts';
import { killWhileRecording } from './kill.ts';

const folder = temporaryFolder();
const PROCESSES = many(30, 6);
const RECORDINGS = 10;

test(`${PROCESSES * RECORDINGS} recordings killed: every frame that was acknowledged is there, every file opens`, async () => {
  const random = new Random(6);
  let [files, promised, more, reads] = [0, 0, 0, 0];
  for (let i = 0; i < PROCESSES; i++) {
    const place = join(folder, String(i));
    const left = await killWhileRecording(place, random.below(120), RECORDINGS);
    reads += left.reads;
    for (const killed of left.killed) {
      expect(killed.found).toBeGreaterThanOrEqual(killed.promised);
      files += killed.files;
      promised += killed.promised;
      more += killed.found - killed.promised;
    }
    rmSync(place, { recursive: true });
  }
  // there was something to lose, in several files, and some of it was written but not yet promised
  expect(promised).toBeGreaterThan(PROCESSES * RECORDINGS * 20);
  expect(files).toBeGreaterThan(PROCESSES * RECORDINGS);
  expect(more).toBeGreaterThan(0);
  // the status file was whole whenever it was looked at
  expect(reads).toBeGreaterThan(PROCESSES * 10);
});
