import { nmea } from '../../../src/formats/nmea/index.ts';
import { floodSuite } from '../../suite/flood-suite.ts';
import { nmeaFloods } from './floods.ts';

floodSuite(nmea, nmeaFloods);
