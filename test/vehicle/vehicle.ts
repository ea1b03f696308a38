import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import type { Dialect, MessageDefinition } from '../../src/formats/mavlink/dialect/definition.ts';
import type { MessageName, Messages, SendValues } from '../../src/formats/mavlink/dialect/messages.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import type { SigningKey } from '../../src/formats/mavlink/key.ts';
import { Signer } from '../../src/formats/mavlink/signing.ts';
import { MessageReader, type ReadMessage } from '../../src/live/message.ts';
import {
  ACCEPTED,
  COPTER_MODES,
  DENIED,
  EVENTS,
  type Event,
  FAILED,
  FIRMWARES,
  type Firmware,
  HOLD,
  OBSTACLES,
  type Parameter,
  PX4_LAND,
  PX4_MODES,
  PX4_ORBIT,
  PX4_RETURN,
  PX4_TAKE_OFF,
  REJECTED,
  REPORTS,
  STICK_MODES,
  UNSUPPORTED,
} from './facts.ts';
import { FileServer } from './files.ts';
import { type LogMessage, LogServer, type StoredLog } from './logs.ts';
import { messageAt, millis, type Situation, type Values } from './messages.ts';

export interface VehicleOptions {
  /** How it behaves; by its autopilot if that is given. */
  readonly firmware?: keyof typeof FIRMWARES;
  readonly system?: number;
  readonly component?: number;
  /** MAV_AUTOPILOT in its heartbeats, if not that of the firmware. */
  readonly autopilot?: number;
  /** MAV_TYPE; a quadrotor by default. */
  readonly type?: number;
  readonly mode?: number;
  readonly version?: 1 | 2;
  /** Signs each frame. */
  readonly key?: SigningKey;
  /** Major, minor, patch, type byte. */
  readonly release?: readonly [number, number, number, number];
  /** The number of its board; 0 if it sends none. */
  readonly uid?: number;
  /** What differs from vehicle to vehicle. */
  readonly roll?: number;
  readonly millivolts?: number;
  /** Seconds since its start at the first tick: what it sends in them was sent before. */
  readonly up?: number;
  /** Fields of a message that differ from what it would say. */
  readonly values?: (message: string, now: Situation) => Values | undefined;
  /** Messages that it sends unasked, by name, Hz; those of the firmware by default. */
  readonly streams?: Readonly<Record<string, number>>;
  /** Answers a command in its place: MAV_RESULT, null for silence, undefined to leave it to the firmware. */
  readonly answer?: (command: number, message: number, isInt: boolean) => number | null | undefined;
  /** The most that it sends of any message, Hz, whatever it accepts. */
  readonly most?: number;
  readonly parameters?: readonly Parameter[];
  /** Its files by path, of which PX4's metadata is one: they are read by MAVFTP. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** Its logs, in the order of their ids. */
  readonly logs?: readonly StoredLog[];
  /** Called when it starts again: a vehicle on a network then has another port. */
  readonly restarted?: () => void;
}

/** What was asked of it, and when. */
export interface Request extends ReadMessage {
  readonly time: number;
}

const dialect = builtinDialect();
/** PX4 puts the bytes of integers into the float of a parameter: here they are bytes for all types. */
const px4Dialect: Dialect = {
  ...dialect,
  messages: new Map([...dialect.messages].map(([id, all]) => [id, all.map(withBits)])),
};

function withBits(definition: MessageDefinition): MessageDefinition {
  if (definition.name !== 'PARAM_VALUE' && definition.name !== 'PARAM_SET') return definition;
  const fields = definition.fields.map((field) =>
    field.name === 'param_value' ? { ...field, type: 'uint32' as const } : field,
  );
  return { ...definition, fields };
}

const ids: ReadonlyMap<string, number> = new Map(
  [...dialect.messages].flatMap(([id, all]) => all.map(({ name }) => [name, id] as const)),
);
const SECOND = 1e6;
const GROUND_STATION = 6;
/** Longest text of a STATUSTEXT. */
const CHUNK = 50;
const NO_INDEX = 65535;

/** MAV_CMD */
const TAKE_OFF = 22;
const ORBIT = 34;
const SET_MODE = 176;
const REBOOT = 246;
const ARM = 400;
const RUN_CHECKS = 401;
const GET_MESSAGE_INTERVAL = 510;
const SET_MESSAGE_INTERVAL = 511;
const REQUEST_MESSAGE = 512;
const REQUEST_AUTOPILOT_CAPABILITIES = 520;

