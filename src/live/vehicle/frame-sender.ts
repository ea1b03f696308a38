import type { Enumeration } from '../../core/schema.ts';
import { builtinDialect } from '../../formats/mavlink/dialect/builtin.ts';
import type { Dialect, MessageDefinition, MessageField } from '../../formats/mavlink/dialect/definition.ts';
import { encodeMessage } from '../../formats/mavlink/encode.ts';
import { catalogOf } from '../../formats/mavlink/options.ts';
import type { FieldValue } from '../../formats/mavlink/payload.ts';
import { FTP_READING } from './ftp.ts';

/** MAV_CMD: the commands that only ask for messages. */
export const SET_MESSAGE_INTERVAL = 511;
export const REQUEST_MESSAGE = 512;
export const REQUEST_CAPABILITIES = 520;
const FILE_TRANSFER = 'FILE_TRANSFER_PROTOCOL';
/** All that is sent unless commands are allowed, of MAVFTP only what reads; docs/live.md lists it. */
export const HARMLESS_COMMANDS: readonly number[] = [SET_MESSAGE_INTERVAL, REQUEST_MESSAGE, REQUEST_CAPABILITIES];
export const HARMLESS_MESSAGES: readonly string[] = [
  'HEARTBEAT',
  'REQUEST_DATA_STREAM',
  'COMMAND_LONG',
  'COMMAND_INT',
  FILE_TRANSFER,
  'LOG_REQUEST_LIST',
  'LOG_REQUEST_DATA',
  'LOG_REQUEST_END',
];
/** Where a payload of MAVFTP has its opcode. */
const OPCODE = 3;

/** What a heartbeat of ours says: MAV_TYPE_GCS, MAV_AUTOPILOT_INVALID, MAV_STATE_ACTIVE. */
const GCS = 6;
const NO_AUTOPILOT = 8;
const ACTIVE = 4;
const ALL_STREAMS = 0;

type GivenValues = Readonly<Record<string, FieldValue>>;

/** The fields of a message as a client gives them: enum values by number or name, bits by names joined by ` | `. */
export type GivenFields = Readonly<Record<string, unknown>>;

/** A message that is ready to be sent, without its targets. */
export interface Outgoing {
  readonly definition: MessageDefinition;
  readonly values: GivenValues;
  /** Whether it has a target system. */
  readonly hasTarget: boolean;
  /** The command whose COMMAND_ACK answers it; null if none does. */
  readonly command: number | null;
}

/** The system of a message is in the first of these that it has. */
const SYSTEM_FIELDS: readonly string[] = ['target_system', 'target'];
const COMPONENT_FIELD = 'target_component';
const PARAM = /^param\d$/;

export interface FrameSenderOptions {
  readonly send: (link: string, frame: Uint8Array, to?: string) => void;
  /** Our ids. */
  readonly system: number;
  readonly component: number;
  readonly dialect?: Dialect | undefined;
  /** The base mode of our heartbeats. 0, because other ground stations show one that is "armed" as a vehicle would be. */
  readonly baseMode?: number | undefined;
  readonly sign?: ((link: string, frame: Uint8Array) => Uint8Array) | undefined;
  /** Lets anything be sent by `message`. */
  readonly allowCommands?: boolean | undefined;
}

export type LogRequest = 'LIST' | 'DATA' | 'END';

/** Where a message goes: to a vehicle, or to all on a link if `system` is 0. */
export interface Target {
  readonly link: string;
  readonly system: number;
  readonly component: number;
  /** All components of the vehicle, if they are known. */
  readonly components?: readonly number[];
  /** Its address, if the link has several senders. */
  readonly address?: string | undefined;
}

/** The only way out: without --allow-commands only heartbeats and requests, never a frame that changes a vehicle. */
export class FrameSender {
  private readonly options: FrameSenderOptions;
  private readonly definitions: Map<string, MessageDefinition> = new Map();
  /** The number of the next frame on each link. */
  private readonly sequences: Map<string, number> = new Map();
  /** Frames by the name of their message. */
  readonly sent: Map<string, number> = new Map();

