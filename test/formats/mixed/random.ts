import { join, type Random } from '../../suite/random.ts';
import { randomMavlink } from '../mavlink/random.ts';
import { randomNmea } from '../nmea/random.ts';
import { rtcmSum, ubxSums } from '../ubx/reference.ts';
import { randomXbus } from '../xbus/random.ts';

export function ubxBytes(data: ArrayLike<number>): Uint8Array {
  const body = Uint8Array.of(0x01, 0x07, data.length & 0xff, data.length >> 8, ...Array.from(data));
  return Uint8Array.of(0xb5, 0x62, ...body, ...ubxSums(body));
}

export function rtcmBytes(data: ArrayLike<number>): Uint8Array {
  const frame = Uint8Array.of(0xd3, data.length >> 8, data.length & 0xff, ...Array.from(data));
  const sum = rtcmSum(frame);
  return Uint8Array.of(...frame, sum >> 16, (sum >> 8) & 0xff, sum & 0xff);
}

/** Some bytes of a stream of one protocol, from its beginning or not. */
function part(random: Random, make: (random: Random) => Uint8Array): Uint8Array {
  const bytes = make(random);
  const from = random.chance(0.6) ? 0 : random.below(bytes.length + 1);
  return bytes.slice(from, from + random.between(1, 300));
}

const PROTOCOLS = [randomMavlink, randomNmea, randomXbus];

/** A stream that could be one: parts of all protocols, some of them inside of others, and what is none of them. */
export function randomMixed(random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let n = random.between(1, 12); n > 0; n--) {
    const kind = random.below(100);
    if (kind < 60) parts.push(part(random, random.pick(PROTOCOLS)));
    else if (kind < 85) {
      // what is inside belongs to the frame
      const data = random.chance(0.5) ? random.bytes(random.below(60)) : part(random, random.pick(PROTOCOLS));
      const frame = random.chance(0.5) ? ubxBytes(data) : rtcmBytes(data);
      if (random.chance(0.2)) frame[random.below(frame.length)] ^= 1 << random.below(8);
      parts.push(random.chance(0.2) ? frame.slice(0, random.below(frame.length)) : frame);
    } else if (kind < 93) parts.push(random.bytes(random.between(1, 40)));
    else parts.push(new Uint8Array(random.between(1, 40)).fill(random.pick([0, 255, 0xb5, 0xd3, 0xfa, 0xfd, 36])));
  }
  return join(parts);
}
