import { PX4 } from '../../facts/heartbeat.ts';
import type { LiveVehicle } from '../vehicle.ts';
import { type FrameSender, REQUEST_CAPABILITIES, REQUEST_MESSAGE, SET_MESSAGE_INTERVAL } from './frame-sender.ts';
import { isKnownToHave, isLacking, isUnasked, type Profile } from './profile.ts';

/*
 * What a vehicle is asked for, and when:
 *
 *     found        REQUEST_MESSAGE for what is asked for once
 *     + LISTEN     SET_MESSAGE_INTERVAL for each message that comes too seldom, one command at a time
 *     + MEASURE    the same again where the measured rate is short, each time after a longer pause
 *     reboot, loss all of it again
 *
 * REQUEST_DATA_STREAM sets all rates of a link at once and has no answer: it is sent only where intervals are refused as
 * unsupported or have no answer at all. ArduPlane would store its rates, PX4 does not know it: they never get it, unless
 * the user wants it always.
 */
const LISTEN = 1.2e6;
const SETTLE = 0.3e6;
/** Microseconds until a command without an answer is given up; longer where the vehicle says that it is at it. */
const ANSWER = 2e6;
const PROGRESS = 5e6;
/** Microseconds after that in which its answer may still come: one to the next such command says nothing then. */
const LATE = 4e6;
/** Microseconds over which a rate is measured, and at least how many messages of it. */
const MEASURE = 6e6;
const MEASURED = 3;
/** Part of a rate that is enough, and how much is too much where the user wants it exactly. */
const ENOUGH = 0.7;
const TOO_MUCH = 1.5;
const FIRST_PAUSE = 1e6;
const LONGEST_PAUSE = 60e6;
const SHORT_PAUSE = 10e6;
const LONGEST_SHORT_PAUSE = 300e6;
/** Microseconds after which a request that was needed again is a new one. */
const SETTLED = 120e6;
/** Unanswered requests after which the older command is tried. */
const OLDER_AFTER = 3;
/** Requests for something that the vehicle may not have, or not yet. */
const MOST_TRIES = 5;
/** Requests for something that the vehicle accepts and never sends: the pauses between them add up to 20 minutes. */
const MOST_ACCEPTED_TRIES = 8;
const MOST_HOME_TRIES = 10;
const MUST_HAVE = 'AUTOPILOT_VERSION';
/** PX4 denies it as long as there is none. */
const HOME = 'HOME_POSITION';

/** MAV_RESULT. Those that are final say that the vehicle does not have it: PX4 says FAILED to an interval. */
const ACCEPTED = 0;
const UNSUPPORTED = 3;
const FINAL: readonly number[] = [2, UNSUPPORTED, 4];
const IN_PROGRESS = 5;
const LONG_ONLY = 7;
const INT_ONLY = 8;

export type StreamRequests = 'needed' | 'always' | 'never';

/** What a plan needs to know of its vehicle. */
type Asked = Pick<LiveVehicle, 'autopilot' | 'kind' | 'countOf' | 'hasFix' | 'target'>;
/** How it asks. */
type Sender = Pick<FrameSender, 'idOf' | 'command' | 'dataStream'>;

/** A message that a vehicle is asked for, and the result. */
export interface MessageRequest {
  readonly message: string;
  /** Times a second; 0 for once. */
  readonly rate: number;
  readonly state: 'wanted' | 'asked' | 'accepted' | 'refused' | 'fulfilled';
  readonly tries: number;
  /** The last answer, MAV_RESULT; null for none. */
  readonly result: number | null;
  /** Microseconds UTC: when it is looked at, and sent where needed, next; null for never again. */
  readonly nextAt: number | null;
}

/** What is asked for, whatever became of it. */
interface Wanted {
  readonly message: string;
  readonly id: number;
  readonly rate: number;
  /** Whether more than this rate is too much. */
  readonly isExact: boolean;
}

