import { ulog } from '../../../src/formats/ulog/index.ts';
import { floodSuite } from '../../suite/flood-suite.ts';
import { ulogFloods } from './floods.ts';

floodSuite(ulog, ulogFloods);
