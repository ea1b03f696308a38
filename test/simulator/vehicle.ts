import { builtinDialect } from '../../src/formats/mavlink/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import type { SigningKey } from '../../src/formats/mavlink/key.ts';
import type { MessageName, Messages, SendValues } from '../../src/formats/mavlink/messages.ts';
import { Signer } from '../../src/formats/mavlink/signing.ts';
import { MessageReader, type ReadMessage } from '../../src/live/message-reader.ts';
import { BEHAVIOURS, type Behaviour } from './behaviour.ts';
import { messageAt, type Situation } from './situation.ts';

export interface VehicleOptions {
  /** How it answers. */
  readonly firmware?: keyof typeof BEHAVIOURS;
  readonly system?: number;
  readonly component?: number;
  /** MAV_TYPE; a quadrotor by default. */
  readonly type?: number;
  readonly version?: 1 | 2;
  /** Signs all that it sends. */
  readonly key?: SigningKey;
  /** Major, minor, patch, type byte. */
  readonly release?: readonly [number, number, number, number];
}

const dialect = builtinDialect();
const REQUESTS: ReadonlySet<string> = new Set([
  'HEARTBEAT',
  'REQUEST_DATA_STREAM',
  'COMMAND_LONG',
  'COMMAND_INT',
  'PARAM_REQUEST_LIST',
  // not obeyed, but seen
  'SETUP_SIGNING',
]);
const SECOND = 1e6;
const ACCEPTED = 0;
const UNSUPPORTED = 3;
const PARAMETERS = ['SYSID_THISMAV', 'ARMING_CHECK', 'BATT_MONITOR'];

/** MAV_CMD */
const GET_MESSAGE_INTERVAL = 510;
const SET_MESSAGE_INTERVAL = 511;
const REQUEST_MESSAGE = 512;
const REQUEST_AUTOPILOT_CAPABILITIES = 520;

/**
 * A vehicle that sends and answers as ArduPilot or PX4 do, on one link. It has no clock and no socket: `tick` tells it
 * the time, and what it sends goes to the function that it was given. A frame at a time, as both of them do.
 */
export class SimulatedVehicle {
  /** All that was asked of it, in turn. */
  readonly requests: ReadMessage[] = [];
  /** Microseconds between two messages, by id: those that are sent at all. */
  readonly intervals: Map<number, number> = new Map();
  /** How often each message was sent, by name. */
  readonly sent: Map<string, number> = new Map();
  readonly situation: Situation;
  private readonly behaviour: Behaviour;
  private readonly send: (bytes: Uint8Array) => void;
  private readonly due: Map<number, number> = new Map();
  private readonly reader: MessageReader;
  private readonly options: VehicleOptions;
  private encoder: Encoder;
  private bootedAt = -1;
  private now = 0;

  constructor(send: (bytes: Uint8Array) => void, options: VehicleOptions = {}) {
    const { firmware = 'ardupilot', system = 1, component = 1, type = 2, release = [4, 8, 0, 0] } = options;
    this.send = send;
    this.options = { ...options, system, component };
    this.behaviour = BEHAVIOURS[firmware];
    this.encoder = this.makeEncoder();
    const { autopilot } = this.behaviour;
    this.situation = { type, autopilot, release, armed: false, customMode: 0, boot: 0, unix: 0, voltage: 12.4 };
    this.reader = new MessageReader(
      (name) => REQUESTS.has(name),
      (message) => this.answer(message),
    );
  }

  private makeEncoder(): Encoder {
    const { system = 1, component = 1, version = 2, key } = this.options;
    if (!key) return new Encoder(dialect, { system, component, version });
    const signer = new Signer({ key, link: 0, now: () => this.now / 1000 });
    return new Encoder(dialect, { system, component, sign: (frame) => signer.sign(frame) });
  }

  /** What came over the link. */
  receive(bytes: Uint8Array): void {
    this.reader.push(bytes);
  }

  /** Sends what is due. The first call is the moment of its start. */
  tick(time: number): void {
    this.now = time;
    if (this.bootedAt < 0) this.boot(time);
    this.situation.boot = time - this.bootedAt;
    this.situation.unix = time;
    for (const [id, at] of this.due) {
      if (time < at) continue;
      const interval = this.intervals.get(id) ?? 0;
      // what was missed is not made up for
      this.due.set(id, Math.max(at + interval, time));
      this.emit(id);
    }
  }

