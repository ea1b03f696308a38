import { type StreamFilter, wants } from './filter.ts';
import type { ServerLimits } from './limits.ts';
import type { Recall } from './recall.ts';
import type { SentEvent } from './sent-event.ts';

/** Kinds of messages and senders that are remembered at most. Views bound them too. */
const KINDS = 16_384;

/** The newest message of each kind, kept once for all clients that are behind. */
export class Newest {
  /** Of the event that came last. */
  sequence = 0;
  private readonly items = new Map<string, SentEvent>();
  private isKept = false;

  /** From now on the newest are kept. */
  keep(): void {
    this.isKept = true;
  }

  forget(): void {
    this.isKept = false;
    this.items.clear();
  }

  add(item: SentEvent): void {
    if (!this.isKept || item.key === '') return;
    if (this.items.size >= KINDS && !this.items.has(item.key)) return;
    this.items.set(item.key, item);
  }

  after(sequence: number): SentEvent[] {
    return [...this.items.values()].filter((item) => item.sequence > sequence);
  }
}

/** Where a client's events go. */
export interface Wire {
  /** Bytes that were handed over and are not yet taken by the system. */
  readonly waiting: number;
  send(items: readonly SentEvent[], dropped: number): void;
  /** Ends the connection, at once. */
  cut(reason: string): void;
}

/** A message kind that is sent at a rate: when the next may go, and the newest that came before that. */
interface Slot {
  next: number;
  held: SentEvent | undefined;
}

/** Bytes handed to a socket at a time, about. */
const BATCH_BYTES = 16 << 10;
/** Batches end at the same events for all clients, so that each is encoded once. */
const BATCH_EVENTS = 32;
/** How much of the room is used at most after some had to go, so that they need not go one by one. */
const LEFT = 0.75;
/** Senders and messages that a rate is kept for. Views bound them too. */
const SLOTS = 8_192;

/**
 * The events that wait for one client. While its socket takes nothing, messages are only counted, and when it takes
 * something again it gets the newest of each kind. Whenever too many wait, the newest of a kind takes the place of those
 * before it, and when there are still too many the oldest go.
 */
export class ClientQueue {
  sent = 0;
  private current: StreamFilter;
  private lost = 0;
  private unreported = 0;
  private readonly wire: Wire;
  private readonly limits: ServerLimits;
  private queue: SentEvent[] = [];
  private readonly slots = new Map<string, Slot>();
  private held = 0;
  private behindSince = Number.NaN;
  /** The last event that was put into the queue before the client fell behind, and the messages since. */
  private mark = 0;
  private missed = 0;
  private readonly newest: Newest;
  /** What the client gets first. */
  private recall: Recall | undefined;

  constructor(wire: Wire, filter: StreamFilter, limits: ServerLimits, newest: Newest, recall?: Recall) {
    this.recall = recall;
    this.wire = wire;
    this.newest = newest;
    this.current = filter;
    this.limits = limits;
  }

  get filter(): StreamFilter {
    return this.current;
  }

  get isBehind(): boolean {
    return !Number.isNaN(this.behindSince);
  }

  /** Whether it still gets what it missed: kept events reach it that way too. */
  get isRecalling(): boolean {
    return this.recall !== undefined;
  }

  /** Events that the client will never see; those that its own rate left out are not among them. */
  get dropped(): number {
    return this.lost + this.missed;
  }

  get size(): number {
    return this.queue.length + this.held;
  }

  /** From now on the client wants this. What it was waiting for, it still gets. */
  change(filter: StreamFilter): void {
    for (const { held } of this.slots.values()) if (held) this.enqueue(held);
    this.forgetSlots();
    this.current = filter;
  }

  /** Queues an event that the client wants. @param now in milliseconds */
  offer(item: SentEvent, now: number): void {
    if (this.filter.rate === 0 || item.key === '') this.enqueue(item);
    else this.limit(item, now);
  }

  private limit(item: SentEvent, now: number): void {
    const slot = this.slots.get(item.key);
    if (!slot) {
      if (this.slots.size >= SLOTS) {
        this.lose(this.held);
        this.forgetSlots();
      }
      this.slots.set(item.key, { next: now + 1000 / this.filter.rate, held: undefined });
      this.enqueue(item);
    } else if (now >= slot.next && !slot.held) {
      this.pass(slot, item, now);
    } else {
      if (!slot.held) this.held++;
      slot.held = item;
    }
  }