/** Copter's modes. */
const AUTO = 3;
const LAND = 9;
const AVAILABLE_MODES = 435;
const FORCE = 21196;

/** One link of a vehicle: intervals and sequence numbers are its own. */
class Channel {
  /** Microseconds between two messages, by id: those that are sent at all. */
  readonly intervals: Map<number, number> = new Map();
  readonly due: Map<number, number> = new Map();
  /** Systems that were received here. */
  readonly systems: Set<number> = new Set();
  readonly send: (bytes: Uint8Array) => void;
  readonly reader: MessageReader;
  encoder: Encoder;
  received: ReadMessage[] = [];
  /** Parameters still to be sent, and since when. */
  list: { readonly from: number; readonly isWithHash: boolean; sent: number } | undefined;

  constructor(send: (bytes: Uint8Array) => void, encoder: Encoder, known: Dialect) {
    this.send = send;
    this.encoder = encoder;
    this.reader = new MessageReader(
      () => true,
      (message) => this.received.push(message),
      { dialect: known },
    );
  }
}

/**
 * A vehicle that sends and answers as recordings of ArduCopter 4.6.3 and PX4 1.17.0 show. It has no clock and no
 * socket: `tick` gives it the time, and each frame goes to the function that it was given.
 */
export class SimulatedVehicle {
  /** All that was asked of it, in order. */
  readonly requests: Request[] = [];
  /** How often each message was sent, by name. */
  readonly sent: Map<string, number> = new Map();
  readonly situation: Situation;
  readonly files: FileServer;
  readonly logs: LogServer;
  /** Sends nothing and hears nothing while this is set. */
  isSilent = false;
  /** Names of messages that it accepts requests for and does not send. */
  readonly broken: Set<string> = new Set();
  private readonly firmware: Firmware;
  private readonly options: VehicleOptions;
  private readonly channels: Channel[] = [];
  private readonly parameters: Parameter[];
  /** What it does later, with the time since boot. */
  private later: { readonly at: number; readonly act: () => void }[] = [];
  private boots = 0;
  private origin = Number.NaN;
  private restartAt = Number.NaN;
  private now = 0;
  private textId = 0;
  private eventNumber = 0;
  private reported: keyof typeof REPORTS = 'start';
  /** Who asked for files and logs last. */
  private fileClient: { readonly channel: Channel; readonly system: number; readonly component: number } | undefined;
  private logClient: Channel | undefined;
  private gpsSince = Number.NEGATIVE_INFINITY;

  constructor(send: (bytes: Uint8Array) => void, options: VehicleOptions = {}) {
    this.options = options;
    this.firmware =
      FIRMWARES[options.firmware ?? (options.autopilot === FIRMWARES.px4.autopilot ? 'px4' : 'ardupilot')];
    const { firmware } = this;
    this.parameters = [...(options.parameters ?? firmware.parameters)];
    this.files = new FileServer(options.files ?? new Map(), this.isPx4);
    this.logs = new LogServer(options.logs ?? [], this.isPx4);
    const {
      autopilot = firmware.autopilot,
      type = 2,
      release = firmware.release,
      uid = firmware.uid,
      roll = 0,
    } = options;
    const { millivolts = firmware.battery.volts * 1000 } = options;
    this.situation = {
      firmware,
      autopilot,
      type,
      release,
      uid: BigInt(uid),
      armed: false,
      flying: false,
      ready: false,
      fix: 3,
      customMode: this.firstMode,
      modeBefore: 0,
      boot: 0,
      unix: 0,
      voltage: millivolts / 1000,
      roll,
    };
    this.connect(send);
  }

  /** Adds a link. */
  connect(send: (bytes: Uint8Array) => void): Channel {
    const channel = new Channel(send, this.makeEncoder(), this.dialect);
    this.channels.push(channel);
    return channel;
  }

  private get isPx4(): boolean {
    return this.firmware === FIRMWARES.px4;
  }

  private get dialect(): Dialect {
    return this.isPx4 ? px4Dialect : dialect;
  }

  private get firstMode(): number {
    return this.options.mode ?? (this.isPx4 ? HOLD : 0);
  }

  /** Of the first link. */
  get intervals(): ReadonlyMap<number, number> {
    return this.channels[0].intervals;
  }

