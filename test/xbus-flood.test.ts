import { xbus } from '../src/formats/xbus/index.ts';
import { xbusFloods } from './reference/xbus-floods.ts';
import { floodSuite } from './suite/flood-suite.ts';

floodSuite(xbus, xbusFloods);
