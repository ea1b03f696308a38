import { setTimeout as sleep } from 'node:timers/promises';
import type { Msg } from '@nats-io/transport-node';
import { hexOf } from '../core/text.ts';
import { readHead, withFloor } from './batch.ts';
import { type Bus, type BusOptions, openBus } from './connection.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';
import type { Spool, SpoolPlace, SpoolRecord } from './spool.ts';
import { type Keeping, liveStream } from './stream.ts';
import { liveSubject } from './subject.ts';

export interface SenderOptions {
  readonly address: string;
  readonly bus: BusOptions;
  readonly collector: string;
  readonly keeping: Keeping;
  /** The bus takes messages, or does not; the sentence says why not. */
  readonly changed: (isTaking: boolean, error: string) => void;
  readonly acknowledged: (frames: number) => void;
  /** How many frames this run has lost. */
  readonly lost: () => number;
}

/** The status by which a server says that no stream listens. */
const NOBODY = 503;

/** A message on its way. */
interface Pending {
  readonly number: number;
  readonly frames: number;
  readonly end: SpoolPlace;
  /** When it left, milliseconds. */
  readonly left: number;
  isDone: boolean;
}

/** Sends a spool in order, many messages at a time, each with an id; releases what the bus acknowledged. */
export class BusSender {
  private readonly spool: Spool;
  private readonly options: SenderOptions;
  private pending: Pending[] = [];
  private place: SpoolPlace;
  private last: { run: string; number: number } = { run: '', number: 0 };
  private error: Error | undefined;
  private resume: () => void = () => undefined;
  private isWoken = false;
  private isConnected = false;
  private isClosing = false;
  private isTaking = false;
  private readonly ownRun: string;
  private readonly running: Promise<void>;

  constructor(spool: Spool, options: SenderOptions) {
    this.spool = spool;
    this.options = options;
    this.place = spool.begin;
    this.ownRun = hexOf(spool.run);
    this.running = this.run();
  }

