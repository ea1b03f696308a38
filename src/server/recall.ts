import type { Backlog } from './backlog.ts';
import { type StreamFilter, wants } from './filter.ts';
import { keyOf, SentEvent } from './sent-event.ts';

/** Bytes that are made at a time, about, and messages that are looked at before the clock is. */
const BATCH_BYTES = 16 << 10;
const LOOKS = 64;

/** What is kept for those who come back. */
export interface Kept {
  readonly session: string;
  /** The number of the newest event. */
  readonly sequence: number;
  /** Events that are no messages, in their order. */
  readonly states: readonly SentEvent[];
  readonly backlog: Backlog;
}

/** From where on: behind an event, or from a time on, in microseconds. */
export type Start = { readonly sequence: number } | { readonly time: number };

/**
 * What one client missed, in the order in which it happened, made as fast as the client takes it. While it is told, new
 * events need not wait for the client: they are kept as well, and come last.
 */
export class Recall {
  /** Whether all was told, up to this moment. */
  isDone = false;
  /** Events that were gone before it was their turn. */
  lost = 0;
  private readonly kept: Kept;
  /** The numbers of the last state and the last message that were looked at, and the place behind that message. */
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

  /**
   * The next events that are wanted.
   * @param until when to stop, by the clock of `performance`
   */
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