  /** Hz of its messages on the first link, by name, as they are and to be set. */
  get rates(): { get(name: string): number | undefined; set(name: string, rate: number): void; clear(): void } {
    const id = (name: string): number => ids.get(name) ?? -1;
    return {
      get: (name) => {
        const interval = this.intervals.get(id(name));
        return interval && Math.round((SECOND / interval) * 1000) / 1000;
      },
      set: (name, rate) => this.setInterval(this.channels[0], id(name), rate > 0 ? SECOND / rate : 0),
      clear: () => {
        for (const each of this.intervals.keys()) if (each !== 0) this.setInterval(this.channels[0], each, 0);
      },
    };
  }

  /** When it started. */
  get bootedAt(): number {
    return this.origin;
  }

  set bootedAt(time: number) {
    this.origin = time;
  }

  /** Commands, in order. */
  get commands(): readonly { command: number; message: number; isInt: boolean; time: number }[] {
    return this.requests
      .filter(({ name }) => name === 'COMMAND_LONG' || name === 'COMMAND_INT')
      .map(({ name, data, time }) => ({
        command: Number(data.command),
        message: Number(data.param1),
        isInt: name === 'COMMAND_INT',
        time,
      }));
  }

  get streamRequests(): number {
    return this.requests.filter(({ name }) => name === 'REQUEST_DATA_STREAM').length;
  }

  private makeEncoder(): Encoder {
    const { system = 1, component = 1, version = 2, key } = this.options;
    if (!key) return new Encoder(this.dialect, { system, component, version });
    const signer = new Signer({ key, link: 0, now: () => this.now / 1000 });
    return new Encoder(this.dialect, { system, component, sign: (frame) => signer.sign(frame) });
  }

  /** Takes bytes that came over a link, the first one by default. */
  receive(bytes: Uint8Array, channel: Channel = this.channels[0]): void {
    if (this.isSilent || !(this.now >= this.origin)) return;
    channel.received = [];
    channel.reader.push(bytes);
    for (const message of channel.received) {
      channel.systems.add(message.system);
      if (channel.received.length === 1) this.route(message, bytes, channel);
      this.answer(message, channel);
    }
  }

  /** Sends what is due. The first call is its start, or comes `up` seconds after it. */
  tick(time: number): void {
    this.now = time;
    if (this.boots === 0) this.start(Number.isNaN(this.origin) ? time - (this.options.up ?? 0) * SECOND : this.origin);
    if (time >= this.restartAt) this.start(this.restartAt);
    if (!Number.isNaN(this.restartAt)) return;
    const { situation } = this;
    situation.boot = time - this.origin;
    situation.unix = time;
    this.checkHealth();
    const due = this.later.filter(({ at }) => at <= situation.boot).sort((a, b) => a.at - b.at);
    this.later = this.later.filter(({ at }) => at > situation.boot);
    for (const { act } of due) act();
    this.files.tick(time, (payload) => this.sendFiles([payload]));
    this.logs.tick(time, situation.armed, (message) => this.sendLogs([message]));
    for (const channel of this.channels) {
      for (const [id, at] of channel.due) {
        if (time < at) continue;
        // what was missed is not made up for
        channel.due.set(id, Math.max(at + (channel.intervals.get(id) ?? 0), time));
        if (situation.boot >= this.startOf(id) && !this.firmware.silent.has(id)) this.emit(id, channel);
      }
      this.sendParameters(channel);
    }
  }

  private startOf(id: number): number {
    return (this.firmware.notBefore.get(id) ?? 0) * SECOND;
  }

  /** Starts again at the next tick: sequence numbers, intervals and modes are as after power-up. */
  reboot(): void {
    this.restartAt = this.now;
    this.origin = Number.NaN;
  }

  /** Sends a message on each link. */
  say<N extends MessageName>(name: N, values: SendValues<Messages[N]>): void {
    for (const channel of this.channels) this.write(channel, name, values as Values);
  }

  /** What a pilot's switch or another ground station would do. */
  set(values: Partial<Pick<Situation, 'armed' | 'flying' | 'customMode' | 'voltage'>>): void {
    Object.assign(this.situation, values);
  }

  private write(channel: Channel, name: string, values: Values): void {
    if (this.isSilent || this.broken.has(name)) return;
    this.sent.set(name, (this.sent.get(name) ?? 0) + 1);
    channel.send(channel.encoder.message(name as MessageName, values as SendValues<Messages[MessageName]>));
  }

