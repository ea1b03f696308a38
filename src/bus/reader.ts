import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, ConsumerMessages, StreamInfo } from '@nats-io/jetstream';
import { errorText } from '../core/text.ts';
import { type BusBatch, readBatch } from './batch.ts';
import { type Bus, type BusOptions, openBus } from './connection.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';
import { findLiveStream, LIVE_STREAM } from './stream.ts';
import { LIVE_SUBJECTS, parseSubject } from './subject.ts';

/** Where reading begins: after a number of the stream, or with what came since a time. */
export type BusBegin = { readonly after: number } | { readonly since: Date };

export interface ReaderOptions {
  readonly address: string;
  readonly bus: BusOptions;
  /** Subjects to read; all by default. */
  readonly subjects?: string | undefined;
  /** Asked when a stream is met for the first time, and when it was replaced. */
  readonly begin: (stream: StreamInfo) => BusBegin;
  /** The bus is there and gives messages; it is away, and the sentence says why. */
  readonly opened?: (() => void) | undefined;
  readonly lost?: ((error: string) => void) | undefined;
}

export interface BusMessage {
  readonly seq: number;
  readonly subject: string;
  readonly data: Uint8Array;
}

const NANOSECONDS = 1e6;

/** Reads a stream in order, across broken connections and servers, repeating some messages; slow readers are fine. */
export class BusReader {
  private readonly options: ReaderOptions;
  /** Messages in the stream that follow what was read so far, as the bus said last; infinite while it does not answer. */
  pending: number = Number.POSITIVE_INFINITY;
  private isClosing = false;
  private made = '';
  private begin: BusBegin = { after: 0 };
  /** Before it nothing was ever wanted. */
  private first: number = Number.POSITIVE_INFINITY;
  private fetching: ConsumerMessages | undefined;

  constructor(options: ReaderOptions) {
    this.options = options;
  }

  /** Messages, and null now and then: `pending` says whether that is the end. */
  async *messages(): AsyncGenerator<BusMessage | null> {
    while (!this.isClosing) {
      let bus: Bus | undefined;
      try {
        bus = await openBus(this.options.address, { ...this.options.bus, giveUp: true });
        yield* this.serve(bus);
      } catch (error) {
        this.lose(error);
      } finally {
        await bus?.close();
      }
      yield null;
      if (!this.isClosing) await sleep(BUS_LIVE_LIMITS.retryMilliseconds);
    }
  }

  private async *serve(bus: Bus): AsyncGenerator<BusMessage | null> {
    while (!this.isClosing && !bus.connection.isClosed()) {
      try {
        const consumer = await this.consume(bus);
        this.options.opened?.();
        yield null;
        yield* this.read(consumer);
      } catch (error) {
        this.lose(error);
      }
      yield null;
      if (!this.isClosing) await sleep(BUS_LIVE_LIMITS.retryMilliseconds);
    }
  }

  private async consume(bus: Bus): Promise<Consumer> {
    const { jetstream, manager, client } = bus;
    const stream = await findLiveStream(bus);
    if (stream.created !== this.made) {
      this.made = stream.created;
      this.begin = this.options.begin(stream);
    }
    const { begin } = this;
    const where =
      'since' in begin
        ? { deliver_policy: jetstream.DeliverPolicy.StartTime, opt_start_time: begin.since.toISOString() }
        : { deliver_policy: jetstream.DeliverPolicy.StartSequence, opt_start_seq: begin.after + 1 };
    const { name, num_pending } = await manager.consumers.add(LIVE_STREAM, {
      ...where,
      filter_subject: this.options.subjects ?? LIVE_SUBJECTS,
      ack_policy: jetstream.AckPolicy.None,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: 10 * BUS_LIVE_LIMITS.fetchMilliseconds * NANOSECONDS,
    });
    this.pending = num_pending;
    return client.consumers.get(LIVE_STREAM, name);
  }

  /** Until something is wrong with the consumer: then there is to be another one. */
  private async *read(consumer: Consumer): AsyncGenerator<BusMessage | null> {
    const { fetchMessages: max_messages, fetchMilliseconds: expires } = BUS_LIVE_LIMITS;
    let delivered = 0;
    while (!this.isClosing) {
      const fetching = await consumer.fetch({ max_messages, expires });
      this.fetching = fetching;
      const before = delivered;
      for await (const { seq, subject, data, info } of fetching) {
        // one was lost on its way to us
        if (info.deliverySequence !== ++delivered) return;
        // a server that was killed may have lost its latest, and gives their numbers to others
        this.first = Math.min(this.first, seq - 1);
        this.begin = { after: Math.max(this.first, seq - BUS_LIVE_LIMITS.overlap) };
        this.pending = info.pending;
        yield { seq, subject, data };
        if (this.isClosing) return;
      }
      // it may have gone with its server: then it does not answer, and says nothing else either
      if (delivered === before && !this.isClosing) this.pending = (await consumer.info()).num_pending;
      yield null;
    }
  }

  private lose(error: unknown): void {
    this.pending = Number.POSITIVE_INFINITY;
    if (!this.isClosing) this.options.lost?.(errorText(error));
  }

  /** Ends the messages, when the next is asked for. */
  close(): void {
    this.isClosing = true;
    this.fetching?.stop();
  }
}

/** A message of telemetry: its batch, and whose it is; a sentence if it is something else. */
export function readMessage({ subject, data }: BusMessage): { collector: string; batch: BusBatch } | string {
  const from = parseSubject(subject);
  if (!from) return 'its subject is not one of telemetry';
  const batch = readBatch(data);
  if (typeof batch === 'string') return batch;
  if (batch.system !== from.system) return `frames of system ${batch.system} under the subject of ${from.system}`;
  return { collector: from.collector, batch };
}
