import { type Bus, ifThere } from './connection.ts';
import { JOB_LIMITS } from './limits.ts';

/*
 * Jobs on the bus:
 *
 *     SKEIN_JOBS      skein.jobs.ingest.<lake id>.<job id>      a work queue: a job is there until it is acknowledged
 *     SKEIN_RESULTS   skein.results.ingest.<lake id>.<job id>   what became of it
 *     SKEIN_DEAD      skein.dead.ingest.<lake id>.<job id>      jobs that were given up, with the reason
 *
 * A job is known by the file that it names. The queue has room for one message with each subject, and refuses a
 * second: so a job that is waiting or being worked on cannot be put there twice, however much later that is tried.
 */
export const JOB_STREAM = 'SKEIN_JOBS';
export const RESULT_STREAM = 'SKEIN_RESULTS';
export const DEAD_STREAM = 'SKEIN_DEAD';

export const jobSubject = (lake: string, job: string): string => `skein.jobs.ingest.${lake}.${job}`;
export const resultSubject = (lake: string, job: string): string => `skein.results.ingest.${lake}.${job}`;
export const deadSubject = (lake: string, job: string): string => `skein.dead.ingest.${lake}.${job}`;

/** The job that a subject is about. */
export function jobOfSubject(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}

const DAY = 24 * 60 * 60 * 1000;

type JobStreams = Bus['manager']['streams'];
type StreamConfig = Parameters<JobStreams['add']>[0];
type StreamInfo = Awaited<ReturnType<JobStreams['add']>>;

function configs({ nats, jetstream }: Bus): StreamConfig[] {
  const { RetentionPolicy, DiscardPolicy } = jetstream;
  const common = { max_msgs_per_subject: 1, max_msg_size: JOB_LIMITS.messageBytes };
  return [
    {
      ...common,
      name: JOB_STREAM,
      subjects: [jobSubject('*', '*')],
      retention: RetentionPolicy.Workqueue,
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
    },
    {
      ...common,
      name: RESULT_STREAM,
      subjects: [resultSubject('*', '*')],
      // one that comes again must not push out the first, which a queue may not have seen yet
      max_msgs_per_subject: JOB_LIMITS.resultsOfJob,
      max_age: nats.nanos(JOB_LIMITS.resultDays * DAY),
      max_bytes: JOB_LIMITS.resultBytes,
    },
    { ...common, name: DEAD_STREAM, subjects: [deadSubject('*', '*')], max_bytes: JOB_LIMITS.deadBytes },
  ];
}

/** Makes missing streams; existing ones only change their number of copies, if `replicas` is given. */
export async function makeJobStreams(bus: Bus, replicas?: number): Promise<void> {
  const { streams } = bus.manager;
  for (const config of configs(bus)) {
    const find = (): Promise<StreamInfo | undefined> => ifThere(bus, streams.info(config.name));
    const make = (): Promise<StreamInfo | undefined> =>
      streams.add({ ...config, num_replicas: replicas ?? 1 }).catch((error: unknown) => {
        // another program made it first, and asked for another number of copies
        if (error instanceof bus.jetstream.JetStreamApiError && error.code === IN_USE) return find();
        throw error;
      });
    const found = (await find()) ?? (await make());
    if (replicas !== undefined && found?.config.num_replicas !== replicas)
      await streams.update(config.name, { num_replicas: replicas });
  }
}

/** The code of the error that a stream is there and is not the same. */
const IN_USE = 10058;

export function consumerName(lake: string): string {
  return `ingest-${lake}`;
}

/** Makes that consumer, or changes how long it waits for a sign from the worker of a job. */
export async function makeJobConsumer({ nats, jetstream, manager }: Bus, lake: string, wait: number): Promise<void> {
  await manager.consumers.add(JOB_STREAM, {
    durable_name: consumerName(lake),
    filter_subject: jobSubject(lake, '*'),
    ack_policy: jetstream.AckPolicy.Explicit,
    ack_wait: nats.nanos(wait),
    max_ack_pending: JOB_LIMITS.inWork,
    // workers count attempts: a job that the bus gives up would stay in the queue for ever, unreported
    max_deliver: -1,
  });
}