  private start(time: number): void {
    const { situation, firmware } = this;
    const isFirst = this.boots++ === 0;
    if (!isFirst) this.options.restarted?.();
    this.origin = time;
    this.restartAt = Number.NaN;
    this.later = [];
    this.files.restart();
    this.logs.restart();
    this.textId = 0;
    this.eventNumber = NO_INDEX - 9;
    this.reported = 'start';
    Object.assign(situation, { armed: false, flying: false, ready: false, customMode: this.firstMode, boot: 0 });
    situation.modeBefore = situation.customMode;
    const { streams } = this.options;
    const rates = streams ? Object.entries({ HEARTBEAT: 1, ...streams }) : undefined;
    for (const channel of this.channels) {
      channel.encoder = this.makeEncoder();
      channel.list = undefined;
      channel.intervals.clear();
      channel.due.clear();
      for (const [id, rate] of rates?.map(([name, rate]) => [ids.get(name) ?? -1, rate] as const) ?? firmware.rates) {
        this.setInterval(channel, id, SECOND / rate);
        // the first of those that come each second or seldom comes a second after the start
        const first = time + Math.max(rate > 1 ? 0 : Math.min(SECOND / rate, (1 / rate) * SECOND), this.startOf(id));
        channel.due.set(id, Math.max(this.now, first));
      }
    }
    const past = this.now - time;
    for (const step of firmware.boot) {
      if (step.at * SECOND < past || (step.first !== undefined && step.first !== isFirst)) continue;
      this.later.push({ at: step.at * SECOND, act: () => this.step(step) });
    }
  }

  private step({ console, text, message, parameter, event }: Firmware['boot'][number]): void {
    const [first] = this.channels;
    if (console !== undefined && !this.isSilent) first.send(new TextEncoder().encode(console));
    if (text !== undefined) this.text(6, text);
    for (const channel of this.channels) if (message !== undefined) this.emit(message, channel);
    if (parameter !== undefined) {
      const known = this.parameters.find(({ name }) => name === parameter);
      for (const channel of this.channels)
        this.parameter(channel, known ?? { name: parameter, value: 0, type: 9 }, !this.isPx4);
    }
    if (event) this.event(event);
  }

  private setInterval(channel: Channel, id: number, interval: number): void {
    const { most = Number.POSITIVE_INFINITY } = this.options;
    if (interval > 0) {
      channel.intervals.set(id, Math.max(interval, SECOND / most));
      channel.due.set(id, this.now + interval);
    } else {
      channel.intervals.delete(id);
      channel.due.delete(id);
    }
  }

  private emit(id: number, channel: Channel): boolean {
    const message = messageAt(id, this.situation);
    if (!message) return false;
    const { name, values } = message;
    this.write(channel, name, { ...values, ...this.options.values?.(name, this.situation) });
    return true;
  }

  /** A text of more than 50 characters comes in chunks with a number; PX4 numbers all. */
  private text(severity: number, text: string): void {
    const isLong = text.length > CHUNK;
    const id = isLong || (this.isPx4 && this.situation.boot > 5 * SECOND) ? ++this.textId : 0;
    for (let chunk = 0; chunk * CHUNK < text.length; chunk++) {
      this.say('STATUSTEXT', {
        severity,
        text: text.slice(chunk * CHUNK, (chunk + 1) * CHUNK),
        id,
        chunk_seq: chunk,
      });
    }
  }

  private event([id, levels, args]: Event): void {
    const bytes = Array.from({ length: 40 }, (_, i) => Number.parseInt(args.slice(2 * i, 2 * i + 2) || '0', 16));
    this.eventNumber = (this.eventNumber + 1) % (NO_INDEX + 1);
    this.say('EVENT', {
      id,
      event_time_boot_ms: millis(this.situation),
      sequence: this.eventNumber,
      log_levels: levels,
      arguments: bytes,
    });
  }

  /** Seconds from now. */
  private after(seconds: number, act: () => void): void {
    this.later.push({ at: this.situation.boot + seconds * SECOND, act });
  }

  /** ArduPilot hands frames on between its links: to all, or to the link on which the target was heard. */
  private route({ data }: ReadMessage, bytes: Uint8Array, from: Channel): void {
    if (this.isPx4) return;
    const { system = 1 } = this.options;
    const target = Number(data.target_system ?? 0);
    if (target === system) return;
    for (const channel of this.channels) {
      if (channel !== from && (target === 0 || channel.systems.has(target))) channel.send(bytes);
    }
  }

