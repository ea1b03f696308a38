import { mavlink } from '../src/formats/mavlink/index.ts';
import { tlog } from '../src/formats/tlog/index.ts';
import { mavlinkFloods, tlogFloods } from './reference/mavlink-floods.ts';
import { floodSuite } from './suite/flood-suite.ts';

floodSuite(mavlink, mavlinkFloods);
floodSuite(tlog, tlogFloods);
