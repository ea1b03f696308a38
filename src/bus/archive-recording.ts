import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Mutable } from '../core/mutable.ts';
import type { Header } from '../formats/mavlink/header.ts';
import { hardwareText } from '../lake/vehicle-id.ts';
import { heartbeatOf } from '../live/heartbeat.ts';
import { syncPath } from '../node/atomic.ts';
import type { OpenRecording } from './archive-state.ts';
import { type BusBatch, eachFrame, timeOf } from './batch.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';

/** Frames of one vehicle on one link of one collector, on their way to a file. */
export class ArchiveRecording {
  /** How far it is, with what came until it was written last. */
  private readonly now: Mutable<OpenRecording>;
  /** When something came last, milliseconds by our own clock. */
  arrived: number = Date.now();
  /** The number of the hardware, once the vehicle sent it. */
  hardware: string | undefined;
  private pending: Uint8Array[] = [];
  private pendingBytes = 0;

  constructor(recording: OpenRecording) {
    this.now = { ...recording };
  }

  /** Whether frames of this time belong into another one: this is over. */
  isOver(time: number): boolean {
    const limits = BUS_LIVE_LIMITS;
    const { started, latest, disarmed, isArmed, bytes } = this.now;
    return (
      Math.abs(time - latest) > limits.silenceMicros ||
      (disarmed > 0 && time - disarmed > limits.afterwardsMicros) ||
      time - started > (isArmed ? limits.flightMicros : limits.recordingMicros) ||
      bytes + this.pendingBytes > limits.recordingBytes
    );
  }

  take({ records }: BusBatch): void {
    // the network client reuses this memory
    const copy = new Uint8Array(records);
    this.pending.push(copy);
    this.pendingBytes += copy.length;
    this.arrived = Date.now();
    eachFrame(copy, (start, header) => this.look(copy, start, header));
  }

  private look(bytes: Uint8Array, start: number, header: Header): void {
    const time = timeOf(bytes, start);
    const { now } = this;
    if (time > now.latest) now.latest = time;
    if (header.id === AUTOPILOT_VERSION) this.hardware = hardwareOf(bytes, header) ?? this.hardware;
    const heartbeat = heartbeatOf(bytes, header);
    if (!heartbeat) return;
    if (now.isArmed && !heartbeat.armed) now.disarmed = time;
    if (heartbeat.armed) now.disarmed = 0;
    now.isArmed = heartbeat.armed === true;
  }

  get isDirty(): boolean {
    return this.pending.length > 0;
  }

  /** Writes what came to the disk, over what the file has after the bytes that count. */
  async write(path: string): Promise<void> {
    const isNew = this.now.bytes === 0;
    if (isNew) await mkdir(dirname(path), { recursive: true });
    const file = await open(path, isNew ? 'w' : 'r+');
    try {
      // a call costs more than the copy
      const block = Buffer.concat(this.pending);
      const at = this.now.bytes + block.length;
      for (let done = 0; done < block.length; ) {
        const { bytesWritten } = await file.write(block, done, block.length - done, this.now.bytes + done);
        if (bytesWritten === 0) throw new Error(`${path}: disk full`);
        done += bytesWritten;
      }
      // an archive that was replaced may have written more
      await file.truncate(at);
      await file.datasync();
      if (isNew) await syncPath(dirname(path));
      this.now.bytes = at;
      this.pending = [];
      this.pendingBytes = 0;
    } finally {
      await file.close();
    }
  }

  get state(): OpenRecording {
    return { ...this.now };
  }
}

/*
 * AUTOPILOT_VERSION, https://mavlink.io/en/messages/common.html#AUTOPILOT_VERSION:
 *
 *     0              8     16            60
 *     capabilities   uid   versions ...  uid2 (18)
 *
 * Zeros at the end are cut off.
 */
const AUTOPILOT_VERSION = 148;
const UID = 8;
const UID_2 = 60;
const UID_2_BYTES = 18;

/** The number of the hardware, as ingest finds it in logs. */
function hardwareOf(bytes: Uint8Array, { payload, checksum }: Header): string | undefined {
  const field = (from: number, length: number): Uint8Array => {
    const whole = new Uint8Array(length);
    whole.set(bytes.subarray(Math.min(payload + from, checksum), Math.min(payload + from + length, checksum)));
    return whole;
  };
  const long = field(UID_2, UID_2_BYTES);
  if (long.some((byte) => byte !== 0)) return hardwareText(long);
  const short = new DataView(field(UID, 8).buffer).getBigUint64(0, true);
  return short === 0n ? undefined : short.toString(16).padStart(16, '0');
}