  private answer(message: ReadMessage, channel: Channel): void {
    const { name, data } = message;
    if (name === 'HEARTBEAT' && data.type !== GROUND_STATION) return;
    this.requests.push({ ...message, time: this.now });
    const { system = 1, component = 1 } = this.options;
    const target = Number(data.target_system ?? 0);
    const part = Number(data.target_component ?? 0);
    if ((target !== 0 && target !== system) || (part !== 0 && part !== component)) return;
    switch (name) {
      case 'REQUEST_DATA_STREAM':
        this.stream(channel, data);
        break;
      case 'COMMAND_LONG':
      case 'COMMAND_INT':
        this.command(message, channel);
        break;
      case 'PARAM_REQUEST_LIST':
        channel.list = { from: this.now, isWithHash: channel.list === undefined, sent: 0 };
        break;
      case 'PARAM_REQUEST_READ':
        this.readParameter(channel, String(data.param_id ?? ''), Number(data.param_index ?? -1));
        break;
      case 'PARAM_SET':
        this.setParameter(String(data.param_id ?? ''), Number(data.param_value), Number(data.param_type));
        break;
      case 'FILE_TRANSFER_PROTOCOL':
        if (!this.options.files) break;
        this.fileClient = { channel, system: message.system, component: message.component };
        this.sendFiles(this.files.answer(Uint8Array.from(data.payload as number[]), this.now));
        break;
      case 'LOG_REQUEST_LIST':
      case 'LOG_REQUEST_DATA':
      case 'LOG_REQUEST_END':
        if (!this.options.logs) break;
        if (name !== 'LOG_REQUEST_END') this.logClient = channel;
        this.sendLogs(this.logs.receive(message, this.situation.armed));
        break;
      case 'MISSION_REQUEST_LIST':
        this.write(channel, 'MISSION_COUNT', {
          target_system: message.system,
          target_component: message.component,
          count: 0,
          mission_type: Number(data.mission_type ?? 0),
        });
        break;
    }
  }

  private sendFiles(payloads: readonly Uint8Array[]): void {
    if (!this.fileClient) return;
    const { channel, system, component } = this.fileClient;
    const target = { target_system: system, target_component: component };
    for (const payload of payloads) this.write(channel, 'FILE_TRANSFER_PROTOCOL', { ...target, payload: [...payload] });
  }

  private sendLogs(messages: readonly LogMessage[]): void {
    for (const [name, values] of messages) if (this.logClient) this.write(this.logClient, name, values);
  }

  /** A stream request sets the interval of all messages of the group, also of those that had one of their own. */
  private stream(channel: Channel, data: ReadMessage['data']): void {
    const [group, rate, start] = [data.req_stream_id, data.req_message_rate, data.start_stop].map(Number);
    if (start > 1 || this.situation.autopilot !== FIRMWARES.ardupilot.autopilot) return;
    for (const [number, members] of this.firmware.streams) {
      if (group !== 0 && group !== number) continue;
      for (const id of members) this.setInterval(channel, id, start === 1 && rate > 0 ? SECOND / rate : 0);
    }
  }

  private command({ name, data, system, component }: ReadMessage, channel: Channel): void {
    const command = Number(data.command);
    const id = Number(data.param1 ?? 0);
    const own = this.options.answer?.(command, id, name === 'COMMAND_INT');
    if (own === null) return;
    const acknowledge = (result: number): void =>
      this.write(channel, 'COMMAND_ACK', { command, result, target_system: system, target_component: component });
    if (own !== undefined && own !== ACCEPTED) {
      acknowledge(own);
      return;
    }
    switch (command) {
      case SET_MESSAGE_INTERVAL:
        this.interval(channel, id, data, own === ACCEPTED, acknowledge);
        break;
      case GET_MESSAGE_INTERVAL: {
        const isKnown = this.firmware.intervals.has(id);
        const none = isKnown || this.isPx4 ? -1 : 0;
        this.write(channel, 'MESSAGE_INTERVAL', {
          message_id: id,
          interval_us: Math.round(channel.intervals.get(id) ?? none),
        });
        acknowledge(isKnown ? ACCEPTED : this.firmware.refusal.question);
        break;
      }
      case REQUEST_MESSAGE:
        this.request(channel, id, own === ACCEPTED, acknowledge);
        break;
      case REQUEST_AUTOPILOT_CAPABILITIES:
        this.request(channel, 148, own === ACCEPTED, acknowledge);
        break;
      case SET_MODE:
        this.setMode(data, acknowledge);
        break;
      case ARM:
        this.arm(id === 1, Number(data.param2) === FORCE, acknowledge);
        break;
      case TAKE_OFF:
        this.takeOff(acknowledge);
        break;
      case REBOOT:
        acknowledge(ACCEPTED);
        this.restartAt = this.now + this.firmware.restart * SECOND;
        this.origin = Number.NaN;
        break;
      case RUN_CHECKS:
        this.runChecks(acknowledge);
        break;
      case ORBIT:
        if (this.isPx4 && this.situation.flying) this.situation.customMode = PX4_ORBIT;
        acknowledge(this.isPx4 && this.situation.flying ? ACCEPTED : UNSUPPORTED);
        break;
      default:
        acknowledge(own ?? UNSUPPORTED);
    }
  }

