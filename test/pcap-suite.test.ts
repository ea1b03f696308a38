import { describe } from 'vitest';
import { pcapCase } from './reference/pcap-case.ts';
import { corpusSuite } from './suite/corpus.ts';
import { fileSuite, formatSuite } from './suite/format-suite.ts';
import { sampleFile } from './suite/sample.ts';

formatSuite(pcapCase);
corpusSuite(pcapCase);

describe('pcap: whole files', () => {
  fileSuite(pcapCase, sampleFile('copter-square.pcap'));
});
