import { join, type Random } from '../../suite/random.ts';

const ITEMS = [
  0x1020, 0x1060, 0x1010, 0x2010, 0x2014, 0x2022, 0x2030, 0x2033, 0x3010, 0x3013, 0x4020, 0x4021, 0x4024, 0x4032,
  0x5040, 0x5042, 0x7010, 0x7020, 0x8020, 0x8030, 0x88a0, 0x8840, 0xa010, 0xc020, 0xc810, 0xd012, 0xe010, 0xe020,
  0xe080, 0xfa55, 0xf000,
];
const LENGTHS = [0, 1, 2, 4, 6, 8, 12, 16, 18, 20, 24, 32, 36, 48, 52, 94];
const MESSAGES = [
  0x00, 0x01, 0x0d, 0x10, 0x12, 0x13, 0x18, 0x19, 0x1d, 0x25, 0x2c, 0x30, 0x31, 0x32, 0x32, 0x42, 0x43, 0x49, 0x61,
  0x63, 0x7f, 0x91, 0xc1, 0xd1, 0xd3, 0xed, 0xfa, 0x36,
];
const MESSAGE_LENGTHS = [0, 1, 2, 3, 4, 8, 11, 12, 17, 22, 24, 38, 44, 54, 118, 132, 138, 255, 300];

/** A frame of any message and data; its checksum is right by the rule that sums to `total`. */
export function frameBytes(
  bus: number,
  message: number,
  data: ArrayLike<number>,
  total = 0,
  extended = false,
): Uint8Array {
  const isExtended = extended || data.length > 254;
  const head = isExtended ? [0xff, data.length >> 8, data.length & 0xff] : [data.length];
  const body = [bus, message, ...head, ...Array.from(data)];
  const sum = body.reduce((all, byte) => all + byte, 0);
  return Uint8Array.from([0xfa, ...body, (total - sum) & 0xff]);
}

/** A stream that could be one: frames of random items and messages, with some damage between them. */
export function randomXbus(random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  const total = random.chance(0.2) ? 0xff : 0;
  for (let n = random.between(1, 25); n > 0; n--) {
    const kind = random.below(100);
    // now and then a frame follows the other rule
    const rule = random.chance(0.97) ? total : total ^ 0xff;
    if (kind < 50) parts.push(frameBytes(busOf(random), 0x36, itemsOf(random), rule, random.chance(0.05)));
    else if (kind < 75) parts.push(messageOf(random, rule));
    else if (kind < 80) parts.push(hidden(random, rule));
    else if (kind < 86) parts.push(random.bytes(random.between(1, 40)));
    else if (kind < 89) parts.push(new Uint8Array(random.between(1, 300)).fill(random.pick([0, 0xff, 0xfa, 0x36])));
    else if (kind < 92) parts.push(Uint8Array.from(Buffer.from('$GPGGA,,*00\r\n'.slice(random.below(13)))));
    else if (kind < 96) parts.push(configuration(random, rule));
    else parts.push(frameBytes(busOf(random), 0x36, itemsOf(random), rule).slice(0, random.between(1, 30)));
  }
  const bytes = join(parts);
  return random.chance(0.3) ? bytes.slice(0, bytes.length - random.below(60)) : bytes;
}

function busOf(random: Random): number {
  return random.pick([0xff, 0xff, 0xff, 1, 2, 0xfa, 0]);
}

function itemsOf(random: Random): number[] {
  const data: number[] = [];
  for (let n = random.between(random.chance(0.1) ? 0 : 1, 9); n > 0; n--) {
    const xdi = random.pick(ITEMS);
    const length = random.pick(LENGTHS);
    data.push(xdi >> 8, xdi & 0xff, length, ...content(random, length));
  }
  // items that do not fill their frame
  if (random.chance(0.05)) data.length = Math.max(0, data.length - random.between(1, 5));
  return data;
}

/** Bytes in which frames seem to begin. */
function content(random: Random, length: number): Uint8Array {
  const bytes = random.bytes(length);
  if (random.chance(0.3))
    for (let k = 0; k < length; k++) if (random.chance(0.4)) bytes[k] = random.pick([0xfa, 0xff, 0x36, 0]);
  return bytes;
}

function messageOf(random: Random, rule: number): Uint8Array {
  const data = content(random, random.pick(MESSAGE_LENGTHS));
  if (data.length > 0 && random.chance(0.5)) data[0] = random.pick([3, 4, 0x29, 0]);
  return frameBytes(busOf(random), random.pick(MESSAGES), data, rule, random.chance(0.1));
}

/** A frame behind a false preamble, or inside another frame. */
function hidden(random: Random, rule: number): Uint8Array {
  const frame = frameBytes(busOf(random), 0x36, itemsOf(random), rule);
  if (random.chance(0.5)) return join([Uint8Array.of(0xfa, ...random.bytes(random.below(4))), frame]);
  return frameBytes(busOf(random), random.pick([0x36, 0x7f, 0xc0]), [...random.bytes(random.below(9)), ...frame], rule);
}

function configuration(random: Random, rule: number): Uint8Array {
  const devices = random.pick([1, 1, 1, 2, 0]);
  const data = new Uint8Array(98 + 20 * devices);
  for (let k = 0; k < devices; k++) {
    const view = new DataView(data.buffer, 98 + 20 * k);
    view.setUint16(6, random.pick([2, 4, 6, 7, 0x837, 0x4000, random.below(65536)]));
    view.setUint32(8, random.pick([0, 1, 3, 5, 9, 0x101, 0x205, 0x80000001, random.bits()]));
  }
  return frameBytes(0xff, 0x0d, data, rule);
}
