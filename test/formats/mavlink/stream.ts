import { concat } from '../../suite/random.ts';
import { plainSum } from './message.ts';

/** A frame to be written, right or wrong. */
export interface FrameParts {
  readonly version?: 1 | 2;
  readonly id: number;
  readonly payload: ArrayLike<number>;
  readonly extra: number;
  readonly sequence?: number;
  readonly system?: number;
  readonly component?: number;
  readonly flags?: number;
  /** The length that the checksum is made with, where it is not that of the payload: zeros are summed up to it. */
  readonly summed?: number;
}

/** The bytes of a frame; a signed one has zeros for its signature. */
export function frameBytes(parts: FrameParts): Uint8Array {
  const { version = 2, id, payload, extra, sequence = 0, system = 1, component = 1, flags = 0 } = parts;
  const { summed = payload.length } = parts;
  const ids = [id & 255, (id >> 8) & 255, id >> 16];
  const head = version === 2 ? [flags, 0, sequence, system, component, ...ids] : [sequence, system, component, id];
  const content = Array.from(payload);
  const zeros = new Array(Math.max(0, summed - content.length)).fill(0);
  const sum = plainSum([summed, ...head, ...content, ...zeros, extra]);
  const signature = version === 2 && flags & 1 ? new Array(13).fill(0) : [];
  return Uint8Array.of(
    version === 2 ? 0xfd : 0xfe,
    content.length,
    ...head,
    ...content,
    sum & 255,
    sum >> 8,
    ...signature,
  );
}

/** Eight bytes of time in microseconds. */
export function stampBytes(time: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  return bytes;
}

/** Writes streams for tests: frames with rising numbers, and with times before them if it is a log. */
export class StreamWriter {
  private readonly parts: Uint8Array[] = [];
  private readonly isLog: boolean;
  private time: number;
  private sequence = 0;

  constructor(isLog = false, time = 1_700_000_000_000_000) {
    this.isLog = isLog;
    this.time = time;
  }

  raw(bytes: ArrayLike<number>): this {
    this.parts.push(Uint8Array.from(bytes));
    return this;
  }

  text(text: string): this {
    return this.raw(new TextEncoder().encode(text));
  }

  frame(parts: FrameParts): this {
    if (this.isLog) this.parts.push(stampBytes(this.time));
    this.time += 1000;
    return this.bare(parts);
  }

  /** A frame without a time. */
  bare(parts: FrameParts): this {
    this.parts.push(frameBytes({ sequence: this.sequence, ...parts }));
    this.sequence = (this.sequence + 1) & 255;
    return this;
  }

  /** The time of the frames to come. */
  at(time: number): this {
    this.time = time;
    return this;
  }

  bytes(): Uint8Array {
    return concat(...this.parts);
  }
}
