import { mavlink } from '../../../src/formats/mavlink/index.ts';
import { floodSuite } from '../../suite/flood-suite.ts';
import { mavlinkFloods } from './floods.ts';

floodSuite(mavlink, mavlinkFloods);
