import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from './connection.ts';
import { BUS_LIMITS, JOB_LIMITS } from './job-limits.ts';
import { MessageError, parseResult, type ResultMessage } from './job-message.ts';
import { RESULT_STREAM, resultSubject } from './job-streams.ts';
import type { BusWatch } from './watch.ts';

export interface ResultFeedOptions {
  readonly lake: string;
  readonly onResult: (job: string, message: ResultMessage) => void;
  readonly signal: AbortSignal;
}

/** The results of jobs of a lake, from now on, each at least once, over any loss of the bus. */
export class ResultFeed {
  private readonly bus: Bus;
  private readonly watch: BusWatch;
  private readonly options: ResultFeedOptions;
  /** The place in the stream that comes next. */
  private next: number;
  /** When the stream was made: one that is made anew counts from 1 again. */
  private made: string;
  private stop = (): void => undefined;

  private constructor(bus: Bus, watch: BusWatch, options: ResultFeedOptions, next: number, made: string) {
    this.bus = bus;
    this.watch = watch;
    this.options = options;
    this.next = next;
    this.made = made;
  }

  /** @returns once it is settled where the results begin: jobs may be put on the bus from then on */
  static async open(bus: Bus, watch: BusWatch, options: ResultFeedOptions): Promise<ResultFeed> {
    const { state, created } = await watch.persist(() => bus.manager.streams.info(RESULT_STREAM), options.signal);
    return new ResultFeed(bus, watch, options, state.last_seq + 1, created);
  }

  /** Hands on results until the signal. */
  async follow(): Promise<void> {
    const { signal } = this.options;
    while (!signal.aborted) {
      // whatever breaks is begun again where it broke
      await this.read().catch(() => undefined);
      if (!signal.aborted) await sleep(BUS_LIMITS.retryMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * Begins again where it is, for results that should have come: who hands them out may have gone with its server, which
   * no word and no answer tells.
   */
  renew(): void {
    this.stop();
  }

  private async read(): Promise<void> {
    const { bus, options } = this;
    const { created } = await bus.manager.streams.info(RESULT_STREAM);
    if (created !== this.made) [this.made, this.next] = [created, 1];
    const consumer = await bus.client.consumers.get(RESULT_STREAM, {
      filter_subjects: resultSubject(options.lake, '*'),
      deliver_policy: bus.jetstream.DeliverPolicy.StartSequence,
      opt_start_seq: this.next,
    });
    const messages = await consumer.consume({ expires: JOB_LIMITS.pullMilliseconds, abort_on_missing_resource: true });
    const stop = (): void => messages.stop();
    this.stop = stop;
    options.signal.addEventListener('abort', stop);
    this.watch.returns.add(stop);
    try {
      if (options.signal.aborted) return;
      for await (const message of messages) {
        this.next = message.seq + 1;
        const result = resultOf(message.data);
        if (result) options.onResult(message.subject.slice(message.subject.lastIndexOf('.') + 1), result);
      }
    } finally {
      options.signal.removeEventListener('abort', stop);
      this.watch.returns.delete(stop);
      messages.stop();
    }
  }
}

/** What is no result is passed over: who waits for one asks again after a while. */
function resultOf(bytes: Uint8Array): ResultMessage | undefined {
  try {
    return parseResult(bytes);
  } catch (error) {
    if (error instanceof MessageError) return undefined;
    throw error;
  }
}
