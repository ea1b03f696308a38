import { judgeSurvey, STAMPS, survey } from '../mavlink/detect.ts';
import { catalogOf, frameDecoder, type MavlinkFormat } from '../mavlink/options.ts';
import { STAMP_FIELD, Stamps } from './stamp.ts';

export const tlog: MavlinkFormat = {
  name: 'tlog',
  title: 'telemetry log (.tlog)',
  detect: (bytes) => judgeSurvey(survey(bytes, catalogOf(), STAMPS), bytes.length).stamped,
  decoder: (sink, options) =>
    frameDecoder(sink, options, { lead: (remarks) => new Stamps(remarks), stamp: STAMP_FIELD }),
};
