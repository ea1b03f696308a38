import { ARDUPILOT, PX4 } from '../../facts/heartbeat.ts';
import { builtinDialect } from '../../formats/mavlink/dialect/builtin.ts';
import type { Dialect, MessageDefinition } from '../../formats/mavlink/dialect/definition.ts';
import type { MessageName, Messages, SendValues } from '../../formats/mavlink/dialect/messages.ts';
import { type EncodeOptions, encodeBytes, encodeMessage } from '../../formats/mavlink/encode.ts';
import { Header } from '../../formats/mavlink/header.ts';
import type { FieldValue } from '../../formats/mavlink/payload.ts';
import { heartbeatOf } from '../heartbeat.ts';
import { MessageReader, type ReadMessage } from '../message.ts';

const REQUESTS: ReadonlySet<string> = new Set([
  'COMMAND_LONG',
  'COMMAND_INT',
  'PARAM_REQUEST_LIST',
  'PARAM_REQUEST_READ',
]);
/** MAV_CMD */
const GET_MESSAGE_INTERVAL = 510;
const SET_MESSAGE_INTERVAL = 511;
const REQUEST_MESSAGE = 512;
const REQUEST_AUTOPILOT_CAPABILITIES = 520;
/** MAV_RESULT */
const ACCEPTED = 0;
const DENIED = 2;
const UNSUPPORTED = 3;
const FAILED = 4;

const AUTOPILOT_VERSION = 148;
const PARAM_VALUE = 22;
/** Places in the payload of PARAM_VALUE, and bytes of it and of the name. */
const PARAM = { count: 4, index: 6, name: 8, nameBytes: 16, bytes: 25 } as const;
/** The index of a parameter that was not sent as part of a list. */
const UNLISTED = 65535;
/** PX4 sends the sum of its parameters under this name, before the others. */
const HASH = '_HASH_CHECK';

interface RecordedParameter {
  /** Of PARAM_VALUE, without the cut of version 2. */
  payload: Uint8Array;
  index: number;
}

/**
 * Answers in the place of a recorded vehicle: it acknowledges what it is asked for, gives messages and parameters that
 * the recording holds, and says of everything else that it is not supported. The rates are those of the recording. A
 * list of parameters is sent by `sendWaiting`, which sets its pace: sent at once it would not fit into the buffer of a
 * receiver.
 */
export class VehicleAnswers {
  answered = 0;
  private readonly send: (frame: Uint8Array) => boolean;
  private readonly reader: MessageReader;
  private readonly definitions: Map<string, MessageDefinition> = new Map();
  private readonly messages: Map<number, Uint8Array> = new Map();
  private readonly parameters: Map<string, RecordedParameter> = new Map();
  /** All parameters in the order of the list, once they were asked for. */
  private list: readonly Uint8Array[] | undefined;
  /** Parameters of a list that were not sent yet, the next one last. */
  private waiting: Uint8Array[] = [];
  private readonly intervals: Map<number, number> = new Map();
  private readonly header = new Header();
  private system = -1;
  private component = -1;
  private autopilot = -1;
  private sequence = 0;

  constructor(send: (frame: Uint8Array) => boolean, dialect: Dialect = builtinDialect()) {
    this.send = send;
    for (const [definition] of dialect.messages.values()) this.definitions.set(definition.name, definition);
    this.reader = new MessageReader(
      (name) => REQUESTS.has(name),
      (message) => this.answer(message),
      { dialect },
    );
  }

  /** Learns a frame of the recording before playback: the vehicle's ids, and what it can be asked for. */
  learn(frame: Uint8Array): void {
    const { header } = this;
    if (!header.read(frame, 0)) return;
    if (this.system < 0) this.learnVehicle(frame);
    if (header.system !== this.system || header.component !== this.component) return;
    if (header.id === PARAM_VALUE) {
      this.learnParameter(frame.subarray(header.payload, header.payload + header.length));
    } else if (!this.messages.has(header.id)) {
      this.messages.set(header.id, frame);
    }
  }

  /** The newest value; a value that was sent unasked keeps the index that the parameter has in the list. */
  private learnParameter(bytes: Uint8Array): void {
    const payload = new Uint8Array(PARAM.bytes);
    payload.set(bytes.subarray(0, PARAM.bytes));
    const name = nameIn(payload);
    const index = indexIn(payload);
    const known = this.parameters.get(name);
    if (known && index === UNLISTED) known.payload = payload;
    else this.parameters.set(name, { payload, index });
    this.list = undefined;
  }

  private get listed(): readonly Uint8Array[] {
    this.list ??= this.makeList();
    return this.list;
  }

  /** In the order of the vehicle's list; where the recording does not have all of it, with indexes of ours. */
  private makeList(): Uint8Array[] {
    const all = [...this.parameters].filter(([name]) => name !== HASH).map(([, parameter]) => parameter);
    const isWhole =
      new Set(all.map(({ index }) => index)).size === all.length && all.every(({ index }) => index < all.length);
    if (isWhole) all.sort((a, b) => a.index - b.index);
    const hash = this.parameters.get(HASH)?.payload;
    const payloads = all.map(({ payload }, index) => numbered(payload, index, all.length));
    return hash ? [numbered(hash, UNLISTED, all.length), ...payloads] : payloads;
  }

