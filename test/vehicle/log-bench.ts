import { PX4 } from '../../src/facts/heartbeat.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import type { LiveOptions } from '../../src/live/options.ts';
import type { LogStore } from '../../src/live/vehicle/log-download.ts';
import type { VehicleLogs } from '../../src/live/vehicle/vehicle-logs.ts';
import type { Random } from '../suite/random.ts';
import type { StoredLog } from './logs.ts';
import { SimulatedVehicle, type VehicleOptions } from './vehicle.ts';

/** What a link does to frames: shares of 1, and microseconds of delay of those that are late. */
export interface LinkFaults {
  readonly loss: number;
  readonly doubled: number;
  readonly late: number;
  readonly delay: number;
}

export const NO_FAULTS: LinkFaults = { loss: 0, doubled: 0, late: 0, delay: 0 };
const STEP = 10_000;
const TICK = 100_000;
/** The way of each frame, each way. */
const WAY = 20_000;
/** How long a full buffer takes to be sent. */
const BUFFER = 300_000;

/** Keeps a log in memory. */
export class MemoryStore implements LogStore {
  bytes: Uint8Array;
  written = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }

  write(at: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, at);
    this.written += bytes.length;
  }

  read(at: number, length: number): Uint8Array {
    return this.bytes.slice(at, at + length);
  }
}

/** A collector and one vehicle with logs, over a link that loses, doubles and delays frames, in simulated time. */
export class LogBench {
  readonly collector: LiveCollector;
  readonly vehicle: SimulatedVehicle;
  readonly random: Random;
  faults: LinkFaults = NO_FAULTS;
  /** Until when the vehicle's frames wait. */
  stalledUntil = 0;
  private rate = Number.POSITIVE_INFINITY;
  /** When each way is free again. */
  private readonly free = [0, 0];
  now = 1_700_000_000e6;
  private readonly air: { at: number; readonly act: () => void }[] = [];

  constructor(random: Random, vehicle: VehicleOptions, options: Partial<LiveOptions> = {}) {
    this.random = random;
    this.collector = new LiveCollector({
      ...{ profile: { rates: {}, once: [] }, ...options },
      send: (_, frame) => this.fly(frame.length, false, () => this.vehicle.receive(frame)),
    });
    this.collector.addLink('a');
    const streams = { HEARTBEAT: 1, ATTITUDE: 4 };
    this.vehicle = new SimulatedVehicle((bytes) => this.deliver(bytes), { up: 60, streams, ...vehicle });
  }

  /** A frame of the vehicle, or one that seems to be. */
  deliver(bytes: Uint8Array): void {
    this.fly(bytes.length, true, () => this.collector.receive('a', bytes, this.now));
  }

  /** @param isDown whether it comes from the vehicle: of a slow link each way has its own time */
  private fly(size: number, isDown: boolean, act: () => void): void {
    const { random, faults } = this;
    const way = isDown ? 0 : 1;
    this.free[way] = Math.max(this.now, this.free[way]) + (size / this.rate) * 1e6;
    const chance = (share: number): boolean => share > 0 && random.chance(share);
    for (let copies = chance(faults.doubled) ? 2 : 1; copies > 0; copies--) {
      if (chance(faults.loss)) continue;
      this.air.push({
        at:
          Math.max(isDown ? this.stalledUntil : 0, this.free[way]) +
          WAY +
          (chance(faults.late) ? random.below(faults.delay) : 0),
        act,
      });
    }
  }

  /** A slow link: PX4 sends what fits into its buffer. @param rate bytes a second, each way */
  slow(rate: number): void {
    const hasRoom = (): boolean => this.free[0] - this.now < BUFFER;
    this.rate = rate;
    if (this.vehicle.situation.autopilot === PX4)
      for (const each of [this.vehicle.files, this.vehicle.logs]) each.hasRoom = hasRoom;
  }

  get logs(): VehicleLogs {
    return this.collector.logs('1');
  }

  /** Until something holds. @returns whether it did within so many seconds */
  run(seconds: number, holds: () => boolean = () => false, each: () => void = () => undefined): boolean {
    for (let left = seconds * 1e6; left > 0; left -= STEP) {
      if (holds()) return true;
      this.now += STEP;
      this.vehicle.tick(this.now);
      each();
      const due = this.air.filter(({ at }) => at <= this.now);
      if (due.length > 0) {
        const waiting = this.air.filter(({ at }) => at > this.now);
        this.air.splice(0, this.air.length, ...waiting);
        for (const { act } of due.sort((a, b) => a.at - b.at)) act();
      }
      if (this.now % TICK < STEP) this.collector.tick(this.now);
    }
    return holds();
  }

  /** Until the vehicle is there and its logs are listed. */
  list(): boolean {
    this.run(20, () => this.collector.vehicles.has('1'));
    this.logs.list();
    return this.run(300, () => this.logs.state !== 'listing') && this.logs.state === 'listed';
  }
}

/** A vehicle's logs by both protocols. */
export function cardOf(
  isPx4: boolean,
  logs: readonly Uint8Array[],
  time = 1_699_000_000,
): {
  readonly logs: StoredLog[];
  readonly files: Map<string, Uint8Array>;
} {
  const files = new Map<string, Uint8Array>();
  for (const [i, bytes] of logs.entries()) {
    const name = isPx4
      ? `/fs/microsd/log/2026-11-${10 + Math.floor(i / 2)}/0${i % 2}_00_00.ulg`
      : `/APM/LOGS/${String(i + 1).padStart(8, '0')}.BIN`;
    files.set(name, bytes);
  }
  if (!isPx4) files.set('/APM/LOGS/LASTLOG.TXT', new TextEncoder().encode(`${logs.length}\n`));
  return { logs: logs.map((bytes, i) => ({ bytes, time: time + 1000 * i })), files };
}
