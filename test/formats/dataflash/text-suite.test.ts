import { describe } from 'vitest';
import { needShared, sharedData } from '../../helpers/need.ts';
import { corpusSuite } from '../../suite/corpus.ts';
import { fileSuite, formatSuite } from '../../suite/format-suite.ts';
import { filesIn } from '../../suite/sample.ts';
import { dataflashTextCase } from './case.ts';

formatSuite(dataflashTextCase);

corpusSuite(dataflashTextCase);

needShared(describe, 'dataflash')('dataflash-text: whole files', () => {
  for (const file of filesIn(sharedData('dataflash'), '.log')) fileSuite(dataflashTextCase, file);
});
