import type { Format } from '../../core/format.ts';
import { detectNmea } from './detect.ts';
import { SentenceDecoder } from './frame.ts';

export const nmea: Format = {
  name: 'nmea',
  title: 'NMEA 0183 (.nmea, .log, .txt)',
  detect: detectNmea,
  decoder: (sink, options) => new SentenceDecoder(sink, options),
};