  constructor(options: FrameSenderOptions) {
    this.options = options;
    // our own messages are the official ones, whatever the vehicle's other messages are
    for (const { definitions } of [catalogOf(), catalogOf(options.dialect)]) {
      for (const definition of definitions) {
        if (definition && !this.definitions.has(definition.name)) this.definitions.set(definition.name, definition);
      }
    }
  }

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

  dataStream({ link, system, component, address }: Target, rate: number): void {
    const target = { target_system: system, target_component: component };
    const values = { ...target, req_stream_id: ALL_STREAMS, req_message_rate: rate, start_stop: 1 };
    this.post(link, 'REQUEST_DATA_STREAM', values, address);
  }

  command(target: Target, command: number, params: readonly number[], isInt: boolean): void {
    const { link, system, component, address } = target;
    const [param1 = 0, param2 = 0, param3 = 0, param4 = 0] = params;
    const values = { target_system: system, target_component: component, command, param1, param2, param3, param4 };
    this.post(link, isInt ? 'COMMAND_INT' : 'COMMAND_LONG', values, address);
  }

  /** A request of MAVFTP that reads. */
  readFile({ link, system, component, address }: Target, payload: Uint8Array): void {
    const values = { target_network: 0, target_system: system, target_component: component, payload: [...payload] };
    this.post(link, FILE_TRANSFER, values, address);
  }

  /** A request of the log protocol: for the list, for bytes of a log, or that it ends. */
  requestLogs({ link, system, component, address }: Target, what: LogRequest, values: GivenValues = {}): void {
    const target = { target_system: system, target_component: component };
    this.post(link, `LOG_REQUEST_${what}`, { ...target, ...values }, address);
  }

  /** Checks any message that a client wants to send. Throws a sentence if commands are off or a field is wrong. */
  prepare(name: string, given: GivenFields): Outgoing {
    if (!this.options.allowCommands)
      throw new Error(`message ${name} refused: only heartbeats and requests are sent unless commands are allowed`);
    const definition = this.definitions.get(name);
    if (!definition) throw new RangeError(`unknown message ${name}`);
    const values: Record<string, FieldValue> = {};
    for (const [key, value] of Object.entries(given)) {
      const field = definition.fields.find((each) => each.name === key);
      const known = definition.fields.map((each) => each.name).join(', ');
      if (!field) throw new RangeError(`message ${name} has no field ${key}: it has ${known}`);
      values[key] = this.valueOf(field, value, name.startsWith('COMMAND_') && PARAM.test(key));
    }
    const hasTarget = definition.fields.some((field) => SYSTEM_FIELDS.includes(field.name));
    return { definition, values, hasTarget, command: answeredCommand(definition, values) };
  }

  /** The fields of a message with its targets; system 0 is for all. Throws a sentence if it names another target. */
  addressed({ system, component, components = [] }: Target, { definition, values }: Outgoing): GivenValues {
    const targets: Record<string, number> = {};
    for (const { name } of definition.fields) {
      const given = values[name];
      if (SYSTEM_FIELDS.includes(name)) {
        if (given !== undefined && given !== system) throw new RangeError(otherTarget(name, Number(given), system));
        targets[name] = system;
      } else if (name === COMPONENT_FIELD) {
        if (given !== undefined && given !== 0 && system !== 0 && !components.includes(Number(given)))
          throw new RangeError(`${name} ${given} is not a component of this vehicle: it has ${components.join(', ')}`);
        targets[name] = given === undefined ? component : Number(given);
      }
    }
    return { ...values, ...targets };
  }

  /** Sends any message, if commands are allowed. */
  message({ link, address }: Target, { definition }: Outgoing, values: GivenValues): void {
    this.post(link, definition.name, values, address, true);
  }

