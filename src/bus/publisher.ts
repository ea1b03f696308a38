import type { Mutable } from '../core/mutable.ts';
import { CHECKSUM, Header, SIGNED } from '../formats/mavlink/header.ts';
import { SETUP_SIGNING, withoutSignature } from '../live/frame-splitter.ts';
import { BatchBuilder } from './batch.ts';
import { type BusOptions, ofBus } from './connection.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';
import { BusSender } from './sender.ts';
import { Spool } from './spool.ts';
import type { Keeping } from './stream.ts';

export interface PublisherOptions extends Keeping {
  /** Servers of the bus. */
  readonly address: string;
  readonly bus: Omit<BusOptions, 'name'>;
  /** What this collector is called on the bus: a part of each subject. */
  readonly collector: string;
  /** The folder for what the bus has not taken, and how many bytes it may grow to. */
  readonly spool: string;
  readonly spoolBytes?: number | undefined;
  /** Whether each message of a vehicle has its own subject; by default all of a vehicle share one. */
  readonly byMessage?: boolean | undefined;
}

export interface PublisherState {
  readonly collector: string;
  /** spooling: the bus does not take anything, and the sentence says why. */
  readonly state: 'sending' | 'spooling' | 'closed';
  readonly error: string;
  /** Frames handed in, and those that the bus has: of this run and of those before it. */
  readonly frames: number;
  readonly acknowledged: number;
  readonly batches: number;
  /** Frames that were lost because the spool was full or damaged, or the disk failed. */
  readonly dropped: number;
  /** Bytes on the disk that the bus does not have. */
  readonly spooled: number;
}

/** Publishes what a collector receives, batched by vehicle, through a spool on disk; never makes its caller wait. */
export class BusPublisher {
  private readonly now: Mutable<Omit<PublisherState, 'spooled'>>;
  private readonly options: PublisherOptions;
  private readonly warn: (sentence: string) => void;
  private readonly builders: Map<string, BatchBuilder> = new Map();
  private readonly header = new Header();
  private readonly timer: NodeJS.Timeout;
  private readonly spool: Spool;
  private readonly sender: BusSender;
  private number = 0;
  /** Frames that were lost before the latest batch, which says so. */
  private lostBefore = 0;
  private reason = '';

  /** Throws where the spool is in use, or cannot be made. @param warn receives what goes wrong, once for each reason */
  static async open(options: PublisherOptions, warn: (sentence: string) => void): Promise<BusPublisher> {
    let publisher: BusPublisher | undefined;
    const spool = await Spool.open(options.spool, {
      most: options.spoolBytes ?? BUS_LIVE_LIMITS.spoolBytes,
      more: () => publisher?.sender.wake(),
      dropped: (frames, why) => publisher?.drop(frames, why),
      failed: ({ message }) => warn(`spool ${options.spool}: ${message}`),
    });
    publisher = new BusPublisher(spool, options, warn);
    return publisher;
  }

  private constructor(spool: Spool, options: PublisherOptions, warn: (sentence: string) => void) {
    const { collector, address, bus } = options;
    this.options = options;
    this.warn = warn;
    this.spool = spool;
    this.now = { collector, state: 'spooling', error: '', frames: 0, acknowledged: 0, batches: 0, dropped: 0 };
    this.timer = setInterval(() => this.flush(), BUS_LIVE_LIMITS.batchMilliseconds);
    this.sender = new BusSender(spool, {
      ...{ address, collector, keeping: options },
      bus: { ...bus, name: 'skein live' },
      changed: (isTaking, error) => this.turn(isTaking, error),
      acknowledged: (frames) => {
        this.now.acknowledged += frames;
      },
      lost: () => this.now.dropped,
    });
  }

  get state(): PublisherState {
    return { ...this.now, spooled: this.spool.bytes };
  }

  /** Takes a frame that a collector accepted; the bytes are copied. A key goes nowhere, and a signature is left out. */
  take(link: string, name: string, bytes: Uint8Array, start: number, time: number): void {
    const { header } = this;
    if (!header.read(bytes, start) || header.id === SETUP_SIGNING) return;
    const message = this.options.byMessage ? name : '';
    const key = `${header.system} ${message} ${link}`;
    let builder = this.builders.get(key);
    if (!builder) {
      // spoofed vehicles must not fill the memory
      if (this.builders.size >= BUS_LIVE_LIMITS.builders) this.clear();
      builder = new BatchBuilder(this.spool.run, link, header.system, message);
      this.builders.set(key, builder);
    }
    this.now.frames++;
    if (header.flags & SIGNED) {
      const frame = withoutSignature(bytes, header);
      builder.add(time, frame, 0, frame.length);
    } else builder.add(time, bytes, start, header.checksum + CHECKSUM);
    if (builder.isFull) this.send(builder);
  }

  private clear(): void {
    this.flush();
    this.builders.clear();
  }

  private flush(): void {
    for (const builder of this.builders.values()) if (builder.frames > 0) this.send(builder);
    // readers learn of lost frames also where no others follow
    if (this.now.dropped > this.lostBefore) this.send(new BatchBuilder(this.spool.run, '', 0, ''));
  }

  private send(builder: BatchBuilder): void {
    const { frames } = builder;
    this.lostBefore = this.now.dropped;
    this.now.batches++;
    this.spool.append(builder.take(++this.number, this.lostBefore), frames);
  }

  private drop(frames: number, why: string): void {
    this.now.dropped += frames;
    this.warn(`spool ${this.options.spool}: ${why}: frames lost before they reached the bus`);
  }

  private turn(isTaking: boolean, error: string): void {
    this.now.state = isTaking ? 'sending' : 'spooling';
    this.now.error = error;
    const { address, spool } = this.options;
    const reason = isTaking ? '' : error;
    if (reason === this.reason) return;
    this.reason = reason;
    this.warn(isTaking ? `bus ${address} accepts frames` : `${ofBus(address, error)}; frames wait in ${spool}`);
  }

  /** Sends the rest where the bus is there; otherwise it waits on the disk for the next start. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.flush();
    await this.spool.flush();
    await this.sender.close();
    await this.spool.close();
    this.now.state = 'closed';
  }
}