  private interval(
    channel: Channel,
    id: number,
    data: ReadMessage['data'],
    isForced: boolean,
    acknowledge: (result: number) => void,
  ): void {
    const { firmware } = this;
    const isPlain = [data.param3, ...(this.isPx4 ? [data.param4, data.param7] : [])].every(
      (value) => value === null || value === undefined || Number(value) === 0,
    );
    if (!isForced && !isPlain) {
      acknowledge(DENIED);
    } else if (!isForced && !firmware.intervals.has(id) && !(id === 0 && !this.isPx4)) {
      acknowledge(firmware.refusal.interval);
      if (!this.isPx4) this.text(6, `No ap_message for mavlink id (${id})`);
    } else {
      const interval = Number(data.param2);
      const usual = firmware.rates.get(id) ?? 0;
      if (interval === 0) this.setInterval(channel, id, usual > 0 ? SECOND / usual : 0);
      else this.setInterval(channel, id, interval < 0 ? 0 : Math.min(Math.max(interval, 1000), 60 * SECOND));
      acknowledge(ACCEPTED);
    }
  }

  /** ArduPilot acknowledges before it sends the message, PX4 after it. */
  private request(channel: Channel, id: number, isForced: boolean, acknowledge: (result: number) => void): void {
    const { firmware, situation } = this;
    const isHere = situation.boot >= this.startOf(id);
    const isKnown = firmware.intervals.has(id) || firmware.single.has(id) || isForced;
    const isAnswered = isKnown && (isHere || !this.isPx4);
    if (!this.isPx4) acknowledge(isAnswered ? ACCEPTED : firmware.refusal.request);
    if (isAnswered && isHere && (isForced || !firmware.silent.has(id))) {
      if (id === AVAILABLE_MODES) this.modes(channel);
      else this.emit(id, channel);
    }
    if (this.isPx4) acknowledge(isAnswered ? ACCEPTED : firmware.refusal.request);
  }

  private modes(channel: Channel): void {
    for (const [i, [standard, custom, properties, name]] of PX4_MODES.entries()) {
      this.write(channel, 'AVAILABLE_MODES', {
        number_modes: PX4_MODES.length,
        mode_index: i + 1,
        standard_mode: standard,
        custom_mode: custom,
        properties,
        mode_name: name,
      });
    }
  }

  private setMode(data: ReadMessage['data'], acknowledge: (result: number) => void): void {
    if (this.isPx4) this.setPx4Mode(Number(data.param2), Number(data.param3 ?? 0), acknowledge);
    else this.setCopterMode(Number(data.param2), acknowledge);
  }

  private setCopterMode(mode: number, acknowledge: (result: number) => void): void {
    const { situation } = this;
    if (!COPTER_MODES.has(mode) || mode === AUTO) {
      acknowledge(FAILED);
      this.text(4, mode === AUTO ? 'Mode change to AUTO failed: init failed' : `No such mode ${mode}`);
      return;
    }
    acknowledge(ACCEPTED);
    if (mode === situation.customMode) return;
    situation.modeBefore = situation.customMode;
    situation.customMode = mode;
    // a heartbeat shows a new mode at once
    for (const channel of this.channels) this.emit(0, channel);
    situation.modeBefore = mode;
    if (mode !== LAND || !situation.flying) return;
    this.after(11.45, () => this.text(6, 'SIM Hit ground at 1.505497 m/s'));
    this.after(13.35, () => {
      this.text(6, 'Disarming motors');
      Object.assign(situation, { armed: false, flying: false });
    });
  }

