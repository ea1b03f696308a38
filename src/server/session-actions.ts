import { PX4 } from '../facts/heartbeat.ts';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import type { LiveEvent } from '../live/events.ts';
import { LIVE_LIMITS } from '../live/limits.ts';
import { IN_PROGRESS } from '../live/vehicle/commands.ts';
import type { Outgoing } from '../live/vehicle/frame-sender.ts';
import type { LiveVehicle } from '../live/vehicle.ts';
import { systemMicros } from '../node/wall-clock.ts';
import type { LiveSession } from '../session/session.ts';
import { HttpError } from './http.ts';
import type { LiveAction } from './view.ts';
import type { SendResultWire } from './wire.ts';

type Body = Readonly<Record<string, unknown>>;

/** What clients may ask a session to do; with commands allowed, also to send any message. */
export function sessionActions(session: LiveSession, mayCommand: boolean): LiveAction[] {
  return [
    ...[requestAction(session), markAction(session), recordAction(session)],
    ...logActions(session),
    sendAction(session, mayCommand),
  ];
}

/** `{"vehicle": "1", "message": "ATTITUDE", "rate": 10}` */
function requestAction(session: LiveSession): LiveAction {
  return {
    name: 'request',
    summary: 'Asks a vehicle for a message, rate times a second, or once for 0. Its state shows the result.',
    async run(body) {
      const { vehicle, message, rate } = fieldsOf(body);
      needVehicle(session, vehicle);
      if (typeof message !== 'string' || typeof rate !== 'number')
        throw new HttpError(400, 'message and rate: expected the name of a message and how often a second');
      await sentence(() => session.collector.request(String(vehicle), message, rate));
      return { asked: message, rate };
    },
  };
}

/** `{"text": "gust"}` */
function markAction(session: LiveSession): LiveAction {
  const { noteCharacters } = LIVE_LIMITS;
  return {
    name: 'mark',
    summary: 'Adds a note to the recording, as our STATUSTEXT that begins with MARK.',
    async run(body) {
      const { text } = fieldsOf(body);
      if (typeof text !== 'string' || text === '' || text.length > noteCharacters)
        throw new HttpError(400, `text: expected 1 to ${noteCharacters} characters`);
      await sentence(() => session.mark(text), 409);
      return { marked: text };
    },
  };
}

/** `{"on": true, "armedOnly": false}` */
function recordAction(session: LiveSession): LiveAction {
  return {
    name: 'record',
    summary: 'Begins or ends recording to the folder that was named at the start; armedOnly is optional.',
    async run(body) {
      const { on, armedOnly } = fieldsOf(body);
      if (typeof on !== 'boolean' || (armedOnly !== undefined && typeof armedOnly !== 'boolean'))
        throw new HttpError(400, 'on and armedOnly: expected true or false');
      await sentence(() => session.setRecording(on, armedOnly), 409);
      return { recording: on };
    },
  };
}

/** `{"vehicle": "1"}`, and to download `{"vehicle": "1", "log": "/APM/LOGS/00000012.BIN"}` with a key of the list */
function logActions(session: LiveSession): LiveAction[] {
  const action = (
    name: string,
    summary: string,
    act: (vehicle: string, log: string) => void | Promise<void>,
  ): LiveAction => ({
    ...{ name, summary },
    async run(body) {
      const { vehicle, log } = fieldsOf(body);
      needVehicle(session, vehicle);
      if (log !== undefined && typeof log !== 'string') throw new HttpError(400, 'log: expected a key of the list');
      await sentence(() => act(String(vehicle), log ?? ''), 409);
      return { vehicle };
    },
  });
  const { collector, logFiles } = session;
  return [
    action('list-logs', "Lists the logs on a vehicle's card; it must be disarmed.", (vehicle) =>
      collector.logs(vehicle).list(),
    ),
    action('download-log', "Downloads a log from a vehicle's card to the folder of recordings.", (vehicle, log) =>
      logFiles.download(vehicle, log),
    ),
    action('stop-log', 'Stops listing or downloading logs of a vehicle.', (vehicle) =>
      collector.logs(vehicle).stop('stopped'),
    ),
  ];
}

function fieldsOf(body: unknown): Body {
  return typeof body === 'object' && body !== null ? (body as Body) : {};
}

function needVehicle(session: LiveSession, id: unknown): void {
  if (typeof id !== 'string' || !session.collector.vehicles.has(id)) throw new HttpError(404, 'vehicle: unknown id');
}

