import { randomBytes } from 'node:crypto';
import type { ServerLimits } from '../core/limits.ts';
import { Backlog } from './backlog.ts';
import { type Wish, wants } from './filter.ts';
import { Item } from './item.ts';
import { Newest } from './newest.ts';
import { Outbox, type Wire } from './outbox.ts';
import { type Kept, Recall, type Start } from './recall.ts';
import { Refusal } from './refusal.ts';
import type { LiveEvent, LiveView } from './view.ts';

/** Milliseconds between two deliveries: what comes in between goes out together. */
const PERIOD = 20;
/** Senders and messages whose listeners are remembered. */
const AUDIENCES = 16_384;

/** Hands events to all clients that want them. It listens to the view once. */
export class Hub implements Kept {
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
  /** Events that are no messages, and messages, for clients that come back. */
  readonly states: Item[] = [];
  readonly backlog: Backlog;
  private readonly unsubscribe: () => void;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(view: LiveView, limits: ServerLimits) {
    this.limits = limits;
    this.backlog = new Backlog(limits.backlogBytes);
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

  /** The id to come back with for a client that has seen nothing yet: of the newest event, or of where it starts. */
  idAt(start: Start | undefined): string {
    const sequence = start === undefined ? this.sequence : 'sequence' in start ? start.sequence : 0;
    return `${this.session}.${sequence}`;
  }

  get sequence(): number {
    return this.newest.sequence;
  }

  /** Throws where there is no room for one more client, or no more time. */
  checkRoom(): void {
    if (this.isClosed) throw new Refusal(503, 'the server ends');
    if (this.outboxes.size < this.limits.streams) return;
    const { streams } = this.limits;
    throw new Refusal(503, `all ${streams} streams are in use: close one, or try again`, { 'Retry-After': '5' });
  }

  /** @param start from where on the client is told what it missed; only what comes from now on where it is absent */
  add(wire: Wire, wish: Wish, start?: Start): Outbox {
    const outbox = new Outbox(wire, wish, this.limits, this.newest, start && new Recall(this, start));
    this.outboxes.add(outbox);
    this.audiences.clear();
    this.timer ??= setInterval(() => this.deliver(), PERIOD);
    return outbox;
  }

  /** The number of an event by its id. One of another run, or none that we gave, says nothing: all that is kept is new. */
  sequenceOf(id: string): number {
    const [session, number] = id.split('.');
    return session === this.session && /^\d+$/.test(number ?? '') ? Number(number) : 0;
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

  private take(event: LiveEvent): void {
    const sequence = ++this.newest.sequence;
    const isMessage = event.kind === 'message';
    const isKept = !isMessage || this.backlog.add(event, sequence);
    const audience = isMessage ? this.audienceOf(event) : [...this.outboxes].filter(({ wish }) => wants(wish, event));
    if (isMessage && audience.length === 0) return;
    const item = new Item(event, this.session, sequence);
    this.newest.add(item);
    if (!isMessage && this.states.push(item) > this.limits.eventsKept) this.states.shift();
    const now = performance.now();
    for (const outbox of audience) if (!(isKept && outbox.isRecalling)) outbox.offer(item, now);
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
    // those who come back are served with what is left of this time: the others do not wait for them
    const until = now + this.limits.recallTime;
    let behind = 0;
    for (const outbox of this.outboxes) {
      outbox.flush(now, until);
      if (outbox.isBehind) behind++;
    }
    if (behind === 0) this.newest.forget();
  }
}
