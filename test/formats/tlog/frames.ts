import { readFileSync } from 'node:fs';

/** One record of a telemetry log. */
export interface TlogFrame {
  /** Microseconds. */
  readonly time: number;
  readonly frame: Uint8Array;
  readonly id: number;
  readonly system: number;
  readonly component: number;
  /** The payload with the zeros that were cut off, 255 bytes in all. */
  readonly payload: DataView;
}

/** The records of a telemetry log without damage, by the plainest way: eight bytes of time, then a frame by its length. */
export function tlogFrames(path: string): TlogFrame[] {
  const bytes = readFileSync(path);
  const frames: TlogFrame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const time = Number(bytes.readBigUInt64BE(at));
    const start = at + 8;
    const isSecond = bytes[start] === 0xfd;
    if (!isSecond && bytes[start] !== 0xfe) throw new Error(`no frame at ${start}`);
    const head = isSecond ? 10 : 6;
    const length = bytes[start + 1];
    const end = start + head + length + 2 + (isSecond && bytes[start + 2] === 1 ? 13 : 0);
    const frame = Uint8Array.from(bytes.subarray(start, end));
    const payload = new Uint8Array(255);
    payload.set(frame.subarray(head, head + length));
    const ids = isSecond ? frame.subarray(5) : frame.subarray(3);
    frames.push({
      time,
      frame,
      system: ids[0],
      component: ids[1],
      id: isSecond ? ids[2] | (ids[3] << 8) | (ids[4] << 16) : ids[2],
      payload: new DataView(payload.buffer),
    });
    at = end;
  }
  return frames;
}

/** A telemetry log of these records. */
export function tlogBytes(frames: readonly Pick<TlogFrame, 'time' | 'frame'>[]): Uint8Array {
  const bytes = new Uint8Array(frames.reduce((sum, { frame }) => sum + 8 + frame.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { time, frame } of frames) {
    view.setBigUint64(at, BigInt(time));
    bytes.set(frame, at + 8);
    at += 8 + frame.length;
  }
  return bytes;
}
