import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestResult } from '../lake/ingest.ts';
import type { IngestJob } from '../lake/ingest-process.ts';
import { type Bus, ifThere } from './connection.ts';
import { encodeMessage, type JobMessage, type JobRule, jobId, parseResult, type ResultMessage } from './job-message.ts';
import {
  consumerName,
  JOB_STREAM,
  jobOfSubject,
  jobSubject,
  makeJobStreams,
  RESULT_STREAM,
  resultSubject,
} from './job-streams.ts';
import { BUS_LIMITS, JOB_LIMITS } from './limits.ts';
import { ShapeError } from './shape.ts';
import { BusWatch } from './watch.ts';

export interface BusQueueOptions {
  readonly lake: string;
  readonly rule: JobRule;
  readonly replicas?: number | undefined;
  /** Receives what is waited for. */
  readonly say: (text: string) => void;
  /** Ends the waiting. Jobs that are on the bus stay there. */
  readonly signal: AbortSignal;
}

/** A log to ingest, with the time of its file. */
export interface BusJob extends IngestJob {
  readonly modified: number;
}

/** Hands out logs over a bus to workers anywhere, and gives their results as they come. */
export class BusQueue {
  private readonly bus: Bus;
  private readonly options: BusQueueOptions;
  private readonly watch: BusWatch;
  /** Marks the messages of this run. */
  private readonly mark = randomBytes(8).toString('hex');
  private round = 0;
  /** Jobs whose results are still to come, by their ids; those that were asked about last come last. */
  private readonly waiting = new Map<string, JobMessage>();
  private readonly results: IngestResult[] = [];
  private wake = (): void => undefined;
  private isAlone = false;
  /** Who sent results. */
  readonly workers: Set<string> = new Set();

  constructor(bus: Bus, options: BusQueueOptions) {
    this.bus = bus;
    this.options = options;
    this.watch = new BusWatch(bus, options.say);
  }

  /** Jobs whose results are still to come. */
  get left(): number {
    return this.waiting.size;
  }

  /** Puts jobs on the bus, where they are not there already. */
  async offer(jobs: readonly BusJob[]): Promise<void> {
    const messages = jobs.map(({ path, bytes, modified }) => ({ path, bytes, modified, rule: this.options.rule }));
    for (const message of messages) this.waiting.set(jobId(message), message);
    await this.watch.persist(() => makeJobStreams(this.bus, this.options.replicas), this.options.signal);
    await this.publish([...this.waiting]);
  }