  /** PX4's link accepts what its commander may then reject: two COMMAND_ACKs, and the mode stays. */
  private setPx4Mode(main: number, sub: number, acknowledge: (result: number) => void): void {
    const { situation } = this;
    const mode = ((sub << 24) | (main << 16)) >>> 0;
    acknowledge(ACCEPTED);
    const sticks = STICK_MODES.get(mode);
    if (situation.flying && sticks) {
      acknowledge(REJECTED);
      this.text(2, `Switching to ${sticks} is currently not available\t`);
      const args = `0000${main.toString(16).padStart(2, '0')}${sub.toString(16).padStart(2, '0')}`;
      this.event([EVENTS.noMode[0], EVENTS.noMode[1], sub ? `${args}09` : `${args}01`]);
      return;
    }
    acknowledge(ACCEPTED);
    situation.customMode = mode;
    if (!situation.flying) return;
    if (mode === PX4_RETURN) {
      this.after(0.07, () => {
        this.text(6, 'RTL: start return at 495 m (6 m above destination)\t');
        this.event(EVENTS.returning);
      });
    }
    if (mode !== PX4_LAND) return;
    this.after(10.8, () => {
      this.text(6, 'Landing detected\t');
      this.event(EVENTS.landed);
    });
    this.after(12.8, () => {
      this.text(6, 'Disarmed by landing\t');
      this.event(EVENTS.disarmed);
      Object.assign(situation, { armed: false, flying: false, customMode: HOLD });
    });
    this.after(16, () => this.report('landed'));
  }

  private arm(isArmed: boolean, isForced: boolean, acknowledge: (result: number) => void): void {
    if (this.isPx4) this.armPx4(isArmed, isForced, acknowledge);
    else this.armCopter(isArmed, isForced, acknowledge);
  }

  private armCopter(isArmed: boolean, isForced: boolean, acknowledge: (result: number) => void): void {
    const { situation } = this;
    if (!isArmed && situation.flying && !isForced) {
      acknowledge(FAILED);
      return;
    }
    if (isArmed && !situation.armed && !isForced) {
      const reasons = OBSTACLES.filter(
        ({ until, modes }) => situation.boot < until * SECOND && (modes?.includes(situation.customMode) ?? true),
      );
      if (reasons.length > 0) {
        acknowledge(FAILED);
        for (const { text } of reasons) this.text(2, text);
        return;
      }
    }
    acknowledge(ACCEPTED);
    if (situation.armed === isArmed) return;
    situation.armed = isArmed;
    situation.flying = false;
    if (isArmed) {
      for (const channel of this.channels) {
        this.emit(49, channel);
        this.emit(242, channel);
      }
    }
    this.text(6, isArmed ? 'Arming motors' : 'Disarming motors');
  }

  private takeOff(acknowledge: (result: number) => void): void {
    const { situation } = this;
    if (!situation.armed) {
      acknowledge(this.isPx4 ? REJECTED : FAILED);
      return;
    }
    acknowledge(ACCEPTED);
    this.after(3, () => {
      situation.flying = situation.armed;
    });
    for (const imu of [0, 1]) {
      this.after(5.7, () => this.text(6, `EKF3 IMU${imu} MAG0 in-flight yaw alignment complete`));
    }
  }

  private armPx4(isArmed: boolean, isForced: boolean, acknowledge: (result: number) => void): void {
    const { situation } = this;
    if (!isArmed) {
      acknowledge(situation.flying && !isForced ? REJECTED : ACCEPTED);
      if (situation.flying && !isForced) {
        this.text(2, 'Disarming denied: not landed\t');
        this.event(EVENTS.notLanded);
      } else {
        Object.assign(situation, { armed: false, flying: false });
      }
      return;
    }
    if (situation.armed) {
      acknowledge(ACCEPTED);
      return;
    }
    if (!situation.ready && !isForced) {
      acknowledge(REJECTED);
      const denied = 'Arming denied: Resolve system health failures first\t';
      if (this.state() === this.reported || this.reported === 'start') {
        this.text(2, denied);
      } else {
        this.text(2, 'Preflight Fail: Global position estimate required');
        this.report(this.state());
        this.after(0.05, () => this.text(2, denied));
      }
      this.event(EVENTS.denied);
      return;
    }
    acknowledge(ACCEPTED);
    situation.armed = true;
    this.text(6, 'Armed by external command\t');
    this.event(EVENTS.armed);
    if (situation.customMode !== PX4_TAKE_OFF) return;
    const height = this.parameters.find(({ name }) => name === 'MIS_TAKEOFF_ALT')?.value ?? 0;
    this.event(EVENTS.takeOffHeight);
    this.after(0.05, () => this.text(6, `Using default takeoff altitude: ${height.toFixed(1)} m\t`));
    this.after(1.95, () => {
      situation.flying = true;
      this.text(6, 'Takeoff detected\t');
      this.event(EVENTS.takeOff);
    });
  }

