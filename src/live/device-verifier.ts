import type { Decoder, RecordBatch, Sink } from '../core/decoder.ts';
import type { Format } from '../core/format.ts';
import type { Schema } from '../core/schema.ts';
import type { Row } from '../core/table.ts';
import { isVehicle, kindOfType } from '../facts/heartbeat.ts';
import { FORMATS } from '../formats/index.ts';
import { isMagic } from '../formats/mavlink/header.ts';
import { firmwareOf, type LiveFirmware } from './firmware.ts';
import { EVERYONE } from './heartbeat.ts';
import { LINK_LIMITS } from './limits.ts';
import { MessageReader, type ReadMessage } from './message.ts';

/**
 * unknown: nothing came, or nothing useful. verifying: a byte came that a frame may begin with. verified: a whole
 * frame with a right checksum. other: something else speaks. removed: the port is gone.
 */
export type DeviceState = 'unknown' | 'verifying' | 'verified' | 'other' | 'removed';

/** A MAVLink device. Names and firmware are null until a heartbeat, or AUTOPILOT_VERSION, says so. */
export interface MavlinkIdentity {
  readonly protocol: 'mavlink';
  readonly system: number;
  readonly component: number;
  /** Of the protocol. */
  readonly version: number;
  /** MAV_AUTOPILOT and MAV_TYPE by their numbers. */
  readonly autopilot: number | null;
  readonly type: number | null;
  /** Copter, Plane ... */
  readonly vehicle: string | null;
  readonly firmware: LiveFirmware | null;
  /** The first message that verified it. */
  readonly message: string;
}

/** A device with another protocol: its records and their senders (talkers of NMEA, device ids of XBUS). */
export interface SensorIdentity {
  readonly protocol: string;
  readonly streams: readonly string[];
  readonly messages: readonly string[];
}

export type DeviceIdentity = MavlinkIdentity | SensorIdentity;

/** Bytes that a message of each protocol may begin with. */
const MAGIC: Readonly<Record<string, readonly number[]>> = { nmea: [0x24, 0x21], xbus: [0xfa] };
/** Records of a sensor's protocol whose checksum is right before it counts as one: theirs are short. */
const PROOF = 2;

/** Counts the records of a protocol and collects their senders. */
class Witness implements Sink {
  readonly protocol: string;
  readonly streams: Set<string> = new Set();
  readonly messages: Set<string> = new Set();
  count = 0;
  private readonly decoder: Decoder;
  private readonly tables: { readonly name: string; readonly stream: string }[] = [];

  constructor(format: Format) {
    this.protocol = format.name;
    this.decoder = format.decoder(this, { checksum: 'required' });
  }

  push(bytes: Uint8Array): void {
    this.decoder.push(bytes);
  }

  end(): void {
    this.decoder.end();
  }

  table(id: number, { name }: Schema, stream: string): void {
    this.tables[id] = { name, stream };
  }

  records({ count, table }: RecordBatch): void {
    this.count += count;
    for (let i = 0; i < count; i++) {
      const { name, stream } = this.tables[table[i]];
      if (this.messages.size < LINK_LIMITS.peers) this.messages.add(name);
      if (this.streams.size < LINK_LIMITS.peers) this.streams.add(stream);
    }
  }

  fault(): void {}
}

/** Identifies the device on a port from its bytes: a whole frame with a right checksum verifies. Sends nothing. */
export class DeviceVerifier {
  state: DeviceState = 'unknown';
  bytes = 0;
  private readonly reader: MessageReader;
  private readonly witnesses: readonly Witness[];
  private mavlink: MavlinkIdentity | undefined;
  private version: Row | undefined;

  constructor(formats: readonly Format[] = FORMATS) {
    this.reader = new MessageReader(
      (name) => !name.startsWith('UNKNOWN_'),
      (message) => this.identify(message),
    );
    this.witnesses = formats.filter(({ name }) => Object.hasOwn(MAGIC, name)).map((format) => new Witness(format));
  }

  /** The next bytes of the port, in any pieces. */
  push(bytes: Uint8Array): DeviceState {
    this.bytes += bytes.length;
    this.reader.push(bytes);
    if (!this.mavlink) for (const witness of this.witnesses) witness.push(bytes);
    if (this.identity) this.state = 'verified';
    else if (this.state === 'unknown' && bytes.some((byte) => this.mayBegin(byte))) this.state = 'verifying';
    return this.state;
  }

  /** No more bytes will come, or the time is up: what could not be verified is something else, or nothing. */
  settle(): DeviceState {
    this.reader.end();
    for (const witness of this.witnesses) witness.end();
    if (this.identity) this.state = 'verified';
    if (this.state !== 'verified') this.state = this.bytes > 0 ? 'other' : 'unknown';
    return this.state;
  }

  /** The device, once it is verified. MAVLink comes first: NMEA may be a device's second language. */
  get identity(): DeviceIdentity | null {
    if (this.mavlink) return this.mavlink;
    const witness = this.witnesses.find(({ count }) => count >= PROOF);
    if (!witness) return null;
    const { protocol, streams, messages } = witness;
    return { protocol, streams: [...streams].sort(), messages: [...messages].sort() };
  }

  /** Whether all is known that can be learned without asking: for MAVLink, a vehicle's heartbeat. */
  get isComplete(): boolean {
    return this.mavlink ? this.mavlink.autopilot !== null : this.state === 'verified';
  }

  private mayBegin(byte: number): boolean {
    return isMagic(byte) || this.witnesses.some(({ protocol }) => MAGIC[protocol].includes(byte));
  }

  private identify({ name, system, component, version, data }: ReadMessage): void {
    this.mavlink ??= {
      protocol: 'mavlink',
      system,
      component,
      version,
      autopilot: null,
      type: null,
      vehicle: null,
      firmware: null,
      message: name,
    };
    const known = this.mavlink;
    if (name === 'AUTOPILOT_VERSION' && (known.autopilot === null || system === known.system)) this.version = data;
    const [autopilot, type] = [Number(data.autopilot), Number(data.type)];
    const isBeat = name === 'HEARTBEAT' && isVehicle(autopilot, type) && system !== EVERYONE;
    // the first vehicle is the one: others may be behind it
    if (isBeat && (known.autopilot === null || system === known.system))
      this.mavlink = { ...known, system, component, version, autopilot, type, vehicle: kindOfType(type) };
    const { autopilot: stack, type: kind } = this.mavlink;
    if (stack !== null && kind !== null && (isBeat || name === 'AUTOPILOT_VERSION'))
      this.mavlink = {
        ...this.mavlink,
        firmware: firmwareOf({ autopilot: stack, kind: kindOfType(kind) }, this.version),
      };
  }
}
