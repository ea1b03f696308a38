import type { Sink } from '../../core/decoder.ts';
import type { Format } from '../../core/format.ts';
import { mavlink } from '../mavlink/index.ts';
import { nmea } from '../nmea/index.ts';
import { xbus } from '../xbus/index.ts';
import { sectionOrder } from './blocks.ts';
import { isClassicMagic } from './classic-header.ts';
import { CaptureDecoder, type CaptureOptions } from './decoder.ts';
import { detectHeadless } from './headless.ts';
import { PacketReader } from './reader.ts';

/** What a flow of packets may carry, one line each: detected by content, whatever its ports are. */
const STREAM_FORMATS: readonly Format[] = [mavlink, nmea, xbus];

export const pcap: Format & { decoder(sink: Sink, options?: CaptureOptions): CaptureDecoder } = {
  name: 'pcap',
  title: 'packet capture (.pcap, .pcapng)',
  isOnboard: false,
  protocols: ['mavlink', 'nmea', 'xbus'],
  writes: ['tlog', 'raw', 'pcap'],
  detect: (bytes) => (isClassicMagic(bytes) || sectionOrder(bytes, 0) ? 1 : detectHeadless(bytes)),
  decoder: (sink, options) => new CaptureDecoder(sink, STREAM_FORMATS, options),
  packets: (sink) => new PacketReader(sink),
  clock: async (input) => (await import('./clock.ts')).captureClock(input),
};
