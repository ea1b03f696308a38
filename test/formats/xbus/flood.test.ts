import { xbus } from '../../../src/formats/xbus/index.ts';
import { floodSuite } from '../../suite/flood-suite.ts';
import { xbusFloods } from './floods.ts';

floodSuite(xbus, xbusFloods);
