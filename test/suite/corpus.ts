import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decode, difference, uncovered } from './found.ts';
import { type FuzzOptions, randomCuts } from './fuzz.ts';
import { plainDifference, valueDifference } from './plain.ts';
import { Random } from './random.ts';
import { corpusFolder, filesIn } from './sample.ts';

/**
 * A test case is a file: every test/corpus/<format>/name.bin or name.log must give what name.json beside it says, in any chunking
 * and by the plain decoder. To add one, drop the file and run the tests with `-u`, which writes the expectation; a bug
 * that was found leaves its input here.
 */
export function corpusSuite({ format, reference }: Pick<FuzzOptions, 'format' | 'reference'>): void {
  const folder = corpusFolder(format.name);
  if (!existsSync(folder)) return;
  describe(`${format.name}: corpus`, () => {
    test.each(filesIn(folder, '.bin', '.log'))('$name', async ({ name, bytes }) => {
      const found = decode(format, bytes);
      const lines = [
        ...Array.from({ length: found.count }, (_, i) => found.label(i)),
        ...found.faults.map(({ code, offset, length, text }) => `${code} at ${offset} of ${length} bytes: ${text}`),
      ];
      const expected = join(folder, name.replace(/\.\w+$/, '.json'));
      await expect(`${JSON.stringify(lines, null, 1)}\n`).toMatchFileSnapshot(expected);
      expect(uncovered(found, bytes.length)).toBeUndefined();
      for (let seed = 0; seed < 20; seed++) {
        const cuts = randomCuts(new Random(seed), bytes.length, 1 + seed);
        expect(difference(found, decode(format, bytes, cuts)), `cut at ${cuts}`).toBeUndefined();
      }
      const plain = reference(bytes);
      expect(plainDifference(found, plain)).toBeUndefined();
      expect(valueDifference(bytes, found, plain)).toBeUndefined();
    });
  });
}
