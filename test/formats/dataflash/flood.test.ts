import { dataflash } from '../../../src/formats/dataflash/index.ts';
import { floodSuite } from '../../suite/flood-suite.ts';
import { dataflashFloods } from './floods.ts';

floodSuite(dataflash, dataflashFloods);
