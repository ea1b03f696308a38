import type { Format } from '../../core/format.ts';
import { judgeSurvey, survey } from './detect.ts';
import { catalogOf, frameDecoder, type MavlinkOptions } from './options.ts';

export const mavlink: Format = {
  name: 'mavlink',
  title: 'MAVLink stream (.raw, .mavlink, .bin)',
  detect: (bytes) => judgeSurvey(survey(bytes, catalogOf()), bytes.length).raw,
  decoder: (sink, options?: MavlinkOptions) => frameDecoder(sink, options),
};
