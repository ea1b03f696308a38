import { mavlink } from '../src/formats/mavlink/index.ts';
import { mavlinkFloods } from './reference/mavlink-floods.ts';
import { floodSuite } from './suite/flood-suite.ts';

floodSuite(mavlink, mavlinkFloods);
