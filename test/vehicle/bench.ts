import { LiveCollector } from '../../src/live/collector.ts';
import type { LiveEvent } from '../../src/live/events.ts';
import type { LiveOptions } from '../../src/live/options.ts';
import { SimulatedVehicle, type VehicleOptions } from './vehicle.ts';

/** A frame of the collector, read by hand. */
export interface Sent {
  readonly time: number;
  readonly link: string;
  readonly system: number;
  readonly component: number;
  readonly id: number;
  readonly payload: DataView;
}

/** A collector and vehicles on its links, without sockets, in simulated time: steps of a twentieth of a second. */
export class LiveBench {
  readonly collector: LiveCollector;
  readonly sent: Sent[] = [];
  readonly events: LiveEvent[] = [];
  /** By how much the collector's clock differs from that of vehicles. */
  offset = 0;
  private readonly waiting: { readonly link: string; readonly frame: Uint8Array; readonly to: string | undefined }[] =
    [];
  private steady = 1_700_000_000e6;
  private readonly vehicles: { readonly vehicle: SimulatedVehicle; readonly link: string; readonly address: string }[] =
    [];

  constructor(options: Partial<LiveOptions> = {}) {
    this.collector = new LiveCollector({ ...options, send: (link, frame, to) => this.send(link, frame, to) });
    this.collector.subscribe((event) => event.type !== 'message' && this.events.push(event));
  }

  get now(): number {
    return this.steady + this.offset;
  }

  /** A vehicle that has been up for a minute and has no number of a board, unless it is said otherwise. */
  add(link: string, { address = '', ...options }: VehicleOptions & { address?: string } = {}): SimulatedVehicle {
    const vehicle = new SimulatedVehicle((bytes) => this.collector.receive(link, bytes, this.now, address), {
      up: 60,
      uid: 0,
      ...options,
    });
    this.vehicles.push({ vehicle, link, address });
    this.collector.addLink(link);
    return vehicle;
  }

  get all(): SimulatedVehicle[] {
    return this.vehicles.map(({ vehicle }) => vehicle);
  }

  private send(link: string, frame: Uint8Array, to: string | undefined): void {
    if (frame[0] !== 0xfd) throw new Error('not MAVLink 2');
    const payload = new Uint8Array(255);
    payload.set(frame.subarray(10, 10 + frame[1]));
    const id = frame[7] | (frame[8] << 8) | (frame[9] << 16);
    const view = new DataView(payload.buffer);
    this.sent.push({ time: this.now, link, system: frame[5], component: frame[6], id, payload: view });
    this.waiting.push({ link, frame, to });
  }

  /** Frames arrive after the collector is done with what it does: as over a socket. */
  private deliver(): void {
    for (const { link, frame, to } of this.waiting.splice(0)) {
      for (const { vehicle, ...at } of this.vehicles)
        if (at.link === link && (to === undefined || to === at.address)) vehicle.receive(frame);
    }
  }

  run(seconds: number): void {
    for (let i = 0; i < seconds * 20; i++) {
      this.steady += 5e4;
      for (const { vehicle } of this.vehicles) vehicle.tick(this.steady);
      if (i % 2 === 0) this.collector.tick(this.now);
      this.deliver();
    }
  }

  /** Time goes on while nothing is heard: in steps of a second at first, which become longer. */
  pass(seconds: number): void {
    const end = this.steady + seconds * 1e6;
    for (let step = 1e6; this.steady < end; step = Math.min(step * 1.2, 60e6)) {
      this.steady += Math.min(step, end - this.steady);
      this.collector.tick(this.now);
      this.waiting.length = 0;
    }
  }

  types(): string[] {
    return this.events.map(({ type }) => type);
  }
}
