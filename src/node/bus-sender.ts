import { BUS_LIVE_LIMITS } from '../core/bus-live-limits.ts';
import { readHead, withFloor } from '../live/bus-batch.ts';
import { liveSubject } from '../live/bus-subject.ts';
import { type Bus, type BusOptions, openBus } from './bus.ts';
import { type Keeping, liveStream } from './bus-stream.ts';
import type { Spool, SpoolPlace, SpoolRecord } from './spool.ts';

export interface SenderOptions {
  readonly address: string;
  readonly bus: BusOptions;
  readonly collector: string;
  readonly keeping: Keeping;
  /** The bus takes messages, or does not; the sentence says why not. */
  readonly changed: (isTaking: boolean, error: string) => void;
  readonly acknowledged: (frames: number) => void;
}

/** A message on its way. */
interface Flight {
  readonly run: string;
  readonly number: number;
  readonly frames: number;
  readonly end: SpoolPlace;
  isDone: boolean;
}

/**
 * Sends what is in a spool, in its order, and releases what the bus has. Many messages are on their way at a time; where
 * one fails, no others leave until it has been sent again. Each has an id, by which the bus knows one that it has.
 */
export class BusSender {
  private readonly spool: Spool;
  private readonly options: SenderOptions;
  private flights: Flight[] = [];
  private place: SpoolPlace;
  private last: { run: string; number: number } = { run: '', number: 0 };
  private error: Error | undefined;
  private resume: () => void = () => undefined;
  private isWoken = false;
  private isConnected = false;
  private isClosing = false;
  private isTaking = false;
  private readonly running: Promise<void>;

  constructor(spool: Spool, options: SenderOptions) {
    this.spool = spool;
    this.options = options;
    this.place = spool.begin;
    this.running = this.run();
  }

  /** There is more in the spool. */
  more(): void {
    this.wake();
  }

  /** Sends the rest, as far as the bus takes it in time, and ends. */
  async close(): Promise<void> {
    const end = Date.now() + BUS_LIVE_LIMITS.lastMilliseconds;
    while (this.isTaking && this.spool.bytes > 0 && Date.now() < end) await pause(20);
    this.isClosing = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isClosing) {
      let bus: Bus | undefined;
      try {
        bus = await this.connect();
        if (bus) await this.serve(bus);
      } catch (error) {
        this.turn(false, error);
        await pause(BUS_LIVE_LIMITS.retryMilliseconds);
      } finally {
        await bus?.close();
      }
    }
  }

  /** Comes onto the bus, however long that takes; undefined when it is no longer wanted. */
  private async connect(): Promise<Bus | undefined> {
    while (!this.isClosing) {
      try {
        return await openBus(this.options.address, { ...this.options.bus, giveUp: true });
      } catch (error) {
        this.turn(false, error);
        await pause(BUS_LIVE_LIMITS.retryMilliseconds);
      }
    }
    return undefined;
  }

  private async serve(bus: Bus): Promise<void> {
    void this.watch(bus);
    while (!this.isClosing && !bus.connection.isClosed()) {
      try {
        if (this.isConnected) {
          await liveStream(bus, this.options.keeping);
          this.turn(true);
          await this.send(bus);
        }
      } catch (error) {
        this.turn(false, error);
      }
      // what the bus has not acknowledged is sent again
      this.flights = [];
      this.place = this.spool.begin;
      this.last = { run: '', number: 0 };
      if (!this.isClosing) await pause(BUS_LIVE_LIMITS.retryMilliseconds);
    }
  }

  /** While there is no connection nothing is sent: it would only wait in memory. */
  private async watch(bus: Bus): Promise<void> {
    this.isConnected = true;
    for await (const { type } of bus.connection.status()) {
      if (type === 'reconnect') this.isConnected = true;
      if (type !== 'disconnect') continue;
      this.isConnected = false;
      this.crashed(new Error('the connection is lost'));
    }
  }

  /** Until something fails. */
  private async send(bus: Bus): Promise<void> {
    this.error = undefined;
    while (!this.isClosing) {
      const records = await this.spool.read(this.place);
      for (const record of records) {
        if (this.isClosing) return;
        await this.sendOne(bus, record);
      }
      if (records.length === 0) await this.rest();
      if (this.error) throw this.error;
    }
  }

  private async sendOne(bus: Bus, { bytes, count, end }: SpoolRecord): Promise<void> {
    this.place = end;
    const head = readHead(bytes);
    // of another version of this program: nobody could read it
    if (typeof head === 'string') return;
    const { run, number, system, message } = head;
    // the first of a run, and the first behind a gap, say by their floor that nothing is missing before them
    const isNext = this.last.run === run && this.last.number === number - 1;
    while (!this.error && this.flights.length > (isNext ? this.room : 0)) await this.rest();
    if (this.error) throw this.error;
    this.last = { run, number };
    const flight: Flight = { run, number, frames: count, end, isDone: false };
    this.flights.push(flight);
    const data = withFloor(bytes, this.flights[0].number);
    const msgID = `${this.options.collector}.${run}.${number}`;
    const timeout = BUS_LIVE_LIMITS.acknowledgeMilliseconds;
    bus.client
      .publish(liveSubject(this.options.collector, system, message), data, { msgID, timeout, retries: 0 })
      .then(() => this.landed(flight))
      .catch((error: unknown) => this.crashed(error));
  }

  /** How many may be on their way besides the next one. */
  private readonly room: number = BUS_LIVE_LIMITS.window - 1;

  private landed(flight: Flight): void {
    flight.isDone = true;
    while (this.flights[0]?.isDone) {
      const { end, frames } = this.flights.shift() as Flight;
      this.spool.release(end);
      this.options.acknowledged(frames);
    }
    this.wake();
  }

  private crashed(error: unknown): void {
    // no stream listens: it is electing its leader, or was removed
    const isAway = error instanceof Error && error.name === 'JetStreamNotEnabled';
    if (isAway) this.error ??= new Error('its stream does not answer');
    else this.error ??= error instanceof Error ? error : new Error(String(error));
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

  private wake(): void {
    this.isWoken = true;
    this.resume();
  }

  private turn(isTaking: boolean, error?: unknown): void {
    this.isTaking = isTaking;
    this.options.changed(isTaking, error instanceof Error ? error.message : '');
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
