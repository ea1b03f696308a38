import type { MessageSource } from '../live/events.ts';
import { type StreamFilter, wants } from './filter.ts';
import { keyOf, SentEvent } from './sent-event.ts';
import type { ViewMessage } from './wire.ts';

/** Bytes that are made at a time, about, and messages that are looked at before the clock is. */
const BATCH_BYTES = 16 << 10;
const LOOKS = 64;

/** What is kept for clients that come back. */
export interface Kept {
  readonly session: string;
  /** The number of the newest event. */
  readonly sequence: number;
  readonly states: readonly SentEvent[];
  readonly backlog: Backlog;
}

/** From where on: after an event, or from a time on, in microseconds. */
export type Start = { readonly sequence: number } | { readonly time: number };

/** What one client missed, in order, made as fast as the client reads it; new events wait and come last. */
export class Recall {
  /** Whether all was sent up to now. */
  isDone = false;
  /** Events that were gone before it was their turn. */
  lost = 0;
  private readonly kept: Kept;
  /** The numbers of the last state and the last message that were looked at, and the place after that message. */
  private state: number;
  private sequence: number;
  private place: number;
  private upcoming: SentEvent | undefined;
  /** With a rate: when the next of a kind may go, and the place of the newest that was left out since. */
  private readonly due: Map<string, number> = new Map();
  private readonly held: Map<string, number> = new Map();

  constructor(kept: Kept, start: Start) {
    this.kept = kept;
    const isNew = ({ sequence, time }: { sequence: number; time: number }): boolean =>
      'time' in start ? time >= start.time : sequence > start.sequence;
    const { backlog, states } = kept;
    let at = backlog.from(0);
    while (at !== undefined && !isNew({ sequence: backlog.sequence(at), time: backlog.time(at) }))
      at = backlog.from(backlog.after(at));
    this.place = at ?? backlog.end;
    this.sequence = at === undefined ? kept.sequence : backlog.sequence(at) - 1;
    this.state = states.findLast((item) => !isNew(item))?.sequence ?? 0;
    if (backlog.start > 0 && at === backlog.from(0) && 'sequence' in start) {
      const isThere = ({ sequence }: SentEvent): boolean => sequence > start.sequence && sequence <= this.sequence;
      this.lost = Math.max(0, this.sequence - start.sequence - states.filter(isThere).length);
    }
  }

  /** The next events that pass the filter. @param until when to stop, by the clock of `performance` */
  next(filter: StreamFilter, until: number): SentEvent[] {
    const { backlog, session } = this.kept;
    const items: SentEvent[] = [];
    let bytes = 0;
    for (let looks = 1; bytes < BATCH_BYTES; looks++) {
      if (looks % LOOKS === 0 && performance.now() >= until) return items;
      const state = this.nextState();
      const place = backlog.from(this.place);
      if (state && !(place !== undefined && backlog.sequence(place) < state.sequence)) {
        this.state = state.sequence;
        this.upcoming = undefined;
        if (!wants(filter, state)) continue;
        items.push(state);
        bytes += state.frame.length;
      } else if (place !== undefined) {
        const item = this.message(place, filter, session);
        if (!item) continue;
        items.push(item);
        bytes += item.frame.length;
      } else {
        items.push(...this.release());
        this.isDone = true;
        break;
      }
    }
    return items;
  }

  private nextState(): SentEvent | undefined {
    const { states } = this.kept;
    // messages are many and states few: mostly there is none
    if (this.upcoming === undefined && (states.at(-1)?.sequence ?? 0) > this.state)
      this.upcoming = states.find(({ sequence }) => sequence > this.state);
    return this.upcoming;
  }

  private message(place: number, filter: StreamFilter, session: string): SentEvent | undefined {
    const { backlog } = this.kept;
    const sequence = backlog.sequence(place);
    // the ring went round while the client took its time
    if (this.place < backlog.start) this.lost += sequence - this.sequence - 1;
    this.sequence = sequence;
    this.place = backlog.after(place);
    const event = backlog.event(place);
    if (!wants(filter, event) || (filter.rate > 0 && this.isEarly(keyOf(event), place, event.time, filter.rate)))
      return undefined;
    return new SentEvent(event, session, sequence);
  }

  private isEarly(key: string, place: number, time: number, rate: number): boolean {
    const due = this.due.get(key);
    if (due !== undefined && time < due) {
      this.held.set(key, place);
      return true;
    }
    this.held.delete(key);
    const interval = 1e6 / rate;
    this.due.set(key, due === undefined ? time + interval : Math.max(due + interval, time));
    return false;
  }

  /** The newest of each kind always arrives, unless it is gone. */
  private release(): SentEvent[] {
    const { backlog, session } = this.kept;
    const places = [...this.held.values()].filter((place) => place >= backlog.start).sort((a, b) => a - b);
    this.held.clear();
    return places.map((place) => new SentEvent(backlog.event(place), session, backlog.sequence(place)));
  }
}

