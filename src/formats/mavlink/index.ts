import { judgeSurvey, survey } from './detect.ts';
import { catalogOf, frameDecoder, type MavlinkFormat } from './options.ts';

export const mavlink: MavlinkFormat = {
  name: 'mavlink',
  title: 'MAVLink stream (.raw, .mavlink, .bin)',
  detect: (bytes) => judgeSurvey(survey(bytes, catalogOf()), bytes.length).raw,
  decoder: (sink, options) => frameDecoder(sink, options),
};
