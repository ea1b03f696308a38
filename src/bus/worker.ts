import { randomBytes } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../core/text.ts';
import type { IngestResult } from '../lake/ingest.ts';
import { failedResult, IngestProcess, type WorkerSettings } from '../lake/ingest-process.ts';
import { Lake, readLakeId } from '../lake/lake.ts';
import type { Bus, Consumer, JsMsg } from './connection.ts';
import {
  type DeadMessage,
  encodeMessage,
  type JobMessage,
  jobId,
  optionsOf,
  parseJob,
  shortened,
} from './job-message.ts';
import {
  consumerName,
  DEAD_STREAM,
  deadSubject,
  JOB_STREAM,
  jobOfSubject,
  jobSubject,
  makeJobConsumer,
  makeJobStreams,
  resultSubject,
} from './job-streams.ts';
import { BUS_LIMITS, JOB_LIMITS } from './limits.ts';
import { ShapeError } from './shape.ts';
import { BusWatch } from './watch.ts';

export interface BusWorkerOptions {
  /** The name of this worker, for readers of the results. */
  readonly name: string;
  readonly lake: string;
  readonly settings: WorkerSettings;
  /** Logs that are read at a time. */
  readonly atATime: number;
  /** How often a job is handed out before it is given up. */
  readonly tries: number;
  /** Time without a word from us after which our jobs go to others. */
  readonly ackWaitMilliseconds: number;
  readonly replicas?: number | undefined;
  readonly say: (text: string) => void;
  readonly onResult: (result: IngestResult) => void;
  /** No more jobs are taken from then on; those in hand are brought to their end. */
  readonly signal: AbortSignal;
}

/** Takes jobs from a bus and does them. Any number of these may work on one lake, on any number of machines. */
export class BusWorker {
  private readonly bus: Bus;
  private readonly options: BusWorkerOptions;
  private readonly watch: BusWatch;
  private readonly inHand = new Set<JsMsg>();
  private readonly hands = new Set<IngestProcess>();
  private consumer: Promise<Consumer> | undefined;
  /** Set while the lake cannot be written to. */
  private trouble: Promise<void> | undefined;

  constructor(bus: Bus, options: BusWorkerOptions) {
    this.bus = bus;
    this.options = options;
    this.watch = new BusWatch(bus, options.say);
  }

  async run(): Promise<void> {
    const { ackWaitMilliseconds, atATime, signal } = this.options;
    const saying = setInterval(() => {
      for (const message of this.inHand) message.working();
    }, ackWaitMilliseconds / 3);
    // at the signal a waiting worker ends, and one with a job finishes it
    const work = (): Promise<void> =>
      this.work().catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    try {
      await Promise.all(Array.from({ length: atATime }, work));
    } finally {
      clearInterval(saying);
    }
  }

  /** Jobs in hand. */
  get jobs(): number {
    return this.inHand.size;
  }

  /** Lets others have the jobs in hand at once. */
  async giveBack(): Promise<void> {
    for (const message of this.inHand) message.nak();
    await this.bus.connection.flush();
    for (const hand of this.hands) hand.stop();
  }

  /** One job after the other, in a separate process. */
  private async work(): Promise<void> {
    const { signal, settings } = this.options;
    const worker = new IngestProcess(settings);
    this.hands.add(worker);
    /** Jobs in a row that failed here: a worker where all fail leaves more to others. */
    let failures = 0;
    try {
      while (!signal.aborted) {
        await this.trouble;
        if (failures > JOB_LIMITS.failuresInRow) await pause(JOB_LIMITS.pauseMilliseconds, signal);
        for (const message of await this.pull()) {
          const isWell = await this.take(message, worker);
          failures = isWell ? 0 : failures + 1;
        }
      }
    } finally {
      worker.stop();
      this.hands.delete(worker);
    }
  }

  /** The next job; none if the bus has none for a while. */
  private async pull(): Promise<JsMsg[]> {
    const { signal } = this.options;
    this.consumer ??= this.watch.persist(() => this.openConsumer(), signal);
    const messages: JsMsg[] = [];
    const consumer = await this.consumer;
    const pulled = await consumer.fetch({ max_messages: 1, expires: JOB_LIMITS.pullMilliseconds });
    const stop = (): void => pulled.stop();
    const back = (): void => {
      this.consumer = undefined;
      stop();
    };
    signal.addEventListener('abort', stop);
    this.watch.returns.add(back);
    try {
      if (signal.aborted) stop();
      for await (const message of pulled) {
        this.inHand.add(message);
        messages.push(message);
      }
    } catch {
      // the bus or the consumer went away
      this.consumer = undefined;
      await pause(BUS_LIMITS.retryMilliseconds, signal);
    } finally {
      signal.removeEventListener('abort', stop);
      this.watch.returns.delete(back);
    }
    if (messages.length === 0 && !signal.aborted) await this.clearDone().catch(() => undefined);
    return messages;
  }

  private async openConsumer(): Promise<Consumer> {
    const { lake, replicas, ackWaitMilliseconds } = this.options;
    await makeJobStreams(this.bus, replicas);
    await makeJobConsumer(this.bus, lake, ackWaitMilliseconds);
    await this.clearDone();
    return this.bus.client.consumers.get(JOB_STREAM, consumerName(lake));
  }

