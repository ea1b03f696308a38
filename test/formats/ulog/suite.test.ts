import { corpusSuite } from '../../suite/corpus.ts';
import { formatSuite } from '../../suite/format-suite.ts';
import { ulogCase } from './case.ts';

formatSuite(ulogCase);

corpusSuite(ulogCase);
