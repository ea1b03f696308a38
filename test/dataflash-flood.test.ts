import { dataflash, dataflashText } from '../src/formats/dataflash/index.ts';
import { dataflashFloods, dataflashTextFloods } from './reference/dataflash-floods.ts';
import { floodSuite } from './suite/flood-suite.ts';

floodSuite(dataflash, dataflashFloods);
floodSuite(dataflashText, dataflashTextFloods);
