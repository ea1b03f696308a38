import { builtinDialect } from '../formats/mavlink/builtin.ts';
import type { Dialect, MessageDefinition } from '../formats/mavlink/definition.ts';
import { encodeMessage } from '../formats/mavlink/encode.ts';
import { Header } from '../formats/mavlink/header.ts';
import type { MessageName, Messages, SendValues } from '../formats/mavlink/messages.ts';
import type { FieldValue } from '../formats/mavlink/payload.ts';
import { HeartbeatFinder } from './heartbeat.ts';
import { MessageReader, type ReadMessage } from './message-reader.ts';

const REQUESTS: ReadonlySet<string> = new Set(['COMMAND_LONG', 'COMMAND_INT', 'PARAM_REQUEST_LIST']);
/** MAV_CMD */
const GET_MESSAGE_INTERVAL = 510;
const SET_MESSAGE_INTERVAL = 511;
const REQUEST_MESSAGE = 512;
const REQUEST_AUTOPILOT_CAPABILITIES = 520;
/** MAV_RESULT */
const ACCEPTED = 0;
const UNSUPPORTED = 3;
const FAILED = 4;

const AUTOPILOT_VERSION = 148;
const PARAM_VALUE = 22;
/** param_id within its payload, and its bytes. */
const PARAM_NAME = 8;
const PARAM_NAME_BYTES = 16;

/**
 * Answers in the place of a recorded vehicle: it acknowledges what it is asked for, gives messages and parameters that
 * the recording holds, and says of everything else that it is not supported. The rates are those of the recording.
 */
export class VehicleAnswers {
  /** Requests that were answered. */
  answered = 0;
  private readonly send: (frame: Uint8Array) => void;
  private readonly reader: MessageReader;
  private readonly definitions: Map<string, MessageDefinition> = new Map();
  private readonly messages: Map<number, Uint8Array> = new Map();
  private readonly parameters: Map<string, Uint8Array> = new Map();
  private readonly intervals: Map<number, number> = new Map();
  private readonly finder = new HeartbeatFinder();
  private readonly header = new Header();
  private system = -1;
  private component = -1;
  private sequence = 0;

  constructor(send: (frame: Uint8Array) => void, dialect: Dialect = builtinDialect()) {
    this.send = send;
    for (const [definition] of dialect.messages.values()) this.definitions.set(definition.name, definition);
    this.reader = new MessageReader(
      (name) => REQUESTS.has(name),
      (message) => this.answer(message),
      { dialect },
    );
  }

  /** Learns a frame of the recording, before it is played: who the vehicle is, and what it can be asked for. */
  learn(frame: Uint8Array): void {
    const { header } = this;
    if (!header.read(frame, 0)) return;
    if (this.system < 0) this.learnVehicle(frame);
    if (header.system !== this.system || header.component !== this.component) return;
    if (header.id === PARAM_VALUE) {
      const name = frame.subarray(header.payload + PARAM_NAME, header.payload + PARAM_NAME + PARAM_NAME_BYTES);
      this.parameters.set(String.fromCharCode(...name), frame);
    } else if (!this.messages.has(header.id)) {
      this.messages.set(header.id, frame);
    }
  }

  private learnVehicle(frame: Uint8Array): void {
    this.finder.find(frame, ({ isVehicle, header }) => {
      if (!isVehicle) return;
      this.system = header.system;
      this.component = header.component;
    });
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
      for (const frame of this.parameters.values()) this.send(frame);
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
        return this.messages.has(id) ? ACCEPTED : FAILED;
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
    if (!frame) return FAILED;
    this.send(frame);
    return ACCEPTED;
  }

  /** Under the number of the last frame: who counts losses sees one that came twice, and none that is missing. */
  private say<N extends MessageName>(name: N, values: SendValues<Messages[N]>): void {
    const definition = this.definitions.get(name);
    if (!definition) return;
    const { system, component, sequence } = this;
    this.send(
      encodeMessage(definition, values as Readonly<Record<string, FieldValue>>, { system, component, sequence }),
    );
  }
}