interface RequestItem extends Wanted {
  state: MessageRequest['state'];
  tries: number;
  result: number | null;
  /** Whether the vehicle accepted the interval, since it was started. */
  isAccepted: boolean;
  /** Whether it was asked for once, to learn whether the vehicle has it. */
  isProbed: boolean;
  nextAt: number;
  askedAt: number;
  /** How many had come, and when: the rate is measured from there. */
  from: { count: number; time: number };
}

/** The requests to one vehicle. One command is open at a time, because an answer does not say which message it is for. */
export class RequestPlan {
  private readonly vehicle: Asked;
  private readonly sender: Sender;
  private readonly streams: StreamRequests;
  private items: RequestItem[];
  private open: { readonly item: RequestItem; readonly command: number; until: number; isUnclear: boolean } | undefined;
  /** A command that was given up, and until when its answer may come. */
  private late: { readonly command: number; readonly until: number } | undefined;
  private isInt = false;
  /** Whether any command was answered since the vehicle was found, and how many in a row were not. */
  private isAnswered = false;
  private unanswered = 0;
  private isUnsupported = false;
  private streamTries = 0;
  private streamAt = 0;
  private hadFix = false;
  private began: number;

  constructor(vehicle: Asked, sender: Sender, profile: Profile, streams: StreamRequests, now: number) {
    this.vehicle = vehicle;
    this.sender = sender;
    this.streams = streams;
    this.began = now;
    this.items = [
      // what came before the first heartbeat needs no request
      ...profile.once.flatMap((message) => this.itemOf(message, 0, false, 0)),
      ...Object.entries(profile.rates).flatMap(([message, rate]) =>
        this.itemOf(message, rate, profile.exact?.includes(message)),
      ),
    ];
  }

  private itemOf(message: string, rate: number, isExact = false, count = this.vehicle.countOf(message)): RequestItem[] {
    const id = this.sender.idOf(message);
    if (id === undefined || isLacking(this.vehicle.autopilot, message)) return [];
    return [this.untried({ message, id, rate, isExact }, count)];
  }

  private untried({ message, id, rate, isExact }: Wanted, count = this.vehicle.countOf(message)): RequestItem {
    // field by field: with hundreds of vehicles, copies of another object take milliseconds
    return {
      message,
      id,
      rate,
      isExact,
      state: 'wanted',
      tries: 0,
      result: null,
      isAccepted: false,
      isProbed: false,
      nextAt: this.began + (rate > 0 ? LISTEN : 0),
      askedAt: Number.NaN,
      from: { count, time: this.began },
    };
  }

  private countedAt(message: string, time: number): RequestItem['from'] {
    return { count: this.vehicle.countOf(message), time };
  }

  /** Asks for a message at a rate, or once for 0, in place of what was asked for before. */
  request(message: string, rate: number, now: number): void {
    if (this.sender.idOf(message) === undefined) throw new RangeError(`unknown message ${message}`);
    const [item] = this.itemOf(message, rate, true);
    if (!item) throw new RangeError(`this autopilot does not send ${message}`);
    const at = this.items.findIndex((each) => each.message === message);
    if (this.open?.item === this.items[at]) this.open = undefined;
    if (at >= 0) this.items.splice(at, 1);
    this.items.unshift({ ...item, nextAt: now, from: this.countedAt(message, now) });
  }

  /** Asks for one more message until it came, where it is not asked for already and anything is at all. */
  requestOnce(message: string): void {
    if (this.items.length === 0 || this.items.some((item) => item.message === message)) return;
    this.items.push(...this.itemOf(message, 0, false, 0));
  }

  /** The vehicle probably has a home from now on: it is asked for it again. */
  requestHome(now: number): void {
    const home = this.items.find(({ message }) => message === HOME);
    if (!home || home.state === 'fulfilled') return;
    home.tries = 0;
    home.state = 'wanted';
    home.nextAt = now;
  }

  get requests(): readonly MessageRequest[] {
    return this.items.map(({ message, rate, state, tries, result, nextAt }) => ({
      ...{ message, rate, state, tries, result },
      nextAt: Number.isFinite(nextAt) ? nextAt : null,
    }));
  }