/** The client gets the sentence of what fails. */
async function sentence<T>(act: () => T | Promise<T>, status = 400): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new HttpError(status, (error as Error).message);
  }
}

/** Milliseconds to wait for a COMMAND_ACK. */
const ACK = 3000;
/** PX4 accepts a mode at once and rejects it some milliseconds later: the second answer is the true one. */
const SECOND_ANSWER = 100;
/** For the last COMMAND_ACK after one that says "in progress", and for a heartbeat. */
const PROGRESS = 10_000;
const HEARTBEAT = 2000;
const LOOK = 50;

const ALL_VEHICLES = 'all';
const ACCEPTED = 0;
/** MAV_CMD. */
const DO_SET_MODE = 176;
const ARM_DISARM = 400;
/** Those that change mode or arming, so that the heartbeat is awaited: return to launch, land, take off and the two. */
const CHANGING: readonly number[] = [20, 21, 22, DO_SET_MODE, ARM_DISARM];
const CUSTOM_MODE = 1;
const PX4_AUTO = 4;

/** What the heartbeat should say afterwards. */
interface Wanted {
  readonly mode?: number;
  readonly armed?: boolean;
}

/** `{"vehicle": "1", "message": "COMMAND_LONG", "data": {"command": "MAV_CMD_DO_SET_MODE", "param1": 1, "param2": 5}}` */
function sendAction(session: LiveSession, mayCommand: boolean): LiveAction {
  const answers = new Answers();
  if (mayCommand) session.subscribe((event) => answers.receive(event), ['ack']);
  return {
    name: 'send',
    summary: 'Sends a message to a vehicle, or to "all", and answers with its COMMAND_ACK and what its heartbeat says.',
    refusal: mayCommand ? undefined : 'commands are off: start skein live with --allow-commands to send messages',
    async run(body) {
      const { vehicle, message, data } = fieldsOf(body);
      if (typeof vehicle !== 'string') throw new HttpError(400, 'missing vehicle: give its id, or "all"');
      if (vehicle !== ALL_VEHICLES) needVehicle(session, vehicle);
      if (typeof message !== 'string' || typeof data !== 'object' || data === null || Array.isArray(data))
        throw new HttpError(400, 'message and data: expected the name of a message and an object with its fields');
      const sentAt = systemMicros();
      const outgoing = await sentence(() => session.collector.send(vehicle, message, data as Body));
      const ids = vehicle === ALL_VEHICLES ? [...session.collector.vehicles.keys()] : [vehicle];
      const results = await Promise.all(ids.map((id) => resultOf(session, answers, id, outgoing, sentAt)));
      if (vehicle !== ALL_VEHICLES) return { sent: message, vehicle, ...results[0] };
      return { sent: message, vehicle, vehicles: Object.fromEntries(ids.map((id, i) => [id, results[i]])) };
    },
  };
}

/** Waits for the answer of one vehicle and for its heartbeat. */
async function resultOf(
  session: LiveSession,
  answers: Answers,
  id: string,
  { definition, command, values }: Outgoing,
  sentAt: number,
): Promise<SendResultWire> {
  const vehicle = session.collector.vehicles.get(id);
  const notes = [vehicle?.conflict ?? ''];
  // a message that is not a command has no answer
  if (command === null) return withNote({}, notes);
  const result = await answers.of(id, command);
  const ack = result === null ? null : { result, name: RESULTS.get(result) ?? String(result) };
  notes.unshift(ackNote(result));
  const isMode = definition.name === 'SET_MODE';
  if (!vehicle || !(isMode || CHANGING.includes(command))) return withNote({ ack }, notes);
  const wanted = isMode ? modeWanted(values) : commandWanted(command, values, vehicle);
  // one that is refused changes nothing, so that the next heartbeat need not be awaited
  const isRefused = result !== null && result !== ACCEPTED && result !== IN_PROGRESS;
  if (!isRefused) notes.push(await heartbeatNote(vehicle, wanted, sentAt, result === ACCEPTED));
  return withNote({ ack, state: { mode: vehicle.mode, armed: vehicle.armed } }, notes);
}

function withNote(result: SendResultWire, notes: readonly string[]): SendResultWire {
  const note = notes.filter(Boolean).join('; ');
  return note === '' ? result : { ...result, note };
}

function ackNote(result: number | null): string {
  if (result === null) return `no COMMAND_ACK within ${ACK / 1000} s`;
  return result === IN_PROGRESS ? `still in progress after ${PROGRESS / 1000} s` : '';
}

type MessageValues = Outgoing['values'];

