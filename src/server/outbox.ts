import type { ServerLimits } from '../core/limits.ts';
import type { Wish } from './filter.ts';
import type { Item } from './item.ts';

/** Where a client's events go. */
export interface Wire {
  /** Bytes that were handed over and are not yet taken by the system. */
  readonly waiting: number;
  send(items: readonly Item[], dropped: number): void;
  /** Ends the connection, at once. */
  cut(reason: string): void;
}

/** A message kind that is sent at a rate: when the next may go, and the newest that came before that. */
interface Slot {
  next: number;
  held: Item | undefined;
}

/** Bytes handed to a socket at a time. */
const BATCH_BYTES = 64 << 10;
/** Senders and messages that a rate is kept for. Views bound them too. */
const SLOTS = 8_192;

/**
 * The events that wait for one client. A client that takes its time costs no more than this: while it is behind, the
 * newest message of a kind takes the place of the one before it, and when there are still too many the oldest go.
 */
export class Outbox {
  sent = 0;
  /** Events that the client will never see; those that its own rate left out are not among them. */
  dropped = 0;
  private current: Wish;
  private untold = 0;
  private readonly wire: Wire;
  private readonly limits: ServerLimits;
  /** In the order to be sent. Keys are numbers, but for messages that a newer one may replace. */
  private readonly queue = new Map<string | number, Item>();
  private readonly slots = new Map<string, Slot>();
  private held = 0;
  private serial = 0;
  private behindSince = Number.NaN;

  constructor(wire: Wire, wish: Wish, limits: ServerLimits) {
    this.wire = wire;
    this.current = wish;
    this.limits = limits;
  }

  get wish(): Wish {
    return this.current;
  }

  get size(): number {
    return this.queue.size + this.held;
  }

  /** From now on the client wants this. What it was waiting for, it still gets. */
  change(wish: Wish): void {
    for (const { held } of this.slots.values()) if (held) this.put(held);
    this.held = 0;
    this.slots.clear();
    this.current = wish;
  }

  /** Takes an event that the client wants. @param now in milliseconds */
  offer(item: Item, now: number): void {
    if (this.wish.rate === 0 || item.key === '') this.put(item);
    else this.limit(item, now);
  }

  private limit(item: Item, now: number): void {
    const slot = this.slots.get(item.key);
    if (!slot) {
      if (this.slots.size >= SLOTS) this.forgetSlots();
      this.slots.set(item.key, { next: now + 1000 / this.wish.rate, held: undefined });
      this.put(item);
    } else if (now >= slot.next && !slot.held) {
      this.pass(slot, item, now);
    } else {
      if (!slot.held) this.held++;
      slot.held = item;
    }
  }

  private pass(slot: Slot, item: Item, now: number): void {
    slot.next = Math.max(slot.next + 1000 / this.wish.rate, now);
    this.put(item);
  }

  private forgetSlots(): void {
    this.lose(this.held);
    this.held = 0;
    this.slots.clear();
  }

  private put(item: Item): void {
    const isBehind = !Number.isNaN(this.behindSince);
    const key = isBehind && item.key !== '' ? item.key : this.serial++;
    if (this.queue.delete(key)) this.lose(1);
    this.queue.set(key, item);
    if (this.queue.size <= this.limits.eventsWaiting) return;
    const [oldest] = this.queue.keys();
    this.queue.delete(oldest);
    this.lose(1);
  }

  private lose(count: number): void {
    this.dropped += count;
    this.untold += count;
  }

  /** Hands over what the client has room for. */
  flush(now: number): void {
    if (this.held > 0) this.release(now);
    if (this.wire.waiting > this.limits.bytesWaiting) {
      if (Number.isNaN(this.behindSince)) this.behindSince = now;
      if (now - this.behindSince >= this.limits.stalled) this.wire.cut('client takes nothing');
      return;
    }
    this.behindSince = Number.NaN;
    if (this.queue.size === 0) return;
    const batch: Item[] = [];
    let bytes = 0;
    for (const [key, item] of this.queue) {
      batch.push(item);
      this.queue.delete(key);
      bytes += item.text.length;
      if (bytes >= BATCH_BYTES) break;
    }
    this.sent += batch.length;
    this.wire.send(batch, this.untold);
    this.untold = 0;
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
