import { LiveCollector } from '../../../src/entry/pages.ts';
import type { ByteLink } from './byte-link.ts';

/** Bytes that are kept: they are in memory until they are saved. */
const MOST_BYTES = 512 << 20;
/** Milliseconds between two looks at the clock: heartbeats, requests, what is shown. */
const TICK = 100;

/** Keeps what a link sends: bytes, or with a MAVLink vehicle its frames with their times, as a telemetry log. */
export class Receiver {
  readonly link: ByteLink;
  bytes: number = $state(0);
  /** Bytes a second. */
  rate: number = $state(0);
  /** What was found, in words. */
  found: readonly string[] = $state.raw([]);
  /** Why it ended; null while it lasts. */
  ended: string | null = $state(null);
  private raw: Uint8Array<ArrayBuffer>[] = [];
  private frames: Uint8Array<ArrayBuffer>[] = [];
  private size = 0;
  private seen = 0;
  private seenAt = performance.now();
  private readonly began = new Date();
  private readonly collector: LiveCollector;

  /** @param asks whether heartbeats and requests for data are sent, as `skein live` does; nothing else ever is */
  constructor(link: ByteLink, asks: boolean) {
    this.link = link;
    this.collector = new LiveCollector({
      requests: asks,
      heartbeats: asks,
      send: (_, frame) => link.send(frame),
      sink: {
        frame: (_, __, bytes, { start, end }, ___, time) => {
          this.keepFrame(bytes.subarray(start, end), time);
          return true;
        },
        rest: () => {},
        secret: () => {},
      },
    });
    this.collector.addLink(link.name);
    const timer = setInterval(() => this.tick(), TICK);
    void link
      .read((bytes) => this.receive(bytes))
      .catch((error: Error) => error.message)
      .then((why) => {
        clearInterval(timer);
        this.collector.end();
        this.rate = 0;
        this.ended ??= why;
      });
  }

  private receive(bytes: Uint8Array): void {
    if (this.ended !== null) return;
    this.bytes += bytes.length;
    const isVehicle = this.collector.vehicles.size > 0;
    if (!isVehicle) this.keep(this.raw, bytes.slice());
    else if (this.raw.length > 0) {
      this.size -= this.raw.reduce((sum, { length }) => sum + length, 0);
      this.raw = [];
    }
    this.collector.receive(this.link.name, bytes, micros());
  }

  private keepFrame(frame: Uint8Array, time: number): void {
    const record = new Uint8Array(8 + frame.length);
    new DataView(record.buffer).setBigUint64(0, BigInt(Math.round(time)));
    record.set(frame, 8);
    this.keep(this.frames, record);
  }

  private keep(list: Uint8Array<ArrayBuffer>[], bytes: Uint8Array<ArrayBuffer>): void {
    this.size += bytes.length;
    list.push(bytes);
    if (this.size < MOST_BYTES) return;
    this.ended = `ended at ${MOST_BYTES >> 20} MiB: save it, and connect again`;
    this.link.close();
  }

  private tick(): void {
    this.collector.tick(micros());
    const now = performance.now();
    if (now - this.seenAt < 1000) return;
    this.rate = ((this.bytes - this.seen) / (now - this.seenAt)) * 1000;
    [this.seen, this.seenAt] = [this.bytes, now];
    this.found = [...this.collector.vehicles.values()].map(({ id, kind, mode, armed }) =>
      [`${kind || 'Vehicle'} ${id}`, mode, armed === null ? '' : armed ? 'armed' : 'disarmed']
        .filter(Boolean)
        .join(', '),
    );
  }

  /** What came so far, as a log. */
  file(): File {
    const isVehicle = this.collector.vehicles.size > 0;
    const name = this.began.toISOString().slice(0, 19).replaceAll(':', '-').replace('T', '_');
    return new File(isVehicle ? this.frames : this.raw, `${name}.${isVehicle ? 'tlog' : 'bin'}`);
  }

  close(): void {
    this.ended ??= '';
    this.link.close();
  }
}

/** Microseconds UTC. */
function micros(): number {
  return (performance.timeOrigin + performance.now()) * 1000;
}
