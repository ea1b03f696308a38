import { describe } from 'vitest';
import { needShared, sharedData } from '../../helpers/need.ts';
import { corpusSuite } from '../../suite/corpus.ts';
import { fileSuite, formatSuite } from '../../suite/format-suite.ts';
import { filesIn } from '../../suite/sample.ts';
import { ubxCase } from './case.ts';

/** Whole files are tried by the plain decoder too, which is slow. */
const MOST_BYTES = 34_000;

formatSuite(ubxCase);

corpusSuite(ubxCase);

needShared(
  describe,
  '..',
  'field',
  'ubx',
)('ubx: whole files', () => {
  for (const file of filesIn(sharedData('..', 'field', 'ubx'), '.log', '.rtcm3'))
    if (file.bytes.length < MOST_BYTES && !file.name.includes('MIXED')) fileSuite(ubxCase, file);
});
