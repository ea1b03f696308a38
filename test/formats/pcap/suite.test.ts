import { describe } from 'vitest';
import { corpusSuite } from '../../suite/corpus.ts';
import { fileSuite, formatSuite } from '../../suite/format-suite.ts';
import { sampleFile } from '../../suite/sample.ts';
import { pcapCase } from './case.ts';

formatSuite(pcapCase);
corpusSuite(pcapCase);

describe('pcap: whole files', () => {
  fileSuite(pcapCase, sampleFile('copter-square.pcap'));
});
