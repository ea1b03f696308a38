import { pcap } from '../../../src/formats/pcap/index.ts';
import { floodSuite } from '../../suite/flood-suite.ts';
import { pcapFloods } from './floods.ts';

floodSuite(pcap, pcapFloods);