  /** Starts again: counters and intervals are as new, settings that were not saved are gone. */
  reboot(): void {
    this.bootedAt = -1;
    this.encoder = this.makeEncoder();
    this.situation.armed = false;
  }

  /** Sends a message of one's own choice. */
  say<N extends MessageName>(name: N, values: SendValues<Messages[N]>): void {
    this.sent.set(name, (this.sent.get(name) ?? 0) + 1);
    this.send(this.encoder.message(name, values));
  }

  /** What a pilot's switch or another ground station would do. */
  set(values: Partial<Pick<Situation, 'armed' | 'customMode' | 'voltage'>>): void {
    Object.assign(this.situation, values);
  }

  private boot(time: number): void {
    this.bootedAt = time;
    this.intervals.clear();
    this.due.clear();
    if (this.behaviour.bootText !== '') this.send(new TextEncoder().encode(this.behaviour.bootText));
    // the first heartbeat comes a second after the start
    this.intervals.set(0, SECOND);
    this.due.set(0, time + SECOND);
    for (const [id, rate] of this.behaviour.defaults) this.pace(id, SECOND / rate);
  }

  private pace(id: number, interval: number): void {
    if (interval > 0) {
      this.intervals.set(id, interval);
      this.due.set(id, this.now + interval);
    } else {
      this.intervals.delete(id);
      this.due.delete(id);
    }
  }

  private emit(id: number): boolean {
    const message = messageAt(id, this.situation);
    if (!message) return false;
    this.say(message.name as MessageName, message.values);
    return true;
  }

  private answer(message: ReadMessage): void {
    const { name, data } = message;
    if (name === 'HEARTBEAT' && data.type !== 6) return;
    this.requests.push(message);
    const target = Number(data.target_system ?? 0);
    if (target !== 0 && target !== this.options.system) return;
    if (name === 'REQUEST_DATA_STREAM') this.stream(Number(data.req_stream_id), Number(data.req_message_rate), data);
    if (name === 'COMMAND_LONG' || name === 'COMMAND_INT') this.command(message);
    if (name === 'PARAM_REQUEST_LIST') this.parameters();
  }

  /** A stream request sets the pace of all messages of the group, also of those that had one of their own. */
  private stream(group: number, rate: number, data: ReadMessage['data']): void {
    const { streams } = this.behaviour;
    const startStop = Number(data.start_stop);
    if (startStop > 1) return;
    for (const [number, ids] of streams) {
      if (group !== 0 && group !== number) continue;
      for (const id of ids) this.pace(id, startStop === 1 && rate > 0 ? SECOND / rate : 0);
    }
  }

  private command({ data, system, component }: ReadMessage): void {
    const command = Number(data.command);
    this.say('COMMAND_ACK', {
      command,
      result: this.obey(command, data),
      target_system: system,
      target_component: component,
    });
  }

  private obey(command: number, data: ReadMessage['data']): number {
    const id = Number(data.param1 ?? 0);
    switch (command) {
      case SET_MESSAGE_INTERVAL: {
        const refusal = this.behaviour.refuses(id, data, messageAt(id, this.situation) !== undefined);
        if (refusal !== undefined) return refusal;
        const interval = Number(data.param2);
        const usual = this.behaviour.defaults.get(id) ?? 0;
        if (interval === 0) this.pace(id, usual > 0 ? SECOND / usual : 0);
        else this.pace(id, interval < 0 ? 0 : Math.min(Math.max(interval, 1000), 60 * SECOND));
        return ACCEPTED;
      }
      case GET_MESSAGE_INTERVAL:
        this.say('MESSAGE_INTERVAL', { message_id: id, interval_us: this.intervals.get(id) ?? -1 });
        return ACCEPTED;
      case REQUEST_MESSAGE:
        return this.emit(id) ? ACCEPTED : this.behaviour.noSuchMessage;
      case REQUEST_AUTOPILOT_CAPABILITIES:
        return this.emit(148) ? ACCEPTED : UNSUPPORTED;
      default:
        return UNSUPPORTED;
    }
  }

  private parameters(): void {
    for (const [index, name] of PARAMETERS.entries()) {
      this.say('PARAM_VALUE', {
        param_id: name,
        param_value: index + 1,
        param_type: 9,
        param_count: PARAMETERS.length,
        param_index: index,
      });
    }
  }
}