  private pass(slot: Slot, item: SentEvent, now: number): void {
    slot.next = Math.max(slot.next + 1000 / this.filter.rate, now);
    this.enqueue(item);
  }

  private forgetSlots(): void {
    this.held = 0;
    this.slots.clear();
  }

  private enqueue(item: SentEvent): void {
    if (this.isBehind && item.key !== '') {
      this.missed++;
      return;
    }
    if (this.queue.push(item) <= this.limits.eventsWaiting) return;
    const kept = shortened(this.queue, Math.floor(this.limits.eventsWaiting * LEFT));
    this.lose(this.queue.length - kept.length);
    this.queue = kept;
  }

  private lose(count: number): void {
    this.lost += count;
    this.unreported += count;
  }

  /** Sends what the client has room for. @param until when to stop with what it missed, by the same clock */
  flush(now: number, until: number = Number.POSITIVE_INFINITY): void {
    if (this.held > 0) this.release(now);
    if (this.wire.waiting > this.limits.bytesWaiting) {
      this.wait(now);
      return;
    }
    if (this.isBehind) this.catchUp();
    if (this.recall) this.sendRecall(this.recall, until);
    if (this.recall) return;
    // what the system takes at once does not wait, so that a client which keeps up is never held back
    let at = 0;
    while (at < this.queue.length && this.wire.waiting <= this.limits.bytesWaiting) at = this.sendBatch(at);
    this.queue.splice(0, at);
  }

  /** Hands over what the client missed, as much of it as there is time and room for. */
  private sendRecall(recall: Recall, until: number): void {
    while (!recall.isDone && this.wire.waiting <= this.limits.bytesWaiting && performance.now() < until) {
      const items = recall.next(this.filter, until);
      this.lose(recall.lost);
      recall.lost = 0;
      if (items.length === 0) continue;
      this.wire.send(items, this.unreported);
      this.sent += items.length;
      this.unreported = 0;
    }
    if (recall.isDone) this.recall = undefined;
  }

  private wait(now: number): void {
    if (!this.isBehind) {
      this.behindSince = now;
      this.mark = this.newest.sequence;
      this.newest.keep();
    }
    if (now - this.behindSince >= this.limits.stalled) this.wire.cut('client does not read');
  }

  private catchUp(): void {
    this.behindSince = Number.NaN;
    // the recall has them all, but for those that could not be kept
    const newest = this.recall ? [] : this.newest.after(this.mark);
    const found = newest.filter((event) => wants(this.filter, event));
    this.lose(Math.max(0, this.missed - found.length));
    this.missed = 0;
    // what was held back for the rate is among them, or older
    this.forgetSlots();
    this.queue = [...this.queue, ...found].sort((a, b) => a.sequence - b.sequence);
  }

  private sendBatch(from: number): number {
    let to = from;
    for (let bytes = 0; to < this.queue.length && bytes < BATCH_BYTES; ) {
      const { frame, sequence } = this.queue[to++];
      bytes += frame.length;
      if (bytes >= BATCH_BYTES / 4 && sequence % BATCH_EVENTS === 0) break;
    }
    this.wire.send(this.queue.slice(from, to), this.unreported);
    this.sent += to - from;
    this.unreported = 0;
    return to;
  }

  /** Messages that were held back for the rate, and whose time has come. */
  private release(now: number): void {
    for (const slot of this.slots.values()) {
      const { held, next } = slot;
      if (!held || now < next) continue;
      slot.held = undefined;
      this.held--;
      this.pass(slot, held, now);
    }
  }
}

/** A queue with only the newest message of each kind, and `most` events in all. */
function shortened(queue: readonly SentEvent[], most: number): SentEvent[] {
  const seen = new Set<string>();
  const kept: SentEvent[] = [];
  for (let i = queue.length - 1; i >= 0 && kept.length < most; i--) {
    const { key } = queue[i];
    if (key !== '' && seen.has(key)) continue;
    seen.add(key);
    kept.push(queue[i]);
  }
  return kept.reverse();
}
