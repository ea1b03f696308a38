import { NO_CLOCK } from '../../core/clock.ts';
import type { RecordBatch, Sink } from '../../core/decoder.ts';
import type { Format } from '../../core/format.ts';
import { UbxDecoder } from './frame.ts';
import { RTCM_FIRST } from './schema.ts';

/** Part of the bytes that must be frames, where other things are between them. */
const LEAST_SHARE = 0.02;
/** How sure frames make: less than messages that may carry them are. */
const SURE = 0.5;
const THROUGHOUT = 0.25;

class Counter implements Sink {
  bytes = 0;
  ubx = 0;
  rtcm = 0;

  table(): void {}

  records({ bytes, start, size, count }: RecordBatch): void {
    for (let i = 0; i < count; i++) {
      this.bytes += size[i];
      if (bytes[start[i]] === RTCM_FIRST) this.rtcm++;
      else this.ubx++;
    }
  }

  fault(): void {}
}

/** How sure it is that bytes are frames, those of UBX among them or not. */
function detect(bytes: Uint8Array, hasUbx: boolean): number {
  const found = new Counter();
  const decoder = new UbxDecoder(found, 'silent');
  decoder.push(bytes);
  decoder.end();
  const share = found.bytes / bytes.length;
  return share >= LEAST_SHARE && found.ubx > 0 === hasUbx ? SURE + THROUGHOUT * share : 0;
}

const clock: Format['clock'] = async () => ({
  ...NO_CLOCK,
  source: 'times in UBX and RTCM messages are not decoded yet',
});

/** What a u-blox receiver sends; corrections of RTCM 3 may be among it. */
export const ubx: Format = {
  name: 'ubx',
  title: 'u-blox UBX (.ubx)',
  isOnboard: false,
  protocols: ['ubx', 'rtcm'],
  writes: [],
  clock,
  detect: (bytes) => detect(bytes, true),
  decoder: (sink) => new UbxDecoder(sink),
};

export const rtcm: Format = {
  name: 'rtcm',
  title: 'RTCM 3 corrections (.rtcm3)',
  isOnboard: false,
  protocols: ['rtcm'],
  writes: [],
  clock,
  detect: (bytes) => detect(bytes, false),
  decoder: (sink) => new UbxDecoder(sink),
};
