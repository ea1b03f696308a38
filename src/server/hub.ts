import { randomBytes } from 'node:crypto';
import { ClientQueue, Newest, type Wire } from './client-queue.ts';
import { type StreamFilter, wants } from './filter.ts';
import { HttpError } from './http.ts';
import type { ServerLimits } from './limits.ts';
import { Backlog, type Kept, Recall, type Start } from './recall.ts';
import { SentEvent } from './sent-event.ts';
import type { LiveView } from './view.ts';
import type { ViewEvent, ViewMessage } from './wire.ts';

/** Milliseconds between two deliveries: what comes in between goes out together. */
const PERIOD = 20;
/** Milliseconds of a round without a break. */
const SLICE = 10;
/** Senders and messages whose listeners are remembered. */
const AUDIENCES = 16_384;

/** Hands events to all clients that want them. It listens to the view once. */
export class Hub implements Kept {
  /** Tells this run of the server from others: sequence numbers begin again with each. */
  readonly session: string = randomBytes(4).toString('hex');
  /** Of clients that are gone. */
  private sentBefore = 0;
  private droppedBefore = 0;
  private readonly newest = new Newest();
  private readonly limits: ServerLimits;
  private readonly queues = new Set<ClientQueue>();
  /** Clients of a vehicle's message, so that one without clients costs a look-up. */
  private readonly audiences = new Map<string, readonly ClientQueue[]>();
  /** State events and messages, for clients that come back. */
  readonly states: SentEvent[] = [];
  readonly backlog: Backlog;
  private readonly unsubscribe: () => void;
  private timer: NodeJS.Timeout | undefined;
  /** Clients that are not yet served in this round, the next one last. */
  private round: ClientQueue[] = [];
  private isClosed = false;

  constructor(view: LiveView, limits: ServerLimits) {
    this.limits = limits;
    this.backlog = new Backlog(limits.backlogBytes);
    this.unsubscribe = view.subscribe((event) => this.receive(event));
  }

  get clients(): number {
    return this.queues.size;
  }

  get sent(): number {
    return [...this.queues].reduce((sum, { sent }) => sum + sent, this.sentBefore);
  }

  get dropped(): number {
    return [...this.queues].reduce((sum, { dropped }) => sum + dropped, this.droppedBefore);
  }

  /** The id to come back with for a client that has seen nothing yet: of the newest event, or of where it starts. */
  idAt(start: Start | undefined): string {
    const sequence = start === undefined ? this.sequence : 'sequence' in start ? start.sequence : 0;
    return `${this.session}.${sequence}`;
  }

  get sequence(): number {
    return this.newest.sequence;
  }

  /** Throws if there is no room for another client, or the server closes. */
  checkRoom(): void {
    if (this.isClosed) throw new HttpError(503, 'the server is closing');
    if (this.queues.size < this.limits.streams) return;
    const { streams } = this.limits;
    throw new HttpError(503, `all ${streams} streams are in use: close one, or try again`, { 'Retry-After': '5' });
  }

  /** @param start from where on the client gets what it missed; by default only new events */
  add(wire: Wire, filter: StreamFilter, start?: Start): ClientQueue {
    const queue = new ClientQueue(wire, filter, this.limits, this.newest, start && new Recall(this, start));
    this.queues.add(queue);
    this.audiences.clear();
    this.timer ??= setInterval(() => this.deliver(), PERIOD);
    return queue;
  }

  /** The number of an event by its id. One of another run, or none that we gave, says nothing: all that is kept is new. */
  sequenceOf(id: string): number {
    const [session, number] = id.split('.');
    return session === this.session && /^\d+$/.test(number ?? '') ? Number(number) : 0;
  }

  change(queue: ClientQueue, filter: StreamFilter): void {
    queue.change(filter);
    this.audiences.clear();
  }

  remove(queue: ClientQueue): void {
    if (!this.queues.delete(queue)) return;
    this.audiences.clear();
    this.sentBefore += queue.sent;
    this.droppedBefore += queue.dropped;
    if (this.queues.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  close(): void {
    this.isClosed = true;
    this.unsubscribe();
    clearInterval(this.timer);
    this.timer = undefined;
    this.queues.clear();
  }

  private receive(event: ViewEvent): void {
    const sequence = ++this.newest.sequence;
    const isMessage = event.type === 'message';
    const isKept = !isMessage || this.backlog.add(event, sequence);
    const audience = isMessage ? this.audienceOf(event) : [...this.queues].filter(({ filter }) => wants(filter, event));
    if (isMessage && audience.length === 0) return;
    const item = new SentEvent(event, this.session, sequence);
    this.newest.add(item);
    if (!isMessage && this.states.push(item) > this.limits.eventsKept) this.states.shift();
    const now = performance.now();
    for (const queue of audience) if (!(isKept && queue.isRecalling)) queue.offer(item, now);
  }

  private audienceOf(event: ViewMessage): readonly ClientQueue[] {
    if (this.queues.size === 0) return [];
    const key = `${event.vehicle}\n${event.name}`;
    let audience = this.audiences.get(key);
    if (!audience) {
      audience = [...this.queues].filter(({ filter }) => wants(filter, event));
      if (this.audiences.size >= AUDIENCES) this.audiences.clear();
      this.audiences.set(key, audience);
    }
    return audience;
  }

  /** Serves each client once. A round that takes long makes breaks, in which other requests are answered. */
  private deliver(): void {
    if (this.round.length > 0) return;
    this.round = [...this.queues].reverse();
    // clients that come back share this time: the others do not wait for them
    this.serve(performance.now() + this.limits.recallTime);
  }

  private serve(recallUntil: number): void {
    const now = performance.now();
    for (let queue = this.round.pop(); queue; queue = this.round.pop()) {
      if (this.queues.has(queue)) queue.flush(now, recallUntil);
      if (performance.now() - now < SLICE || this.round.length === 0) continue;
      setImmediate(() => this.serve(recallUntil));
      return;
    }
    if (![...this.queues].some(({ isBehind }) => isBehind)) this.newest.forget();
  }
}
