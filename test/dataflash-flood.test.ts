import { dataflash } from '../src/formats/dataflash/index.ts';
import { dataflashFloods } from './reference/dataflash-floods.ts';
import { floodSuite } from './suite/flood-suite.ts';

floodSuite(dataflash, dataflashFloods);
