import { pcap } from '../src/formats/pcap/index.ts';
import { pcapFloods } from './reference/pcap-floods.ts';
import { floodSuite } from './suite/flood-suite.ts';

floodSuite(pcap, pcapFloods);
