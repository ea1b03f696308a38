import { describe } from 'vitest';
import { needShared, sharedData } from '../../helpers/need.ts';
import { corpusSuite } from '../../suite/corpus.ts';
import { fileSuite, formatSuite } from '../../suite/format-suite.ts';
import { filesIn, sampleFile } from '../../suite/sample.ts';
import { mavlinkCase, tlogCase } from './case.ts';

formatSuite(mavlinkCase);
formatSuite(tlogCase);
corpusSuite(mavlinkCase);
corpusSuite(tlogCase);

describe('tlog: whole files', () => {
  fileSuite(tlogCase, sampleFile('copter-square.tlog'));
});

needShared(describe, 'mavlink')('mavlink: whole files of many senders', () => {
  for (const file of filesIn(sharedData('mavlink'), '.tlog')) fileSuite(tlogCase, file);
  for (const file of filesIn(sharedData('mavlink'), '.raw', '.bin', '.mavlink')) fileSuite(mavlinkCase, file);
  for (const file of filesIn(sharedData('flight'), '.raw')) fileSuite(mavlinkCase, file);
  for (const file of filesIn(sharedData('flight'), '.tlog')) fileSuite(tlogCase, file);
});
