import { tlog } from '../../../src/formats/tlog/index.ts';
import { floodSuite } from '../../suite/flood-suite.ts';
import { tlogFloods } from '../mavlink/floods.ts';

floodSuite(tlog, tlogFloods);
