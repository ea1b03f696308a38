import { describe } from 'vitest';
import { needShared, sharedData } from '../../helpers/need.ts';
import { corpusSuite } from '../../suite/corpus.ts';
import { fileSuite, formatSuite } from '../../suite/format-suite.ts';
import { filesIn, sampleFile } from '../../suite/sample.ts';
import { nmeaCase } from './case.ts';

/** Whole files are tried by the plain decoder too, which is slow. */
const MOST_BYTES = 40_000;

formatSuite(nmeaCase);

corpusSuite(nmeaCase);

const square = sampleFile('copter-square.nmea');
fileSuite(nmeaCase, { ...square, bytes: square.bytes.slice(0, MOST_BYTES) });

needShared(
  describe,
  'nmea',
  'gpsd',
)('nmea: whole files', () => {
  for (const file of filesIn(sharedData('nmea', 'gpsd'), '.log')) {
    if (file.bytes.length < MOST_BYTES) fileSuite(nmeaCase, file);
  }
});
