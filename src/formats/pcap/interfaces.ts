import { textOf } from '../../core/text.ts';

/*
 * The description of an interface in a pcapng file, https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-02.html
 *
 *     8          10         12            16
 *     link type  reserved   snap length   options: code (2), length (2), value, padding to a multiple of 4
 *
 * Times count units of 10^-n or, with the highest bit of if_tsresol set, of 2^-n seconds, and if_tsoffset seconds more.
 */
const IF_NAME = 2;
const IF_TSRESOL = 9;
const IF_TSOFFSET = 14;
const LINK_TYPE = 8;
const SNAP_LENGTH = 12;
const OPTIONS = 16;
/** Microseconds, where nothing else is said. */
const USUAL_RESOLUTION = 6;
const BINARY = 0x80;
const TWO_32 = 2 ** 32;

/** What a section says of one of its interfaces. */
interface Description {
  readonly linkType: number;
  readonly snapLength: number;
  readonly name: string;
  /** As if_tsresol has it. */
  readonly resolution: number;
  /** Seconds to add to each time. */
  readonly offset: number;
}

/** Reads the description in a block [at, end) that is whole. */
export function readDescription(bytes: Uint8Array, at: number, end: number, littleEndian: boolean): Description {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let name = '';
  let resolution = USUAL_RESOLUTION;
  let offset = 0;
  for (let option = at + OPTIONS; option + 4 <= end - 4; ) {
    const code = view.getUint16(option, littleEndian);
    const length = view.getUint16(option + 2, littleEndian);
    const value = option + 4;
    if (code === 0 || value + length > end - 4) break;
    if (code === IF_NAME) name = textOf(bytes, value, value + length);
    else if (code === IF_TSRESOL && length === 1) resolution = bytes[value];
    else if (code === IF_TSOFFSET && length === 8) offset = Number(view.getBigInt64(value, littleEndian));
    option = value + length + (-length & 3);
  }
  return {
    linkType: view.getUint16(at + LINK_TYPE, littleEndian),
    snapLength: view.getUint32(at + SNAP_LENGTH, littleEndian),
    name,
    resolution,
    offset,
  };
}

/** Turns the two halves of a time into microseconds since 1970, to the last digit. */
export function clockOf({ resolution, offset }: Description): (high: number, low: number) => number {
  const base = offset * 1e6;
  if (resolution === USUAL_RESOLUTION) return (high, low) => base + high * TWO_32 + low;
  const power = resolution & ~BINARY;
  if (resolution & BINARY) {
    const unit = 1n << BigInt(power);
    return (high, low) => base + Number((((BigInt(high) << 32n) | BigInt(low)) * 2_000_000n + unit) / (2n * unit));
  }
  if (power < USUAL_RESOLUTION) {
    const factor = 10 ** (USUAL_RESOLUTION - power);
    return (high, low) => base + (high * TWO_32 + low) * factor;
  }
  // high * 2^32 is too large to be exact: it is divided before it is made
  const divisor = 10 ** (power - USUAL_RESOLUTION);
  const whole = Math.floor(TWO_32 / divisor);
  const rest = TWO_32 - whole * divisor;
  return (high, low) => base + high * whole + Math.round((high * rest + low) / divisor);
}