  /** What PX4's checks find; ArduPilot is ready once it uses its GPS. */
  private state(): keyof typeof REPORTS {
    const used = this.parameters.find(({ name }) => name === 'SIM_GPS_USED')?.value ?? 10;
    if (used < 4) return 'noGps';
    return this.situation.boot - this.gpsSince < 3.09 * SECOND ? 'noPosition' : 'ready';
  }

  private checkHealth(): void {
    const { situation } = this;
    const start = this.isPx4 ? 3 : 41.6;
    const isReady = situation.boot > start * SECOND && (!this.isPx4 || this.state() === 'ready');
    if (this.isPx4 && isReady && !situation.ready && this.reported !== 'start') this.report('ready');
    situation.ready = isReady;
    situation.fix = this.isPx4 && this.state() === 'noGps' ? 0 : 3;
  }

  private report(state: keyof typeof REPORTS): void {
    this.reported = state;
    for (const event of REPORTS[state]) this.event(event);
  }

  private runChecks(acknowledge: (result: number) => void): void {
    acknowledge(ACCEPTED);
    if (!this.isPx4) return;
    const state = this.state();
    if (state === 'noGps') this.text(2, 'Preflight Fail: GPS fix too low');
    this.report(state);
    if (state !== 'ready') this.after(0.05, () => this.text(2, 'Preflight Fail: Global position estimate required'));
  }

  /** ArduPilot sends each value as a float, PX4 the bytes of an integer. */
  private parameter(channel: Channel, { name, value, type }: Parameter, isWithoutIndex: boolean): void {
    const list = this.parameters.filter((each) => each.name !== '_HASH_CHECK');
    const index = list.findIndex((each) => each.name === name);
    this.write(channel, 'PARAM_VALUE', {
      param_id: name,
      param_value: this.isPx4 ? bitsOf(value, type) : value,
      param_type: type,
      param_count: list.length,
      param_index: isWithoutIndex || index < 0 ? NO_INDEX : index,
    });
  }

  private sendParameters(channel: Channel): void {
    const { list } = channel;
    if (!list) return;
    const all = list.isWithHash ? this.parameters : this.parameters.filter(({ name }) => name !== '_HASH_CHECK');
    const due = Math.min(all.length, Math.ceil(((this.now - list.from) / SECOND) * this.firmware.parameterRate));
    while (list.sent < due) this.parameter(channel, all[list.sent++], false);
    if (list.sent === all.length) channel.list = undefined;
  }

  private readParameter(channel: Channel, name: string, index: number): void {
    const list = this.parameters.filter((each) => each.name !== '_HASH_CHECK');
    const known = index >= 0 ? list[index] : this.parameters.find((each) => each.name === name);
    // silence for what is not there
    if (known) this.parameter(channel, known, index < 0 && !this.isPx4);
  }

  private setParameter(name: string, value: number, type: number): void {
    const at = this.parameters.findIndex((each) => each.name === name);
    if (at < 0) return;
    if (name === 'SIM_GPS_USED' && this.parameters[at].value < 4) {
      this.gpsSince = this.situation.boot;
      this.after(0.6, () => this.say('GPS_GLOBAL_ORIGIN', {}));
    }
    this.parameters[at] = { name, value: this.isPx4 ? numberOf(value, type) : value, type };
    for (const channel of this.channels) this.parameter(channel, this.parameters[at], !this.isPx4);
  }
}

const REAL32 = 9;
const word = new DataView(new ArrayBuffer(4));

function bitsOf(value: number, type: number): number {
  if (type === REAL32) word.setFloat32(0, value);
  else word.setUint32(0, value);
  return word.getUint32(0);
}

function numberOf(bits: number, type: number): number {
  word.setUint32(0, bits);
  return type === REAL32 ? word.getFloat32(0) : word.getInt32(0);
}