  /** Sends the rest, as far as the bus takes it in time, and ends. */
  async close(): Promise<void> {
    const end = Date.now() + BUS_LIVE_LIMITS.lastMilliseconds;
    while (this.isTaking && this.spool.bytes > 0 && Date.now() < end) await sleep(20);
    this.isClosing = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isClosing) {
      let bus: Bus | undefined;
      try {
        bus = await openBus(this.options.address, { ...this.options.bus, giveUp: true });
        await this.serve(bus);
      } catch (error) {
        this.turn(false, error);
        await sleep(BUS_LIVE_LIMITS.retryMilliseconds);
      } finally {
        await bus?.close();
      }
    }
  }

  private async serve(bus: Bus): Promise<void> {
    void this.watch(bus);
    while (!this.isClosing && !bus.connection.isClosed()) {
      try {
        if (this.isConnected) {
          await liveStream(bus, this.options.keeping);
          // whether it takes frames is seen with the first of them
          if (this.spool.bytes === 0) this.turn(true);
          await this.send(bus);
        }
      } catch (error) {
        this.turn(false, error);
      }
      this.takeBack();
      if (!this.isClosing) await sleep(BUS_LIVE_LIMITS.retryMilliseconds);
    }
  }

  /** What the bus has not acknowledged is sent again. */
  private takeBack(): void {
    this.pending = [];
    this.place = this.spool.begin;
    this.last = { run: '', number: 0 };
  }

  /** While there is no connection nothing is sent: it would only wait in memory. */
  private async watch(bus: Bus): Promise<void> {
    this.isConnected = true;
    for await (const status of bus.connection.status()) {
      if (status.type === 'reconnect') this.isConnected = true;
      // the server reports missing permissions so
      if (status.type === 'error') this.crashed(status.error);
      if (status.type !== 'disconnect') continue;
      this.isConnected = false;
      this.crashed(new Error('the connection is lost'));
    }
  }

  /** Until something fails. */
  private async send(bus: Bus): Promise<void> {
    this.error = undefined;
    const inbox = bus.inbox();
    const answers = bus.connection.subscribe(`${inbox}.*`, {
      callback: (error, message) => (error ? this.crashed(error) : this.answer(message)),
    });
    const timer = setInterval(() => this.miss(), BUS_LIVE_LIMITS.retryMilliseconds);
    try {
      while (!this.isClosing) {
        const records = await this.spool.read(this.place);
        for (const record of records) {
          // those that may leave at once leave in one piece
          while (!this.sendOne(bus, inbox, record)) {
            await this.rest();
            if (this.isClosing) return;
            if (this.error) throw this.error;
          }
        }
        if (records.length === 0) await this.rest();
        if (this.error) throw this.error;
      }
    } finally {
      clearInterval(timer);
      answers.unsubscribe();
    }
  }

  /** False if it has to wait. Faster than the client's own publish, which makes a promise and a timer each. */
  private sendOne(bus: Bus, inbox: string, { bytes, count, end }: SpoolRecord): boolean {
    const head = readHead(bytes);
    // lost since it was read, as the spool says; or of another version of this program, which no reader knows
    if (!this.spool.has(end) || typeof head === 'string') {
      this.place = end;
      return true;
    }
    const { run, number, system, message } = head;
    // the first of a run, and the first after a gap, say by their floor that nothing is missing before them
    const isNext = this.last.run === run && this.last.number === number - 1;
    if (this.error || this.pending.length >= (isNext ? BUS_LIVE_LIMITS.window : 1)) return false;
    if (!this.spool.mayLeave(end)) return false;
    this.place = end;
    this.spool.send(end);
    this.last = { run, number };
    this.pending.push({ number, frames: count, end, left: Date.now(), isDone: false });
    const { collector } = this.options;
    const headers = bus.nats.headers();
    headers.set('Nats-Msg-Id', `${collector}.${run}.${number}`);
    // those of earlier runs say what was lost when they were made
    const lost = run === this.ownRun ? this.options.lost() : head.lost;
    const data = withFloor(bytes, this.pending[0].number, lost);
    bus.connection.publish(liveSubject(collector, system, message), data, { headers, reply: `${inbox}.${number}` });
    return true;
  }

  private answer(message: Msg): void {
    const refusal = refusalOf(message);
    if (refusal !== undefined) {
      this.crashed(new Error(refusal));
      return;
    }
    const { pending } = this;
    const number = Number(message.subject.slice(message.subject.lastIndexOf('.') + 1));
    const sent = pending[number - (pending[0]?.number ?? 0)];
    if (!sent) return;
    sent.isDone = true;
    this.land();
  }

  private land(): void {
    const { pending } = this;
    let count = 0;
    while (pending[count]?.isDone) this.options.acknowledged(pending[count++].frames);
    if (count === 0) return;
    if (!this.isTaking) this.turn(true);
    this.spool.release(pending[count - 1].end);
    pending.splice(0, count);
    this.wake();
  }

  private miss(): void {
    const [first] = this.pending;
    if (first && Date.now() - first.left > BUS_LIVE_LIMITS.acknowledgeMilliseconds)
      this.crashed(new Error('it does not answer'));
  }

  private crashed(error: Error): void {
    this.error ??= error;
    this.wake();
  }

  /** Waits, or until there is something to do. */
  private rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.isWoken ? 0 : BUS_LIVE_LIMITS.acknowledgeMilliseconds);
      this.isWoken = false;
      this.resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** There is something to do, such as more in the spool. */
  wake(): void {
    this.isWoken = true;
    this.resume();
  }

  private turn(isTaking: boolean, error?: unknown): void {
    this.isTaking = isTaking;
    this.options.changed(isTaking, error instanceof Error ? error.message : '');
  }
}

/** Why the bus did not take a message; undefined if it did: `{"stream":"SKEIN_LIVE","seq":7}`. */
function refusalOf(message: Msg): string | undefined {
  // no stream listens: it is electing its leader, or was removed
  if (message.headers?.code === NOBODY) return 'its stream does not answer (timeout)';
  let answer: unknown;
  try {
    answer = message.json();
  } catch {
    return 'its answer is not JSON';
  }
  const { seq, error } = (answer ?? {}) as { seq?: unknown; error?: { description?: unknown } };
  return typeof seq === 'number' ? undefined : `its stream refuses frames: ${error?.description ?? 'without a reason'}`;
}
