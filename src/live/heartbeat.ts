import { isVehicle } from '../analyze/heartbeat.ts';
import { X25_SEED, x25, x25Byte } from '../core/x25.ts';
import { Header, MAGIC_1, MAGIC_2, onlyFrameId, SIGNED } from '../formats/mavlink/header.ts';

/*
 * HEARTBEAT, https://mavlink.io/en/messages/common.html#HEARTBEAT. Its definition can never change, so it is found here
 * without any others:
 *
 *     0 ... 3       4      5           6           7               8
 *     custom_mode   type   autopilot   base_mode   system_status   mavlink_version
 *
 * Version 2 cuts zeros off the end, but mavlink_version is never 0: all nine bytes are always there.
 */
const ID = 0;
const LENGTH = 9;
const EXTRA = 50;
const ARMED = 128;
/** What a heartbeat says. One object serves for many. */
export interface Heartbeat {
  readonly header: Header;
  readonly type: number;
  readonly autopilot: number;
  readonly armed: boolean;
  /** Whether an autopilot sent it, and not one of the other things that are on board or on the ground. */
  readonly isVehicle: boolean;
}

/** Finds heartbeats that are whole within some bytes, wherever they stand, and nothing else: it costs next to nothing. */
export class HeartbeatFinder implements Heartbeat {
  readonly header: Header = new Header();
  type = 0;
  autopilot = 0;
  armed = false;
  isVehicle = false;

  /** Whether the bytes are one frame that is no heartbeat, as most datagrams are: then there is nothing to find. */
  isOther(bytes: Uint8Array): boolean {
    return onlyFrameId(bytes) > ID;
  }

  /** Calls `found` for each, with itself; what it says holds until the call returns. */
  find(bytes: Uint8Array, found: (heartbeat: Heartbeat) => void): void {
    const { header } = this;
    let at = 0;
    while (at < bytes.length) {
      const magic = bytes[at];
      if (magic !== MAGIC_1 && magic !== MAGIC_2) {
        at++;
      } else if (!header.read(bytes, at) || header.end > bytes.length) {
        at++;
      } else if (header.id !== ID || header.length !== LENGTH) {
        at = this.isInStep(bytes) ? header.end : at + 1;
      } else if (this.read(bytes)) {
        found(this);
        at = header.end;
      } else {
        at++;
      }
    }
  }

  /** Whether another frame, or the end, follows: then it is stepped over, and false starts inside it are not looked at. */
  private isInStep(bytes: Uint8Array): boolean {
    const { end } = this.header;
    return end === bytes.length || bytes[end] === MAGIC_1 || bytes[end] === MAGIC_2;
  }

  private read(bytes: Uint8Array): boolean {
    const { header } = this;
    if (header.flags > SIGNED) return false;
    const sum = x25Byte(x25(bytes, header.start + 1, header.checksum, X25_SEED), EXTRA);
    if (sum !== header.stated(bytes)) return false;
    this.type = bytes[header.payload + 4];
    this.autopilot = bytes[header.payload + 5];
    this.armed = (bytes[header.payload + 6] & ARMED) !== 0;
    this.isVehicle = isVehicle(this.autopilot, this.type);
    return true;
  }
}
