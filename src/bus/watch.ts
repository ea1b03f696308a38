import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../core/text.ts';
import { type Bus, BusError, forbidden } from './connection.ts';
import { BUS_LIMITS } from './limits.ts';

/** Follows whether the bus is there, reports it, and repeats what failed because it was not. */
export class BusWatch {
  private readonly bus: Bus;
  private readonly say: (text: string) => void;
  private timer: NodeJS.Timeout | undefined;
  private isTold = false;
  /** Called when the bus is back: what was asked of it before is forgotten there. */
  readonly returns: Set<() => void> = new Set();

  constructor(bus: Bus, say: (text: string) => void) {
    this.bus = bus;
    this.say = say;
    void this.follow();
  }

  private async follow(): Promise<void> {
    for await (const { type } of this.bus.connection.status()) {
      if (type === 'disconnect') this.lose();
      else if (type === 'reconnect') {
        this.find();
        for (const back of this.returns) back();
      }
    }
    clearTimeout(this.timer);
  }

  /** A server that goes away is replaced by another of its cluster within moments: that is not worth a word. */
  private lose(reason = 'bus unreachable'): void {
    if (this.isTold) return;
    this.timer ??= setTimeout(() => {
      this.isTold = true;
      this.say(`${reason}: waiting for it`);
    }, BUS_LIMITS.silenceMilliseconds).unref();
  }

  private find(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isTold) this.say('the bus is back');
    this.isTold = false;
  }

  /** Retries until it succeeds; throws what waiting cannot mend: permissions, refusals, a closed connection. */
  async persist<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      signal?.throwIfAborted();
      try {
        const result = await action();
        if (!this.isAway) this.find();
        return result;
      } catch (error) {
        const refusal = this.refusalOf(error);
        if (refusal) throw refusal;
        this.lose(this.isAway ? undefined : `bus error (${errorText(error)})`);
        await sleep(BUS_LIMITS.retryMilliseconds, undefined, { signal });
      }
    }
  }

  private get isAway(): boolean {
    const { connection } = this.bus;
    return connection.isClosed() || connection.getServer() === '';
  }

  /** The error that waiting does not mend. */
  private refusalOf(error: unknown): Error | undefined {
    const { nats, jetstream, connection } = this.bus;
    if (connection.isClosed()) return new BusError(`bus connection closed: ${errorText(error)}`, { cause: error });
    const violation = forbidden(nats, error);
    if (violation !== undefined) return new BusError(`bus: ${violation}`, { cause: error });
    if (error instanceof jetstream.JetStreamApiError && error.status !== UNAVAILABLE && error.code !== NO_PEERS)
      return error;
    return error instanceof nats.errors.InvalidArgumentError ? error : undefined;
  }
}

/** No leader yet, or no room for the moment; and servers of a cluster that do not know each other yet. */
const UNAVAILABLE = 503;
const NO_PEERS = 10005;