  /** A killed server may find acknowledged jobs on its disk: never delivered, they would block the same job. */
  private async clearDone(): Promise<void> {
    const { lake } = this.options;
    const { consumers, streams } = this.bus.manager;
    const { ack_floor: floor } = await consumers.info(JOB_STREAM, consumerName(lake));
    const { state } = await streams.info(JOB_STREAM);
    if (state.messages === 0 || state.first_seq > floor.stream_seq) return;
    await streams.purge(JOB_STREAM, { filter: jobSubject(lake, '*'), seq: floor.stream_seq + 1 });
  }

  /** Does one job to its end; false if it failed. */
  private async take(message: JsMsg, worker: IngestProcess): Promise<boolean> {
    try {
      const { tries, say } = this.options;
      const job = this.jobOf(message);
      if (job instanceof ShapeError) {
        await this.bury(message, null, job.message);
        return true;
      }
      const { deliveryCount } = message.info;
      if (deliveryCount > tries) {
        await this.bury(message, job, `failed after ${tries} attempts`);
        return true;
      }
      const result = await read(worker, job);
      if (result.status !== 'failed') {
        await this.finish(message, result);
        return true;
      }
      const reason = result.reason ?? 'failed';
      const trouble = await this.troubleOfLake();
      if (trouble !== null) this.trouble ??= this.waitForLake(trouble);
      if (trouble !== null || deliveryCount < tries) {
        say(`${job.path}: ${reason} (try ${deliveryCount} of ${tries})`);
        message.nak(delayOf(deliveryCount));
      } else await this.bury(message, job, reason);
      return false;
    } finally {
      this.inHand.delete(message);
    }
  }

  private jobOf(message: JsMsg): JobMessage | ShapeError {
    try {
      const job = parseJob(message.data);
      if (message.subject === jobSubject(this.options.lake, jobId(job))) return job;
      return new ShapeError('is not the job that its subject names');
    } catch (error) {
      if (error instanceof ShapeError) return error;
      throw error;
    }
  }

  /** The result is on the bus before the job leaves it. */
  private async finish(message: JsMsg, result: IngestResult): Promise<void> {
    const { lake, name, onResult } = this.options;
    const { client, manager } = this.bus;
    const id = jobOfSubject(message.subject);
    const data = encodeMessage({ worker: name, result: shortened(result) });
    const msgID = `${message.seq}.${message.info.deliveryCount}`;
    await this.watch.persist(() => client.publish(resultSubject(lake, id), data, { msgID }));
    // if this fails, another worker gets the job and finds the log in the lake
    await message.ackAck().catch(() => undefined);
    if (result.status !== 'failed') {
      // it may have been given up before
      manager.streams.purge(DEAD_STREAM, { filter: deadSubject(lake, id) }).catch(() => undefined);
    }
    onResult(result);
  }

  private async bury(message: JsMsg, job: JobMessage | null, reason: string): Promise<void> {
    const { lake, name } = this.options;
    const dead: DeadMessage = {
      reason: reason.slice(0, JOB_LIMITS.textLength),
      worker: name,
      tries: Math.min(message.info.deliveryCount, this.options.tries),
      time: Date.now(),
      job,
      text: job ? null : new TextDecoder().decode(message.data.subarray(0, TEXT_BYTES)),
    };
    const data = encodeMessage(dead);
    await this.watch.persist(() => this.bus.client.publish(deadSubject(lake, jobOfSubject(message.subject)), data));
    await this.finish(message, failedResult(job?.path ?? '', job?.bytes ?? 0, reason));
  }

  /** Why nothing can be put into the lake, whatever it is; null where something can. */
  private async troubleOfLake(): Promise<string | null> {
    const lake = new Lake(this.options.settings.lake);
    const probe = join(lake.staging, `probe-${randomBytes(6).toString('hex')}`);
    try {
      if ((await readLakeId(lake)) !== this.options.lake) return 'it was replaced by another lake';
      await writeFile(probe, new Uint8Array(JOB_LIMITS.lakeProbeBytes));
      return null;
    } catch (error) {
      return errorText(error);
    } finally {
      await unlink(probe).catch(() => undefined);
    }
  }

  private async waitForLake(trouble: string): Promise<void> {
    const { say, signal } = this.options;
    say(`the lake cannot be written to (${trouble}): waiting for it`);
    while (!signal.aborted && (await this.troubleOfLake()) !== null) await pause(JOB_LIMITS.lakeMilliseconds, signal);
    if (!signal.aborted) say('the lake is back');
    this.trouble = undefined;
  }
}

/** Bytes that are kept of an invalid job. */
const TEXT_BYTES = 500;

async function read(worker: IngestProcess, { path, bytes, rule }: JobMessage): Promise<IngestResult> {
  const hours = JOB_LIMITS.jobMilliseconds / 3_600_000;
  const timer = setTimeout(() => worker.stop(`timeout: not read within ${hours} hours`), JOB_LIMITS.jobMilliseconds);
  try {
    return await worker.ingest({ path, bytes, rule: optionsOf(rule) });
  } finally {
    clearTimeout(timer);
  }
}

/** How long a job waits after N failures. */
function delayOf(failures: number): number {
  return Math.min(JOB_LIMITS.retryMilliseconds * 3 ** (failures - 1), JOB_LIMITS.longestRetryMilliseconds);
}

/** Waits so long, or until the signal. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