  /** Microseconds between two of a message, as the vehicle accepted it; NaN where it did not. */
  intervalOf(message: string): number {
    const item = this.items.find((each) => each.message === message);
    return item?.isAccepted ? 1e6 / item.rate : Number.NaN;
  }

  /** The vehicle rebooted, or came back after it was lost. */
  restart(now: number): void {
    this.began = now;
    this.open = undefined;
    this.late = undefined;
    this.isAnswered = false;
    this.unanswered = 0;
    this.isUnsupported = false;
    this.streamTries = 0;
    this.streamAt = 0;
    this.hadFix = false;
    this.items = this.items.map((item) => this.untried(item));
  }

  /** A COMMAND_ACK of the vehicle. */
  answer(command: number, result: number, now: number): void {
    const { open } = this;
    if (!open || open.command !== command) return;
    this.isAnswered = true;
    this.unanswered = 0;
    if (result === IN_PROGRESS) {
      open.until = now + PROGRESS;
      return;
    }
    if (this.late?.command === command && now < this.late.until) {
      // it may answer either of the two: the next one can only answer this one
      this.late = undefined;
      open.isUnclear = true;
      open.until = now + LATE;
      return;
    }
    this.open = undefined;
    const { item } = open;
    item.result = result;
    if (result === ACCEPTED) {
      item.state = 'accepted';
      if (command !== SET_MESSAGE_INTERVAL) return;
      item.isAccepted = true;
      item.from = this.countedAt(item.message, now);
      item.nextAt = Math.max(item.nextAt, now + measure(item.rate));
    } else if (result === INT_ONLY || result === LONG_ONLY) {
      this.isInt = result === INT_ONLY;
    } else if (FINAL.includes(result)) {
      this.refuse(item, result, now);
    }
  }

  private refuse(item: RequestItem, result: number, now: number): void {
    if (item.message === HOME) return;
    if (item.message === MUST_HAVE) {
      // firmware that does not know the command may know the older one
      if (item.tries < OLDER_AFTER) {
        item.tries = OLDER_AFTER;
        item.nextAt = now;
      }
      return;
    }
    item.state = 'refused';
    item.isAccepted = false;
    item.nextAt = Number.POSITIVE_INFINITY;
    if (item.rate > 0 && result === UNSUPPORTED) this.isUnsupported = true;
  }

  /** Sends what is due. @param mayCommand uses one of this second's commands, if any is left */
  tick(now: number, mayCommand: () => boolean): void {
    if (this.open) {
      if (now < this.open.until) return;
      const { command, isUnclear } = this.open;
      if (command === SET_MESSAGE_INTERVAL && !isUnclear) this.unanswered++;
      this.late = isUnclear ? undefined : { command, until: now + LATE };
      this.open = undefined;
    }
    for (const item of this.items) this.look(item, now);
    if (!this.hadFix && this.vehicle.hasFix) {
      this.hadFix = true;
      this.requestHome(now);
    }
    if (this.needsStream(now)) {
      if (!mayCommand()) return;
      this.askStream(now);
    }
    const item = this.due(now);
    if (!item || !mayCommand()) return;
    this.ask(item, now);
  }

  /** What is to be asked for, that which was asked for least first: what has no answer keeps nothing else back. */
  private due(now: number): RequestItem | undefined {
    let least: RequestItem | undefined;
    for (const item of this.items) if (item.nextAt <= now && !(least && least.tries <= item.tries)) least = item;
    return least;
  }

