import { ARDUPILOT } from '../analyze/heartbeat.ts';
import { REQUEST_CAPABILITIES, REQUEST_MESSAGE, SET_MESSAGE_INTERVAL } from './outbox.ts';
import type { Profile } from './profile.ts';

/*
 * What a vehicle is asked for, in the order that real autopilots need:
 *
 *     found        REQUEST_MESSAGE for what is wanted once
 *     + LISTEN     REQUEST_DATA_STREAM, at most once, to an ArduPilot that sends little by itself
 *     + SETTLE     SET_MESSAGE_INTERVAL for each message that comes too seldom, one command at a time
 *     later        the same again where the measured rate is short, each time after a longer pause
 *
 * The stream request sets all rates of a link at once, so what is asked before it is undone by it: it comes first and
 * never again, unless the vehicle was started anew. ArduPlane stores the rates that it asks for, so it is left alone.
 */
const LISTEN = 1.2e6;
const SETTLE = 0.3e6;
/** Microseconds until a command without an answer is given up; longer where the vehicle says that it is at it. */
const ANSWER = 1e6;
const PROGRESS = 5e6;
/** Rates are taken over some seconds: sooner than this after an answer they say nothing. */
const MEASURE = 6e6;
/** Part of the wanted rate that is enough. */
const ENOUGH = 0.7;
/** Kinds of messages that a vehicle sends which has no need for a stream request. */
const TALKATIVE = 5;
const FIRST_PAUSE = 1e6;
const LONGEST_PAUSE = 60e6;
const SHORT_PAUSE = 10e6;
const LONGEST_SHORT_PAUSE = 300e6;
/** Unanswered requests after which the older command is tried. */
const OLDER_AFTER = 3;
/** Requests for something that the vehicle may not have. */
const MOST_TRIES = 5;
const MUST_HAVE = 'AUTOPILOT_VERSION';

/** MAV_RESULT. */
const ACCEPTED = 0;
const DENIED = 2;
const UNSUPPORTED = 3;
const IN_PROGRESS = 5;
const LONG_ONLY = 7;
const INT_ONLY = 8;

/** Whether stream requests are sent: where they seem needed, always, or never. */
export type StreamRequests = 'needed' | 'always' | 'never';

/** What a plan knows of its vehicle, and how it asks. */
export interface Asked {
  readonly autopilot: () => number;
  /** Whether it keeps the rates of a stream request for ever. */
  readonly storesRates: () => boolean;
  /** Messages a second, and how many came. */
  readonly rate: (message: string) => number;
  readonly count: (message: string) => number;
  /** How many kinds of messages came since a time. */
  readonly kinds: (since: number) => number;
  readonly idOf: (message: string) => number | undefined;
  readonly command: (command: number, params: readonly number[], isInt: boolean) => void;
  readonly dataStream: (rate: number) => void;
}

/** What became of a wish. */
export interface Wish {
  readonly message: string;
  /** Times a second; 0 for once. */
  readonly rate: number;
  state: 'wanted' | 'asked' | 'accepted' | 'refused' | 'fulfilled';
  tries: number;
  /** The last answer, MAV_RESULT; null for none. */
  result: number | null;
}

interface Item extends Wish {
  readonly id: number;
  nextAt: number;
  /** Whether it is to be asked for even if it comes often enough, because somebody wants another rate. */
  isDemanded: boolean;
}

/** The requests to one vehicle. One command is open at a time, because an answer does not say which message it is for. */
export class RequestPlan {
  private readonly asked: Asked;
  private readonly streams: StreamRequests;
  private readonly items: Item[];
  private open: { readonly item: Item; readonly command: number; until: number } | undefined;
  private isInt = false;
  private wasStreamAsked = false;
  private needsStream = false;
  private isTalkative = false;
  private began: number;
  /** Messages that had come when the plan began: what is wanted once may be older. */
  private before: Map<string, number> = new Map();

  constructor(asked: Asked, profile: Profile, streams: StreamRequests, now: number) {
    this.asked = asked;
    this.streams = streams;
    this.began = now;
    this.items = [
      ...profile.once.flatMap((message) => this.itemOf(message, 0)),
      ...Object.entries(profile.rates).flatMap(([message, rate]) => this.itemOf(message, rate)),
    ];
  }

  private itemOf(message: string, rate: number): Item[] {
    const id = this.asked.idOf(message);
    const fresh = { state: 'wanted', tries: 0, result: null, nextAt: this.began, isDemanded: false } as const;
    return id === undefined ? [] : [{ message, id, rate, ...fresh }];
  }

  /** Asks for a message so often, or once for 0, in place of what was wanted of it before. */
  demand(message: string, rate: number, now: number): void {
    const [item] = this.itemOf(message, rate);
    if (!item) throw new RangeError(`no message ${message} is known`);
    const at = this.items.findIndex((each) => each.message === message);
    if (this.open?.item === this.items[at]) this.open = undefined;
    if (at >= 0) this.items.splice(at, 1);
    // once means once more, however often it came
    this.before.set(message, this.asked.count(message));
    this.items.unshift({ ...item, nextAt: now, isDemanded: true });
  }

