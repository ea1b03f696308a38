import { dataflashText } from '../src/formats/dataflash/index.ts';
import { dataflashTextFloods } from './reference/dataflash-floods.ts';
import { floodSuite } from './suite/flood-suite.ts';

floodSuite(dataflashText, dataflashTextFloods);
