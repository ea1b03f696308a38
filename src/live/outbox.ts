import type { Dialect, MessageDefinition } from '../formats/mavlink/definition.ts';
import { encodeMessage } from '../formats/mavlink/encode.ts';
import { catalogOf } from '../formats/mavlink/options.ts';
import type { FieldValue } from '../formats/mavlink/payload.ts';

/** MAV_CMD: the commands that only ask for messages. */
export const SET_MESSAGE_INTERVAL = 511;
export const REQUEST_MESSAGE = 512;
export const REQUEST_CAPABILITIES = 520;
const HARMLESS_COMMANDS: readonly number[] = [SET_MESSAGE_INTERVAL, REQUEST_MESSAGE, REQUEST_CAPABILITIES];
const HARMLESS_MESSAGES: readonly string[] = ['HEARTBEAT', 'REQUEST_DATA_STREAM', 'COMMAND_LONG', 'COMMAND_INT'];

/** What a heartbeat of ours says: MAV_TYPE_GCS, MAV_AUTOPILOT_INVALID, MAV_STATE_ACTIVE. */
const GCS = 6;
const NO_AUTOPILOT = 8;
const ACTIVE = 4;
const ALL_STREAMS = 0;

type Values = Readonly<Record<string, FieldValue>>;

export interface OutboxOptions {
  readonly send: (link: string, frame: Uint8Array) => void;
  /** Who we are. */
  readonly system: number;
  readonly component: number;
  readonly dialect?: Dialect | undefined;
  /** The base mode of our heartbeats. 0, because other ground stations show one that is "armed" as a vehicle would be. */
  readonly baseMode?: number | undefined;
  /** Signs the frames of a link. */
  readonly sign?: ((link: string, frame: Uint8Array) => Uint8Array) | undefined;
  /** Lets anything be sent by `message`. */
  readonly allowCommands?: boolean | undefined;
}

/** Whom a request is for. */
export interface Target {
  readonly link: string;
  readonly system: number;
  readonly component: number;
}

/**
 * The only way out. Everything that is sent is made here, and unless commands are allowed nothing leaves but heartbeats
 * and requests for messages: no frame that could move, arm or change a vehicle.
 */
export class Outbox {
  private readonly options: OutboxOptions;
  private readonly definitions: Map<string, MessageDefinition> = new Map();
  /** The number of the next frame on each link. */
  private readonly sequences: Map<string, number> = new Map();
  /** Frames by the name of their message. */
  readonly sent: Map<string, number> = new Map();

  constructor(options: OutboxOptions) {
    this.options = options;
    // our own messages are the official ones, whatever the vehicle's other messages are
    for (const { definitions } of [catalogOf(), catalogOf(options.dialect)]) {
      for (const definition of definitions) {
        if (definition && !this.definitions.has(definition.name)) this.definitions.set(definition.name, definition);
      }
    }
  }

  /** The id of a message, or undefined where it is not known. */
  idOf(name: string): number | undefined {
    return this.definitions.get(name)?.id;
  }

  heartbeat(link: string): void {
    const { baseMode = 0 } = this.options;
    this.post(link, 'HEARTBEAT', {
      type: GCS,
      autopilot: NO_AUTOPILOT,
      base_mode: baseMode,
      system_status: ACTIVE,
    });
  }

  dataStream({ link, system, component }: Target, rate: number): void {
    this.post(link, 'REQUEST_DATA_STREAM', {
      target_system: system,
      target_component: component,
      req_stream_id: ALL_STREAMS,
      req_message_rate: rate,
      start_stop: 1,
    });
  }

  command({ link, system, component }: Target, command: number, params: readonly number[], isInt: boolean): void {
    const [param1 = 0, param2 = 0, param3 = 0, param4 = 0] = params;
    const target = { target_system: system, target_component: component, command };
    this.post(link, isInt ? 'COMMAND_INT' : 'COMMAND_LONG', { ...target, param1, param2, param3, param4 });
  }

  /** Any message at all, where that was allowed. */
  message(link: string, name: string, values: Values): void {
    if (!this.options.allowCommands)
      throw new Error(`message ${name} is not sent: only heartbeats and requests are, unless commands are allowed`);
    this.post(link, name, values, true);
  }

  private post(link: string, name: string, values: Values, isAllowed = false): void {
    const isCommand = name.startsWith('COMMAND_');
    const isHarmless =
      HARMLESS_MESSAGES.includes(name) && (!isCommand || HARMLESS_COMMANDS.includes(Number(values.command)));
    if (!isHarmless && !isAllowed) throw new Error(`message ${name} is none that may be sent`);
    const definition = this.definitions.get(name);
    if (!definition) throw new RangeError(`no message ${name} is known`);
    const { system, component, sign, send } = this.options;
    const sequence = this.sequences.get(link) ?? 0;
    const signed = sign && ((frame: Uint8Array): Uint8Array => sign(link, frame));
    const frame = encodeMessage(definition, values, { system, component, sequence, sign: signed });
    this.sequences.set(link, (sequence + 1) & 0xff);
    this.sent.set(name, (this.sent.get(name) ?? 0) + 1);
    send(link, frame);
  }
}