  /** Looks at what came: what is asked for once is there, and what is asked for often comes often enough. */
  private look(item: RequestItem, now: number): void {
    const { message, rate, from } = item;
    // with hundreds of vehicles this is asked tens of thousands of times a second
    if (rate === 0 ? item.state === 'fulfilled' : item.nextAt > now) return;
    const came = this.vehicle.countOf(message) - from.count;
    if (rate === 0) {
      if (came <= 0) return;
      item.state = 'fulfilled';
      item.nextAt = Number.POSITIVE_INFINITY;
      return;
    }
    const measured = came / ((now - from.time) / 1e6);
    const isExact = !Number.isNaN(item.askedAt) && measured <= TOO_MUCH * rate;
    const isRight = measured >= ENOUGH * rate && !item.isProbed && (isExact || !item.isExact);
    if (!isRight && !isUnasked(this.vehicle.autopilot, message)) return;
    if (isRight) item.state = 'fulfilled';
    if (!(now - item.askedAt < SETTLED)) item.tries = 0;
    item.from = this.countedAt(message, now);
    item.nextAt = now + measure(rate);
  }

  private needsStream(now: number): boolean {
    if (this.streams === 'never' || now < this.began + LISTEN || now < this.streamAt) return false;
    if (!this.items.some(({ rate }) => rate > 0)) return false;
    if (this.streams === 'always' && this.streamTries === 0) return true;
    if (this.vehicle.autopilot === PX4 || this.vehicle.kind === 'Plane') return false;
    const areIgnored = !this.isAnswered && this.unanswered >= OLDER_AFTER;
    if (!this.isUnsupported && !areIgnored) return false;
    // it is repeated only where nothing came of it
    const often = this.items.filter(({ rate }) => rate > 0);
    return this.streamTries === 0
      ? often.some(({ state }) => state !== 'fulfilled')
      : often.every(({ message, from }) => this.vehicle.countOf(message) === from.count);
  }

  private askStream(now: number): void {
    const isFirst = this.streams === 'always' && this.streamTries === 0;
    this.streamAt = now + shortPause(this.streamTries++);
    this.sender.dataStream(this.vehicle.target, 1);
    for (const item of this.items) {
      if (item.rate === 0 || item.state === 'refused') continue;
      item.nextAt = Math.max(item.nextAt, now + (isFirst ? SETTLE : MEASURE));
      item.from = this.countedAt(item.message, now);
    }
  }

  private ask(item: RequestItem, now: number): void {
    const { id, rate, tries, message } = item;
    const most = message === HOME ? MOST_HOME_TRIES : MOST_TRIES;
    const isOnce = rate === 0;
    if (isOnce && message !== MUST_HAVE && tries >= most) {
      item.state = 'refused';
      item.nextAt = Number.POSITIVE_INFINITY;
      return;
    }
    const isComing = this.vehicle.countOf(message) > 0;
    if (!isOnce && !isComing && item.result === ACCEPTED && tries >= MOST_ACCEPTED_TRIES) {
      item.state = 'accepted';
      item.nextAt = Number.POSITIVE_INFINITY;
      return;
    }
    // what this autopilot may not have is asked for once, until one came: that is refused without an error on screens
    const isProbe = !isOnce && !isComing && !isKnownToHave(this.vehicle.autopilot, message);
    const isOlder = message === MUST_HAVE && tries >= OLDER_AFTER && tries % 2 === 1;
    const wasAccepted = item.isAccepted || (isProbe && item.result === ACCEPTED);
    item.nextAt = now + (wasAccepted ? shortPause(tries) : pause(tries));
    item.state = 'asked';
    item.tries++;
    item.askedAt = now;
    item.isProbed = isProbe;
    if (!isOnce) item.from = this.countedAt(message, now);
    const command = isOlder ? REQUEST_CAPABILITIES : isOnce || isProbe ? REQUEST_MESSAGE : SET_MESSAGE_INTERVAL;
    this.open = { item, command, until: now + ANSWER, isUnclear: false };
    const params = isOlder ? [1] : command === REQUEST_MESSAGE ? [id] : [id, Math.round(1e6 / rate)];
    this.sender.command(this.vehicle.target, command, params, this.isInt);
  }
}

/** Microseconds after which a rate says something. */
function measure(rate: number): number {
  return Math.max(MEASURE, (MEASURED * 1e6) / rate);
}

function pause(tries: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries);
}

function shortPause(tries: number): number {
  return Math.min(LONGEST_SHORT_PAUSE, SHORT_PAUSE * 2 ** tries);
}