/*
 * A ring of messages as they were received. Each has a head of 24 bytes:
 *
 *     0          8              16       20     22         24
 *     sequence   time, µs UTC   source   size   instance   frame ...
 *
 * A message is never torn by the end of the ring: what is left there has a size that no frame has.
 */
const HEAD = 24;
const TIME_AT = 8;
const SOURCE_AT = 16;
const SIZE_AT = 20;
const INSTANCE_AT = 22;
const PAD = 0xffff;
const NO_INSTANCE = 0xffff;
/** Senders and kinds; more than any view keeps. */
const SOURCES = 65_536;

interface Origin {
  readonly source: MessageSource;
  readonly vehicle: string | null;
  readonly component: number;
  readonly name: string;
}

/** The last messages of all vehicles as frames, decoded on demand. Places count from the first byte ever written. */
export class Backlog {
  private readonly size: number;
  private ring: Uint8Array | undefined;
  private view: DataView | undefined;
  private readonly origins: Origin[] = [];
  private readonly numbers: Map<MessageSource, number> = new Map();
  /** Places of the oldest message, and of the next one. */
  private first = 0;
  private next = 0;

  constructor(bytes: number) {
    this.size = bytes;
  }

  /** Keeps a message, where it can be kept. */
  add(event: ViewMessage, sequence: number): boolean {
    const { source } = event;
    const need = HEAD + (source?.size ?? 0);
    if (!source || source.size >= PAD || need > this.size) return false;
    // a ring costs memory as it is written to, so one that is never used costs none
    this.ring ??= new Uint8Array(this.size);
    this.view ??= new DataView(this.ring.buffer);
    const origin = this.originOf(event, source);
    const left = this.size - (this.next % this.size);
    if (left < need) {
      this.makeRoom(left);
      if (left >= HEAD) this.view.setUint16((this.next % this.size) + SIZE_AT, PAD, true);
      this.next += left;
    }
    this.makeRoom(need);
    const at = this.next % this.size;
    this.view.setFloat64(at, sequence, true);
    this.view.setFloat64(at + TIME_AT, event.time, true);
    this.view.setUint32(at + SOURCE_AT, origin, true);
    this.view.setUint16(at + SIZE_AT, source.size, true);
    this.view.setUint16(at + INSTANCE_AT, event.instance ?? NO_INSTANCE, true);
    source.copyTo(this.ring, at + HEAD);
    this.next += need;
    return true;
  }

  private originOf({ vehicle, component, name }: ViewMessage, source: MessageSource): number {
    const known = this.numbers.get(source);
    if (known !== undefined && this.origins[known].vehicle === vehicle) return known;
    if (this.origins.length >= SOURCES) this.forget();
    this.numbers.set(source, this.origins.length);
    return this.origins.push({ source, vehicle, component, name }) - 1;
  }

  private forget(): void {
    this.origins.length = 0;
    this.numbers.clear();
    this.first = this.next;
  }

  private makeRoom(bytes: number): void {
    while (this.next + bytes - this.first > this.size) this.first = this.after(this.first);
  }

  after(place: number): number {
    const size = this.sizeAt(place);
    return size === PAD ? place + this.size - (place % this.size) : place + HEAD + size;
  }

  private sizeAt(place: number): number {
    const at = place % this.size;
    return this.size - at < HEAD ? PAD : (this.view as DataView).getUint16(at + SIZE_AT, true);
  }

  /** The place of the first message from a place on that is still kept; undefined if none. */
  from(place: number): number | undefined {
    for (let at = Math.max(place, this.first); at < this.next; at = this.after(at))
      if (this.sizeAt(at) !== PAD) return at;
    return undefined;
  }

  /** Where the oldest begins: what was before is gone. */
  get start(): number {
    return this.first;
  }

  /** Where the newest ends: nothing is from there on, until something comes. */
  get end(): number {
    return this.next;
  }

  sequence(place: number): number {
    return (this.view as DataView).getFloat64(place % this.size, true);
  }

  time(place: number): number {
    return (this.view as DataView).getFloat64((place % this.size) + TIME_AT, true);
  }

  /** The message at a place, for as long as it is there; decoded when its data is read. */
  event(place: number): ViewMessage {
    const [ring, view] = [this.ring as Uint8Array, this.view as DataView];
    const at = place % this.size;
    const { source, vehicle, component, name } = this.origins[view.getUint32(at + SOURCE_AT, true)];
    const size = view.getUint16(at + SIZE_AT, true);
    const instance = view.getUint16(at + INSTANCE_AT, true);
    return {
      ...{ type: 'message', time: this.time(place), vehicle, component, name },
      instance: instance === NO_INSTANCE ? undefined : instance,
      get data() {
        return source.decode(ring.slice(at + HEAD, at + HEAD + size));
      },
    };
  }
}
