/**
 * NMEA 0183 and GNSS: sentences, positions with their quality, satellites.
 *
 * @module skein/nmea
 * @example
 * import { parseNmeaSentence } from 'skein/nmea';
 *
 * const sentence = parseNmeaSentence('$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47');
 * if (sentence.valid) console.log(sentence.gnss?.latitude);
 */

export {
  type EncodedSatellite,
  type EncodeOptions as NmeaEncodeOptions,
  encodeSatellites,
  encodeSentence,
  type SentenceValues,
} from '../formats/nmea/encode.ts';
export type { ParsedSentence, ParseOptions as NmeaParseOptions, RefusedSentence } from '../formats/nmea/parse.ts';
export {
  CONSTELLATIONS,
  type Constellation,
  constellationOf,
  type SatelliteId,
  satelliteOf,
} from '../sensors/constellation.ts';
export { type GnssColumn, type GnssData, type GnssOptions, readGnssData } from '../sensors/gnss.ts';
export { GNSS_FIX, GNSS_FLAGS, isValidGnss } from '../sensors/gnss-fix.ts';
export { GNSS_FIELDS, type GnssField } from '../sensors/gnss-reading.ts';
export { type GnssRow, type GnssRowData, readGnssRows } from '../sensors/gnss-rows.ts';
export {
  type GnssSentence,
  type NmeaSentence,
  parseGnssSentence,
  parseNmeaSentence,
} from '../sensors/gnss-sentence.ts';
export { readSatellites, type SatelliteOptions, type Satellites } from '../sensors/satellites.ts';
export { type GsvPart, type SatelliteSet, type SatelliteView, Sky } from '../sensors/sky.ts';
