import { judgeSurvey, survey } from './detect.ts';
import { catalogOf, frameDecoder, type MavlinkFormat } from './options.ts';

export const mavlink: MavlinkFormat = {
  name: 'mavlink',
  title: 'MAVLink stream (.raw, .mavlink, .bin)',
  isOnboard: false,
  protocols: ['mavlink'],
  writes: ['tlog', 'raw', 'pcap'],
  detect: (bytes) => judgeSurvey(survey(bytes, catalogOf()), bytes.length).raw,
  decoder: (sink, options) => frameDecoder(sink, options),
  clock: async ({ tables, faults }) => (await import('./clock.ts')).mavlinkClock(tables, faults),
};
