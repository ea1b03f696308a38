import { describe } from 'vitest';
import { needShared, sharedData } from '../../helpers/need.ts';
import { corpusSuite } from '../../suite/corpus.ts';
import { fileSuite, formatSuite } from '../../suite/format-suite.ts';
import { readBytes } from '../../suite/sample.ts';
import { mixedCase, mixedItems } from './case.ts';

formatSuite(mixedCase);

corpusSuite(mixedItems);

needShared(
  describe,
  'nmea',
  'gpsd',
)('mixed: whole files', () => {
  for (const name of ['ublox-zed-f9r.log', 'ublox-zed-f9t-ubx_nmea_l5.log'])
    fileSuite(mixedCase, { name, bytes: readBytes(sharedData('nmea', 'gpsd', name)) });
});