function commandWanted(command: number, values: MessageValues, vehicle: LiveVehicle): Wanted {
  const param = (i: number): number => Number(values[`param${i}`] ?? 0);
  if (command === ARM_DISARM) return { armed: param(1) === 1 };
  if (command !== DO_SET_MODE || (param(1) & CUSTOM_MODE) === 0) return {};
  return { mode: vehicle.autopilot === PX4 ? (param(2) | (param(3) << 8)) * 0x10000 : param(2) };
}

function modeWanted({ base_mode, custom_mode }: MessageValues): Wanted {
  if ((Number(base_mode ?? 0) & CUSTOM_MODE) === 0) return {};
  return { mode: Number(custom_mode ?? 0) };
}

/** Waits until a heartbeat says what was asked for, and says so if none does. */
async function heartbeatNote(
  vehicle: LiveVehicle,
  wanted: Wanted,
  sentAt: number,
  isAccepted: boolean,
): Promise<string> {
  const before = `${vehicle.mode} ${vehicle.armed}`;
  const isOpen = wanted.mode === undefined && wanted.armed === undefined;
  const until = performance.now() + HEARTBEAT;
  while (performance.now() < until) {
    const isNew = vehicle.lastHeartbeat > sentAt;
    if (isNew && (isOpen ? `${vehicle.mode} ${vehicle.armed}` !== before : isAsWanted(vehicle, wanted))) return '';
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
  if (!(vehicle.lastHeartbeat > sentAt)) return `no heartbeat within ${HEARTBEAT / 1000} s`;
  if (isOpen) return '';
  const begin = isAccepted ? 'accepted, but ' : '';
  const { mode, armed } = wanted;
  if (mode !== undefined) return `${begin}the heartbeat says ${vehicle.mode}, not ${vehicle.modeName(mode)}`;
  return `${begin}the heartbeat says ${vehicle.armed ? 'armed' : 'disarmed'}, not ${armed ? 'armed' : 'disarmed'}`;
}

function isAsWanted(vehicle: LiveVehicle, { mode, armed }: Wanted): boolean {
  if (armed !== undefined) return vehicle.armed === armed;
  if (vehicle.modeNumber === mode) return true;
  // AUTO without a part of it leaves the part to PX4
  return vehicle.autopilot === PX4 && mode === PX4_AUTO * 0x10000 && ((vehicle.modeNumber >> 16) & 0xff) === PX4_AUTO;
}

const RESULTS: ReadonlyMap<number, string> = builtinDialect('common').enums.get('MAV_RESULT')?.names ?? new Map();

/** A request that waits for the answer to a command. */
interface Waiter {
  /** Its last result so far. */
  result: number | null;
  timer: NodeJS.Timeout;
  readonly resolve: (result: number | null) => void;
}

/** Hands out answers: of two that sent the same command, the first gets the first. */
class Answers {
  private readonly waiting: Map<string, Waiter[]> = new Map();

  receive(event: LiveEvent): void {
    if (event.type !== 'ack') return;
    const key = `${event.command} ${event.vehicle}`;
    const waiters = this.waiting.get(key) ?? [];
    const [first] = waiters;
    if (!first) return;
    first.result = event.result;
    if (event.result === IN_PROGRESS) this.extend(key, first, PROGRESS);
    else if (event.result === ACCEPTED && waiters.length === 1) this.extend(key, first, SECOND_ANSWER);
    else this.end(key, first);
  }

  /** The last result of a command; null if none came. */
  of(vehicle: string, command: number): Promise<number | null> {
    const key = `${command} ${vehicle}`;
    const waiters = this.waiting.get(key) ?? [];
    for (const waiter of waiters) if (waiter.result === ACCEPTED) this.end(key, waiter);
    return new Promise((resolve) => {
      const waiter: Waiter = { result: null, resolve, timer: setTimeout(() => this.end(key, waiter), ACK) };
      this.waiting.set(key, [...(this.waiting.get(key) ?? []), waiter]);
    });
  }

  private extend(key: string, waiter: Waiter, milliseconds: number): void {
    clearTimeout(waiter.timer);
    waiter.timer = setTimeout(() => this.end(key, waiter), milliseconds);
  }

  private end(key: string, waiter: Waiter): void {
    clearTimeout(waiter.timer);
    const left = (this.waiting.get(key) ?? []).filter((each) => each !== waiter);
    if (left.length > 0) this.waiting.set(key, left);
    else this.waiting.delete(key);
    waiter.resolve(waiter.result);
  }
}
