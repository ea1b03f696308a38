import { dataflashText } from '../../../src/formats/dataflash/text.ts';
import { floodSuite } from '../../suite/flood-suite.ts';
import { dataflashTextFloods } from './floods.ts';

floodSuite(dataflashText, dataflashTextFloods);