  /** A value as it is encoded. */
  private valueOf(field: MessageField, given: unknown, isParam: boolean): FieldValue {
    const { name, type, count, enumeration } = field;
    if (typeof given === 'string' && type !== 'text') {
      if (enumeration || isParam) return this.named(name, given, isParam ? undefined : enumeration);
      if (/^u?int64$/.test(type) && /^-?\d{1,20}$/.test(given)) return BigInt(given);
      throw new RangeError(`${name}: expected a number, not ${JSON.stringify(given)}`);
    }
    if (Array.isArray(given) && enumeration?.bitmask && count === 1 && given.every((each) => typeof each === 'string'))
      return this.named(name, given.join(' | '), enumeration);
    if (Array.isArray(given) && given.every((each) => typeof each === 'number' || each === null)) return given;
    if (given === null || typeof given === 'number' || typeof given === 'string') return given;
    throw new RangeError(
      `${name}: expected ${type === 'text' ? 'a string' : 'a number'}${count > 1 ? ' or an array' : ''}`,
    );
  }

  /** The number of a name, or of several bits. @param enumeration of the field; a parameter may have any */
  private named(field: string, text: string, enumeration: Enumeration | undefined): number {
    let sum = 0n;
    const names = text.split('|').map((name) => name.trim());
    for (const name of names) {
      const value = enumeration ? valueIn(enumeration, name) : this.anyValue(name);
      if (value === undefined)
        throw new RangeError(`${field}: unknown name ${JSON.stringify(name)}${choices(enumeration)}`);
      if (names.length > 1 && enumeration && !enumeration.bitmask)
        throw new RangeError(`${field}: expected one name of ${enumeration.name}, not several`);
      sum |= BigInt(value);
    }
    return Number(sum);
  }

  private anyValue(name: string): number | undefined {
    for (const { enums } of [this.options.dialect, builtinDialect()].filter((dialect) => dialect !== undefined)) {
      for (const enumeration of enums.values()) {
        const value = valueIn(enumeration, name);
        if (value !== undefined) return value;
      }
    }
    return undefined;
  }

  private post(link: string, name: string, values: GivenValues, to?: string, isAllowed = false): void {
    const isCommand = name.startsWith('COMMAND_');
    const isReading = Array.isArray(values.payload) && FTP_READING.includes(Number(values.payload[OPCODE]));
    const isHarmless =
      HARMLESS_MESSAGES.includes(name) &&
      (!isCommand || HARMLESS_COMMANDS.includes(Number(values.command))) &&
      (name !== FILE_TRANSFER || isReading);
    if (!isHarmless && !isAllowed) throw new Error(`message ${name} may not be sent`);
    const definition = this.definitions.get(name);
    if (!definition) throw new RangeError(`unknown message ${name}`);
    const { system, component, sign, send } = this.options;
    const sequence = this.sequences.get(link) ?? 0;
    const signed = sign && ((frame: Uint8Array): Uint8Array => sign(link, frame));
    const frame = encodeMessage(definition, values, { system, component, sequence, sign: signed });
    this.sequences.set(link, (sequence + 1) & 0xff);
    this.sent.set(name, (this.sent.get(name) ?? 0) + 1);
    send(link, frame, to);
  }
}

/** SET_MODE is answered under the id of the message, by those that answer it. */
function answeredCommand({ id, name }: MessageDefinition, { command }: GivenValues): number | null {
  if (name === 'COMMAND_LONG' || name === 'COMMAND_INT') return Number(command ?? 0);
  return name === 'SET_MODE' ? id : null;
}

function otherTarget(field: string, given: number, system: number): string {
  if (system === 0) return `${field} ${given} names one vehicle: give its id in place of "all"`;
  if (given === 0) return `${field} 0 addresses every vehicle: to send to all, give "vehicle": "all"`;
  return `${field} ${given} is not the named vehicle, which has system id ${system}`;
}

function valueIn({ names }: Enumeration, name: string): number | undefined {
  for (const [value, each] of names) if (each === name) return value;
  return undefined;
}

/** How many names a sentence lists. */
const MOST_NAMES = 40;

function choices(enumeration: Enumeration | undefined): string {
  if (!enumeration) return '';
  const names = [...enumeration.names.values()];
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more of ${enumeration.name}` : '';
  return `: expected ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}
