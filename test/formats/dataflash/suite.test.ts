import { describe } from 'vitest';
import { needShared, sharedData } from '../../helpers/need.ts';
import { corpusSuite } from '../../suite/corpus.ts';
import { fileSuite, formatSuite } from '../../suite/format-suite.ts';
import { filesIn, sampleFile } from '../../suite/sample.ts';
import { dataflashCase } from './case.ts';

formatSuite(dataflashCase);

corpusSuite(dataflashCase);

describe('dataflash: whole files', () => {
  fileSuite(dataflashCase, sampleFile('copter-square.BIN'));
});

needShared(describe, 'dataflash')('dataflash: whole files of many firmwares', () => {
  for (const file of filesIn(sharedData('dataflash'), '.BIN', '.bin', '.px4log')) fileSuite(dataflashCase, file);
});
