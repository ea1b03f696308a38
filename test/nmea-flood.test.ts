import { nmea } from '../src/formats/nmea/index.ts';
import { nmeaFloods } from './reference/nmea-floods.ts';
import { floodSuite } from './suite/flood-suite.ts';

floodSuite(nmea, nmeaFloods);