  /** Asks for one more message until it came, where it is not asked for already and anything is at all. */
  want(message: string): void {
    if (this.items.length === 0 || this.items.some((item) => item.message === message)) return;
    this.items.push(...this.itemOf(message, 0));
  }

  get wishes(): readonly Wish[] {
    return this.items;
  }

  /** The vehicle was started anew, or came back after it was lost. */
  restart(now: number, isReboot: boolean): void {
    this.began = now;
    this.open = undefined;
    this.wasStreamAsked = false;
    this.needsStream = false;
    this.isTalkative = false;
    if (isReboot) this.before = new Map(this.items.map(({ message }) => [message, this.asked.count(message)]));
    for (const item of this.items) {
      item.nextAt = now;
      item.tries = 0;
      item.result = null;
      item.state = 'wanted';
    }
  }

  /** A COMMAND_ACK of the vehicle. */
  answer(command: number, result: number, now: number): void {
    const { open } = this;
    if (!open || open.command !== command) return;
    if (result === IN_PROGRESS) {
      open.until = now + PROGRESS;
      return;
    }
    this.open = undefined;
    const { item } = open;
    item.result = result;
    if (result === ACCEPTED) {
      item.state = 'accepted';
      item.nextAt = Math.max(item.nextAt, now + (item.rate > 0 ? MEASURE : 0));
    } else if (result === INT_ONLY || result === LONG_ONLY) {
      this.isInt = result === INT_ONLY;
    } else if (result === UNSUPPORTED || result === DENIED) {
      this.refuse(item, result, now);
    }
  }

  private refuse(item: Item, result: number, now: number): void {
    if (item.message === MUST_HAVE && item.tries < OLDER_AFTER) {
      // firmware that does not know the command may know the older one
      item.tries = OLDER_AFTER;
      item.nextAt = now;
      return;
    }
    if (item.message === MUST_HAVE) return;
    item.state = 'refused';
    item.nextAt = Number.POSITIVE_INFINITY;
    if (item.rate > 0 && result === UNSUPPORTED) this.needsStream = true;
  }

  /**
   * Sends what is due.
   * @param mayCommand takes one of the commands that may be sent this second, if there is one left
   */
  tick(now: number, mayCommand: () => boolean): void {
    if (this.open) {
      if (now < this.open.until) return;
      this.open = undefined;
    }
    this.fulfil(now);
    const isListening = now < this.began + LISTEN;
    if (!isListening && this.wantsStream()) {
      if (!mayCommand()) return;
      this.wasStreamAsked = true;
      this.asked.dataStream(1);
      for (const item of this.items) if (item.rate > 0) item.nextAt = Math.max(item.nextAt, now + SETTLE);
    }
    const item = this.items.find(({ nextAt, rate }) => nextAt <= now && !(isListening && rate > 0));
    if (!item || !mayCommand()) return;
    this.ask(item, now);
  }

  /** Looks at what came: what is wanted once is there, and what is wanted often comes often enough. */
  private fulfil(now: number): void {
    for (const item of this.items) {
      const { message, rate } = item;
      if (item.nextAt > now && item.state === 'refused') continue;
      if (rate === 0) {
        if (this.asked.count(message) <= (this.before.get(message) ?? 0)) continue;
        item.state = 'fulfilled';
        item.nextAt = Number.POSITIVE_INFINITY;
      } else if (item.nextAt <= now && !item.isDemanded && this.asked.rate(message) >= ENOUGH * rate) {
        item.state = 'fulfilled';
        item.tries = 0;
        item.nextAt = now + MEASURE;
      }
    }
  }

  private wantsStream(): boolean {
    if (this.wasStreamAsked || this.streams === 'never') return false;
    if (!this.items.some(({ rate }) => rate > 0)) return false;
    if (this.streams === 'always' || this.needsStream) return true;
    if (this.asked.autopilot() !== ARDUPILOT || this.asked.storesRates()) return false;
    if (!this.isTalkative) this.isTalkative = this.asked.kinds(this.began) >= TALKATIVE;
    return !this.isTalkative;
  }

  private ask(item: Item, now: number): void {
    const { id, rate, tries } = item;
    const wasAccepted = item.state === 'accepted' || item.state === 'fulfilled';
    item.state = 'asked';
    item.isDemanded = false;
    item.tries++;
    if (rate === 0 && item.message !== MUST_HAVE && item.tries > MOST_TRIES) {
      item.state = 'refused';
      item.nextAt = Number.POSITIVE_INFINITY;
      return;
    }
    item.nextAt = now + (wasAccepted && rate > 0 ? shortPause(tries) : pause(tries));
    const isOlder = rate === 0 && item.message === MUST_HAVE && tries >= OLDER_AFTER && tries % 2 === 1;
    const command = rate > 0 ? SET_MESSAGE_INTERVAL : isOlder ? REQUEST_CAPABILITIES : REQUEST_MESSAGE;
    this.open = { item, command, until: now + ANSWER };
    this.asked.command(command, isOlder ? [1] : rate > 0 ? [id, Math.round(1e6 / rate)] : [id], this.isInt);
  }
}

function pause(tries: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries);
}

function shortPause(tries: number): number {
  return Math.min(LONGEST_SHORT_PAUSE, SHORT_PAUSE * 2 ** tries);
}
