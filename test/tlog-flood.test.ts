import { tlog } from '../src/formats/tlog/index.ts';
import { tlogFloods } from './reference/mavlink-floods.ts';
import { floodSuite } from './suite/flood-suite.ts';

floodSuite(tlog, tlogFloods);
