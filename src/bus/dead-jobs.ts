import type { Bus } from './connection.ts';
import { type DeadMessage, encodeMessage, jobId, MessageError, parseDead } from './job-message.ts';
import { DEAD_STREAM, deadSubject, jobOfSubject, jobSubject, makeJobStreams } from './job-streams.ts';
import { JOB_LIMITS } from './limits.ts';

export interface DeadJob extends DeadMessage {
  readonly id: string;
  /** Its place in the stream: a later one with the same id is another. */
  readonly place: number;
}

/** The jobs of a lake that were given up. */
export class DeadJobs {
  private readonly bus: Bus;
  private readonly lake: string;

  constructor(bus: Bus, lake: string) {
    this.bus = bus;
    this.lake = lake;
  }

  /** All of them, the oldest first. */
  async list(): Promise<DeadJob[]> {
    await makeJobStreams(this.bus);
    const { jetstream, client } = this.bus;
    const consumer = await client.consumers.get(DEAD_STREAM, {
      filter_subjects: deadSubject(this.lake, '*'),
      deliver_policy: jetstream.DeliverPolicy.All,
    });
    const found: DeadJob[] = [];
    for (let left = (await consumer.info()).num_pending; left > 0; ) {
      const messages = await consumer.fetch({
        max_messages: Math.min(left, BATCH),
        expires: JOB_LIMITS.pullMilliseconds,
      });
      const before = left;
      for await (const { subject, data, seq } of messages) {
        left--;
        found.push({ ...deadOf(data), id: jobOfSubject(subject), place: seq });
      }
      if (left === before) break;
    }
    return found;
  }

  /** Puts jobs back into the queue. @returns those that were */
  async retry(jobs: readonly DeadJob[]): Promise<DeadJob[]> {
    const done: DeadJob[] = [];
    for (const dead of jobs) {
      if (!dead.job || jobId(dead.job) !== dead.id) continue;
      await this.bus.client.publish(jobSubject(this.lake, dead.id), encodeMessage(dead.job)).catch((error: unknown) => {
        // it is in the queue again already
        if (!(error instanceof this.bus.jetstream.JetStreamApiError)) throw error;
      });
      await this.forget([dead]);
      done.push(dead);
    }
    return done;
  }

  async forget(jobs: readonly DeadJob[]): Promise<void> {
    const { streams } = this.bus.manager;
    for (const { id, place } of jobs)
      await streams.purge(DEAD_STREAM, { filter: deadSubject(this.lake, id), seq: place + 1 });
  }
}

/** Messages that are fetched at a time. */
const BATCH = 500;

function deadOf(data: Uint8Array): DeadMessage {
  try {
    return parseDead(data);
  } catch (error) {
    if (!(error instanceof MessageError)) throw error;
    return { reason: error.message, worker: '', tries: 0, time: 0, job: null, text: null };
  }
}
