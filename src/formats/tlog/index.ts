import type { Format } from '../../core/format.ts';
import { judgeSurvey, survey } from '../mavlink/detect.ts';
import { catalogOf, frameDecoder, type MavlinkOptions } from '../mavlink/options.ts';
import { STAMP_FIELD, Stamps } from './stamp.ts';

export const tlog: Format = {
  name: 'tlog',
  title: 'telemetry log (.tlog)',
  detect: (bytes) => judgeSurvey(survey(bytes, catalogOf()), bytes.length).stamped,
  decoder: (sink, options?: MavlinkOptions) =>
    frameDecoder(sink, options, { lead: (remarks) => new Stamps(remarks), stamp: STAMP_FIELD }),
};
