import { mixed } from '../../../src/formats/mixed/index.ts';
import { floodSuite } from '../../suite/flood-suite.ts';
import type { Flood } from '../../suite/hostile.ts';
import { repeat } from '../../suite/random.ts';
import { mavlinkFloods } from '../mavlink/floods.ts';
import { nmeaFloods } from '../nmea/floods.ts';
import { xbusFloods } from '../xbus/floods.ts';
import { rtcmBytes, ubxBytes } from './random.ts';

const of =
  (...pattern: number[]) =>
  (length: number): Uint8Array =>
    repeat(pattern, length);

/** Beginnings of each protocol in every place, and frames as short as they can be. */
const FLOODS: readonly Flood[] = [
  { name: 'UBX frames of some length', make: of(0xb5, 0x62, 1, 1, 0, 8) },
  { name: 'RTCM3 frames of some length', make: of(0xd3, 0x03, 0xff) },
  { name: 'beginnings of all', make: of(0xfd, 0xfe, 0xfa, 0xff, 0xd3, 0, 0xb5, 0x62, 0x24) },
  { name: 'frames that are passed over', make: of(...ubxBytes([]), ...rtcmBytes([1, 2])) },
];

/** Of the floods that its members get, those that take it longest: short frames and faults in turn. */
const SLOWEST = [
  'damaged frames between good ones',
  'heads without a body',
  'short sentences',
  'addresses of all kinds',
  'frames with a byte between',
  'devices and messages of every kind',
  'good frames and false long ones in turn',
];

const slowest = [...mavlinkFloods, ...nmeaFloods, ...xbusFloods].filter(({ name }) => SLOWEST.includes(name));

floodSuite(mixed, [...FLOODS, ...slowest]);
