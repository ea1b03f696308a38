import { describe, expect, test } from 'vitest';
import { HOSTILE_LOGS, hostileLog } from '../helpers/hostile-logs.ts';
import { brokenAnswer } from './behind.ts';
import { Random } from './random.ts';

const FIRST_SEED = Number(process.env.SKEIN_SEED ?? 20_261_118);
/** One log in so many has records of the whole flight; the others take a twentieth of its time. */
const WHOLE = 125;
/** One of so many others is answered twice, and gets one of the answers that take longest. */
const TWICE = 10;
const DEAR = 49;

/** Hostile logs of every format, each of which must be answered, and twice the same. */
export function behindSuite(inputs: number): void {
  describe.each(HOSTILE_LOGS)('$format.name', (logs) => {
    test(`${inputs} hostile logs are answered, twice the same`, { timeout: 24 * 3_600_000 }, async () => {
      // the first seed of each thing that broke
      const broken = new Map<string, string>();
      for (let seed = FIRST_SEED; seed < FIRST_SEED + inputs; seed++) {
        const isWhole = seed % WHOLE === 0;
        const asked = { seed, isWhole, isTwice: isWhole || seed % TWICE === 0, isDear: isWhole || seed % DEAR === 0 };
        const said = await brokenAnswer(hostileLog(new Random(seed), logs, isWhole), logs.format, asked);
        const kind = said?.replace(/\d+/g, '0');
        if (said !== undefined && kind && !broken.has(kind)) broken.set(kind, `seed ${seed}: ${said}`);
      }
      expect([...broken.values()]).toEqual([]);
    });
  });
}
