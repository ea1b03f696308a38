import { describe, expect, test } from 'vitest';
import { HOSTILE_LOGS, hostileLog } from '../helpers/hostile-logs.ts';
import { brokenAnswer } from './behind.ts';
import { Random } from './random.ts';

const FIRST_SEED = Number(process.env.SKEIN_SEED ?? 20_261_118);

/** Hostile logs of every format, each of which must be answered, twice the same. */
export function behindSuite(inputs: number): void {
  describe.each(HOSTILE_LOGS)('$format.name', (logs) => {
    test(`${inputs} hostile logs are answered, twice the same`, async () => {
      // the first seed of each thing that broke
      const broken = new Map<string, string>();
      for (let seed = FIRST_SEED; seed < FIRST_SEED + inputs; seed++) {
        const said = await brokenAnswer(hostileLog(new Random(seed), logs), logs.format, seed);
        const kind = said?.replace(/\d+/g, '0');
        if (said !== undefined && kind && !broken.has(kind)) broken.set(kind, `seed ${seed}: ${said}`);
      }
      expect([...broken.values()]).toEqual([]);
    });
  });
}
