import { describe, expect, test } from 'vitest';
import { xbus } from '../../../src/formats/xbus/index.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { corpusSuite } from '../../suite/corpus.ts';
import { fileSuite, formatSuite } from '../../suite/format-suite.ts';
import { decode, difference, uncovered } from '../../suite/found.ts';
import { fuzz, randomCuts } from '../../suite/fuzz.ts';
import { plainDifference, valueDifference } from '../../suite/plain.ts';
import { Random } from '../../suite/random.ts';
import { readBytes } from '../../suite/sample.ts';
import { xbusCase, xbusItems } from './case.ts';
import { plainXbus } from './reference.ts';

/** Inputs of a run, fewer than of frames, which are read as items too; SKEIN_FUZZ asks for another number. */
const INPUTS = Number(process.env.SKEIN_FUZZ ?? 20_000) / 4;
const PARTS = 4;

formatSuite(xbusCase);

corpusSuite(xbusItems);

describe('xbus: items', () => {
  test.each(xbusCase.samples)('$name is read the same in any chunking, and as plainly', ({ bytes }) => {
    const whole = decode(xbus, bytes);
    expect(uncovered(whole, bytes.length)).toBeUndefined();
    const plain = plainXbus(bytes);
    expect(plainDifference(whole, plain)).toBeUndefined();
    expect(valueDifference(bytes, whole, plain)).toBeUndefined();
    const random = new Random(7);
    for (let run = 0; run < 50; run++) {
      const cuts = randomCuts(random, bytes.length, random.pick([1, 5, 50]));
      expect(difference(whole, decode(xbus, bytes, cuts)), `cut at ${cuts}`).toBeUndefined();
    }
  });

  const count = Math.ceil(INPUTS / PARTS);
  test.each(Array.from({ length: PARTS }, (_, part) => 1_000_000_000 + part * count))(
    `${count} damaged inputs from seed %i on never throw and are read as plainly`,
    (first) => {
      fuzz(first, count, xbusItems);
    },
  );
});

needShared(describe, 'xbus')('xbus: recordings', () => {
  for (const name of ['1', '2', '4']) {
    fileSuite(xbusCase, { name, bytes: readBytes(sharedData('xbus', name, 'output.bin')) });
  }
});
