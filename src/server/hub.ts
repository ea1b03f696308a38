import { randomBytes } from 'node:crypto';
import type { ServerLimits } from '../core/limits.ts';
import { type Wish, wants } from './filter.ts';
import { Item } from './item.ts';
import { Newest } from './newest.ts';
import { Outbox, type Wire } from './outbox.ts';
import { Refusal } from './refusal.ts';
import type { LiveEvent, LiveView } from './view.ts';

/** Milliseconds between two deliveries: what comes in between goes out together. */
const PERIOD = 20;
/** Senders and messages whose listeners are remembered. */
const AUDIENCES = 16_384;

/** Hands events to all clients that want them. It listens to the view once. */
export class Hub {
  /** Tells this run of the server from others: sequence numbers begin anew with each. */
  readonly session: string = randomBytes(4).toString('hex');
  /** Of clients that are gone. */
  private sentBefore = 0;
  private droppedBefore = 0;
  private readonly newest = new Newest();
  private readonly limits: ServerLimits;
  private readonly outboxes = new Set<Outbox>();
  /** Who wants a vehicle's message, so that one that nobody wants costs a look-up. */
  private readonly audiences = new Map<string, readonly Outbox[]>();
  private readonly kept: Item[] = [];
  private readonly unsubscribe: () => void;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(view: LiveView, limits: ServerLimits) {
    this.limits = limits;
    this.unsubscribe = view.subscribe({}, (event) => this.take(event));
  }

  get clients(): number {
    return this.outboxes.size;
  }

  get sent(): number {
    return [...this.outboxes].reduce((sum, { sent }) => sum + sent, this.sentBefore);
  }

  get dropped(): number {
    return [...this.outboxes].reduce((sum, { dropped }) => sum + dropped, this.droppedBefore);
  }

  /** The id of the newest event. */
  get id(): string {
    return `${this.session}.${this.newest.sequence}`;
  }

  /** Throws where there is no room for one more client, or no more time. */
  checkRoom(): void {
    if (this.isClosed) throw new Refusal(503, 'the server ends');
    if (this.outboxes.size < this.limits.streams) return;
    const { streams } = this.limits;
    throw new Refusal(503, `all ${streams} streams are in use: close one, or try again`, { 'Retry-After': '5' });
  }

  /** @param since the id of the last event that the client saw; state events after it are told to it first */
  add(wire: Wire, wish: Wish, since: string = this.id): Outbox {
    const outbox = new Outbox(wire, wish, this.limits, this.newest);
    this.outboxes.add(outbox);
    this.audiences.clear();
    for (const item of this.after(since)) if (wants(wish, item.subject)) outbox.offer(item, performance.now());
    this.timer ??= setInterval(() => this.deliver(), PERIOD);
    return outbox;
  }

  change(outbox: Outbox, wish: Wish): void {
    outbox.change(wish);
    this.audiences.clear();
  }

  remove(outbox: Outbox): void {
    if (!this.outboxes.delete(outbox)) return;
    this.audiences.clear();
    this.sentBefore += outbox.sent;
    this.droppedBefore += outbox.dropped;
    if (this.outboxes.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  close(): void {
    this.isClosed = true;
    this.unsubscribe();
    clearInterval(this.timer);
    this.timer = undefined;
    this.outboxes.clear();
  }

  /** An id of another run, or none that we gave, says nothing: then all that is kept is new. */
  private after(since: string): readonly Item[] {
    const [session, number] = since.split('.');
    const last = session === this.session && /^\d+$/.test(number ?? '') ? Number(number) : 0;
    return this.kept.filter(({ sequence }) => sequence > last);
  }

  private take(event: LiveEvent): void {
    const isMessage = event.kind === 'message';
    const audience = isMessage ? this.audienceOf(event) : [...this.outboxes].filter(({ wish }) => wants(wish, event));
    if (isMessage && audience.length === 0) return;
    const item = new Item(event, this.session, ++this.newest.sequence);
    this.newest.add(item);
    if (!isMessage && this.kept.push(item) > this.limits.eventsKept) this.kept.shift();
    const now = performance.now();
    for (const outbox of audience) outbox.offer(item, now);
  }

  private audienceOf(event: LiveEvent): readonly Outbox[] {
    if (this.outboxes.size === 0) return [];
    const key = `${event.vehicle}\n${event.message}`;
    let audience = this.audiences.get(key);
    if (!audience) {
      audience = [...this.outboxes].filter(({ wish }) => wants(wish, event));
      if (this.audiences.size >= AUDIENCES) this.audiences.clear();
      this.audiences.set(key, audience);
    }
    return audience;
  }

  private deliver(): void {
    const now = performance.now();
    let behind = 0;
    for (const outbox of this.outboxes) {
      outbox.flush(now);
      if (outbox.isBehind) behind++;
    }
    if (behind === 0) this.newest.forget();
  }
}