  /** Sends some waiting messages: call it a few times a second during playback. @returns whether some are left */
  sendWaiting(most: number): boolean {
    for (let sent = 0; sent < most && this.waiting.length > 0; sent++) {
      if (!this.sayBytes('PARAM_VALUE', this.waiting[this.waiting.length - 1])) break;
      this.waiting.pop();
    }
    return this.waiting.length > 0;
  }

  private learnVehicle(frame: Uint8Array): void {
    const heartbeat = heartbeatOf(frame, this.header);
    if (!heartbeat) return;
    this.autopilot = heartbeat.autopilot;
    this.system = this.header.system;
    this.component = this.header.component;
  }

  /** A frame of the recording is sent: the newest of its kind is what is given when it is asked for. */
  played(frame: Uint8Array): void {
    const { header } = this;
    if (!header.read(frame, 0) || header.system !== this.system || header.component !== this.component) return;
    this.sequence = header.sequence;
    if (header.id !== PARAM_VALUE) this.messages.set(header.id, frame);
  }

  /** What came over the link. */
  receive(bytes: Uint8Array): void {
    this.reader.push(bytes);
  }

  private answer(message: ReadMessage): void {
    const { name, data } = message;
    const target = Number(data.target_system ?? 0);
    if (this.system < 0 || (target !== 0 && target !== this.system)) return;
    this.answered++;
    if (name === 'PARAM_REQUEST_LIST') {
      // a second request begins again
      this.waiting = this.listed.toReversed();
      return;
    }
    if (name === 'PARAM_REQUEST_READ') {
      this.giveParameter(Number(data.param_index ?? -1), String(data.param_id ?? ''));
      return;
    }
    const command = Number(data.command);
    const result = this.obey(command, data);
    const { system: target_system, component: target_component } = message;
    this.say('COMMAND_ACK', { command, result, target_system, target_component });
  }

  private obey(command: number, data: ReadMessage['data']): number {
    const id = Number(data.param1 ?? 0);
    switch (command) {
      case SET_MESSAGE_INTERVAL:
        this.intervals.set(id, Number(data.param2 ?? 0));
        if (this.messages.has(id)) return ACCEPTED;
        return this.autopilot === ARDUPILOT ? DENIED : FAILED;
      case GET_MESSAGE_INTERVAL:
        this.say('MESSAGE_INTERVAL', { message_id: id, interval_us: this.intervals.get(id) ?? 0 });
        return ACCEPTED;
      case REQUEST_MESSAGE:
        return this.give(id);
      case REQUEST_AUTOPILOT_CAPABILITIES:
        return this.give(AUTOPILOT_VERSION);
      default:
        return UNSUPPORTED;
    }
  }

  private give(id: number): number {
    const frame = this.messages.get(id);
    if (!frame) return this.autopilot === PX4 ? DENIED : FAILED;
    this.send(frame);
    return ACCEPTED;
  }

  /** By index, or by name if it is negative; a parameter that is not there has no answer. */
  private giveParameter(index: number, name: string): void {
    const { listed } = this;
    const named = (payload: Uint8Array): boolean => nameIn(payload) === name;
    const found = index < 0 ? listed.find(named) : listed.find((payload) => indexIn(payload) === index);
    if (found) this.sayBytes('PARAM_VALUE', index < 0 ? numbered(found, UNLISTED, countIn(found)) : found);
  }

  /** Under the number of the last frame: a receiver that counts losses sees a repeated frame and none that is missing. */
  private say<N extends MessageName>(name: N, values: SendValues<Messages[N]>): void {
    const definition = this.definitions.get(name);
    if (definition) this.send(encodeMessage(definition, values as Readonly<Record<string, FieldValue>>, this.sender));
  }

  private sayBytes(name: MessageName, payload: Uint8Array): boolean {
    const definition = this.definitions.get(name);
    return definition !== undefined && this.send(encodeBytes(definition, payload, this.sender));
  }

  private get sender(): EncodeOptions {
    const { system, component, sequence } = this;
    return { system, component, sequence };
  }
}

function nameIn(payload: Uint8Array): string {
  const name = payload.subarray(PARAM.name, PARAM.name + PARAM.nameBytes);
  const end = name.indexOf(0);
  return String.fromCharCode(...name.subarray(0, end < 0 ? name.length : end));
}

function indexIn(payload: Uint8Array): number {
  return payload[PARAM.index] | (payload[PARAM.index + 1] << 8);
}

function countIn(payload: Uint8Array): number {
  return payload[PARAM.count] | (payload[PARAM.count + 1] << 8);
}

function numbered(payload: Uint8Array, index: number, count: number): Uint8Array {
  const copy = new Uint8Array(payload);
  const view = new DataView(copy.buffer);
  view.setUint16(PARAM.count, count, true);
  view.setUint16(PARAM.index, index, true);
  return copy;
}
