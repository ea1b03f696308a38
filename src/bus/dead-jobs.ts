import type { Bus } from './connection.ts';
import { type DeadMessage, encodeMessage, jobId, parseDead } from './job-message.ts';
import { DEAD_STREAM, deadSubject, jobOfSubject, jobSubject, makeJobStreams } from './job-streams.ts';
import { JOB_LIMITS } from './limits.ts';
import { ShapeError } from './shape.ts';

export interface DeadJob extends DeadMessage {
  readonly id: string;
  /** Its place in the stream: a later one with the same id is another. */
  readonly place: number;
}

/** The jobs of a lake that were given up, the oldest first. */
export async function listDead(bus: Bus, lake: string): Promise<DeadJob[]> {
  await makeJobStreams(bus);
  const consumer = await bus.client.consumers.get(DEAD_STREAM, {
    filter_subjects: deadSubject(lake, '*'),
    deliver_policy: bus.jetstream.DeliverPolicy.All,
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

/** Puts jobs back into the queue. @returns how many were */
export async function retryDead(bus: Bus, lake: string, jobs: readonly DeadJob[]): Promise<number> {
  let done = 0;
  for (const dead of jobs) {
    if (!dead.job || jobId(dead.job) !== dead.id) continue;
    await bus.client.publish(jobSubject(lake, dead.id), encodeMessage(dead.job)).catch((error: unknown) => {
      // it is in the queue again already
      if (!(error instanceof bus.jetstream.JetStreamApiError)) throw error;
    });
    await forgetDead(bus, lake, [dead]);
    done++;
  }
  return done;
}

export async function forgetDead(bus: Bus, lake: string, jobs: readonly DeadJob[]): Promise<void> {
  for (const { id, place } of jobs)
    await bus.manager.streams.purge(DEAD_STREAM, { filter: deadSubject(lake, id), seq: place + 1 });
}

/** Messages that are fetched at a time. */
const BATCH = 500;

function deadOf(data: Uint8Array): DeadMessage {
  try {
    return parseDead(data);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return { reason: error.message, worker: '', tries: 0, time: 0, job: null, text: null };
  }
}
