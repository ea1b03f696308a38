import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLog } from '../../src/entry/index.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { many } from '../helpers/long.ts';
import { Random } from '../suite/random.ts';

const PAGE = 4096;
const ROUNDS = many(40, 10);

test(`the power fails: what was on the disk is read, whatever became of the pages behind it, ${ROUNDS} times`, async () => {
  const whole = readFileSync(SAMPLE.replace(/\.BIN$/, '.tlog')).subarray(0, 300_000);
  const random = new Random(4);
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = new Uint8Array(whole.subarray(0, 150_000 + random.below(150_000)));
    const synced = random.between(1000, bytes.length);
    // of the pages that were not yet on the disk, some are there, some are zeros, and the file may be shorter
    for (let page = Math.ceil(synced / PAGE); page * PAGE < bytes.length; page++) {
      if (random.chance(0.5)) bytes.fill(0, page * PAGE, (page + 1) * PAGE);
    }
    const end = random.chance(0.3) ? Math.max(synced, bytes.length - random.below(PAGE * 4)) : bytes.length;
    const log = await openLog(bytes.subarray(0, end));
    expect(log.format).toBe('tlog');
    const intact = await openLog(whole.subarray(0, synced));
    for (const table of intact.tables) {
      const found = log.table(table.name, table.stream);
      expect(found?.rows).toBeGreaterThanOrEqual(table.rows);
      for (let row = 0; row < table.rows; row += 7) expect(found?.offsets.at(row)).toBe(table.offsets.at(row));
    }
  }
});
