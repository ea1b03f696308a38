import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import { type FrameOptions, framesOf } from './frames.ts';

const STAMP_BYTES = 8;

export type TlogOptions = FrameOptions;

/**
 * A telemetry log of the frames of a log of messages. Frames of a telemetry log keep their bytes and their time stamps;
 * those of a bare stream or a capture get the time that the log's clock gives them. A frame that carries a signing key
 * is left out.
 */
export async function* writeTlog(log: Log, options: TlogOptions = {}): AsyncGenerator<Uint8Array> {
  for await (const frames of framesOf(log, options)) {
    yield joined(frames.flatMap(({ bytes, stamp, time }) => [stamp ?? stampOf(time), bytes]));
  }
}

/** Microseconds since 1970 in eight bytes, the highest first. */
function stampOf(micros: number): Uint8Array {
  const bytes = new Uint8Array(STAMP_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.round(micros))));
  return bytes;
}