  /** Puts jobs on the bus and gives their results, until all are there or the signal ends it. */
  async *run(jobs: readonly BusJob[]): AsyncGenerator<IngestResult> {
    const { lake, replicas, signal } = this.options;
    const ending = new AbortController();
    const end = (): void => {
      ending.abort();
      this.wake();
    };
    signal.addEventListener('abort', end);
    try {
      await this.watch.persist(() => makeJobStreams(this.bus, replicas), signal);
      const renew = await followResults(this.bus, this.watch, {
        lake,
        onResult: (job, message) => this.take(job, message),
        signal: ending.signal,
      });
      let isOffered = false;
      let failure: unknown;
      const offered = (): void => {
        isOffered = true;
      };
      const failed = (error: unknown): void => {
        failure = error;
      };
      void this.offer(jobs)
        .then(offered, failed)
        .finally(() => this.wake());
      while (!isOffered || this.waiting.size > 0 || this.results.length > 0) {
        const result = this.results.shift();
        if (result) yield result;
        else if (signal.aborted) return;
        else if (failure !== undefined) throw failure;
        else if (!(await this.isWoken()) && isOffered) {
          renew();
          await this.remind();
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', end);
      ending.abort();
    }
  }

  private take(id: string, { worker, result }: ResultMessage): void {
    const job = this.waiting.get(id);
    // of others, or received before
    if (!job) return;
    this.waiting.delete(id);
    this.workers.add(worker);
    this.isAlone = false;
    this.results.push({ ...result, path: job.path });
    this.wake();
  }

  /** Waits for something to happen; false if nothing did for a while. */
  private isWoken(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), JOB_LIMITS.idleMilliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /** Sends jobs without results again. The bus refuses those it still has; a worker finds finished ones in the lake. */
  private async remind(): Promise<void> {
    const { replicas, signal } = this.options;
    await this.watch.persist(() => makeJobStreams(this.bus, replicas), signal);
    await this.watch.persist(() => this.lookForWorkers(), signal);
    const some = [...this.waiting].slice(0, JOB_LIMITS.remindersAtOnce);
    for (const [id, job] of some) {
      this.waiting.delete(id);
      this.waiting.set(id, job);
    }
    await this.publish(some);
  }

  private async lookForWorkers(): Promise<void> {
    const { lake, say } = this.options;
    const found = await ifThere(this.bus, this.bus.manager.consumers.info(JOB_STREAM, consumerName(lake)));
    const isAlone = !found || (found.num_waiting === 0 && found.num_ack_pending === 0);
    if (isAlone && !this.isAlone)
      say(`no worker for the lake ${lake}: jobs wait on the bus until a \`skein worker\` starts`);
    this.isAlone = isAlone;
  }

  private async publish(jobs: readonly (readonly [string, JobMessage])[]): Promise<void> {
    const round = this.round++;
    const left = jobs.values();
    const work = async (): Promise<void> => {
      for (const [id, job] of left) await this.publishOne(id, job, `${this.mark}.${round}.${id}`);
    };
    await Promise.all(Array.from({ length: JOB_LIMITS.offersAtOnce }, work));
  }

  private async publishOne(id: string, job: JobMessage, msgID: string): Promise<void> {
    const { lake, replicas, signal } = this.options;
    const { nats, jetstream, client } = this.bus;
    const data = encodeMessage(job);
    await this.watch.persist(async () => {
      try {
        await client.publish(jobSubject(lake, id), data, { msgID });
      } catch (error) {
        if (error instanceof jetstream.JetStreamApiError && error.message.includes(IS_THERE)) return;
        // no stream listens for jobs: the stream may be gone
        const cause = error instanceof Error ? error.cause : undefined;
        if (cause instanceof nats.errors.RequestError && cause.isNoResponders())
          await makeJobStreams(this.bus, replicas);
        throw error;
      }
    }, signal);
  }
}

/** What the bus says of a second message where there is room for one. */
const IS_THERE = 'maximum messages per subject exceeded';

interface ResultFeedOptions {
  readonly lake: string;
  readonly onResult: (job: string, message: ResultMessage) => void;
  readonly signal: AbortSignal;
}

/**
 * Hands on the results of jobs of a lake, from now on, each at least once, over any loss of the bus.
 * @returns once it is settled where the results begin: what begins again if results are overdue, since their consumer may
 * have gone with its server, without a sign
 */
async function followResults(
  bus: Bus,
  watch: BusWatch,
  { lake, onResult, signal }: ResultFeedOptions,
): Promise<() => void> {
  const { streams } = bus.manager;
  const { state, created } = await watch.persist(() => streams.info(RESULT_STREAM), signal);
  // a new stream counts from 1 again
  let [made, next] = [created, state.last_seq + 1];
  let renew = (): void => undefined;
  const read = async (): Promise<void> => {
    const { created } = await streams.info(RESULT_STREAM);
    if (created !== made) [made, next] = [created, 1];
    const consumer = await bus.client.consumers.get(RESULT_STREAM, {
      filter_subjects: resultSubject(lake, '*'),
      deliver_policy: bus.jetstream.DeliverPolicy.StartSequence,
      opt_start_seq: next,
    });
    const messages = await consumer.consume({ expires: JOB_LIMITS.pullMilliseconds, abort_on_missing_resource: true });
    const stop = (): void => messages.stop();
    renew = stop;
    signal.addEventListener('abort', stop);
    watch.returns.add(stop);
    try {
      if (signal.aborted) return;
      for await (const message of messages) {
        next = message.seq + 1;
        const result = resultOf(message.data);
        if (result) onResult(jobOfSubject(message.subject), result);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      watch.returns.delete(stop);
      messages.stop();
    }
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      // whatever breaks is begun again where it broke
      await read().catch(() => undefined);
      if (!signal.aborted) await sleep(BUS_LIMITS.retryMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  };
  void follow();
  return () => renew();
}

/** Invalid results are skipped: a queue that waits for one asks again after a while. */
function resultOf(bytes: Uint8Array): ResultMessage | undefined {
  try {
    return parseResult(bytes);
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}
