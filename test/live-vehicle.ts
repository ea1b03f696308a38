import { builtinDialect } from '../src/formats/mavlink/builtin.ts';
import { Encoder } from '../src/formats/mavlink/encode.ts';
import { LiveCollector } from '../src/live/collector.ts';
import type { LiveEvent } from '../src/live/events.ts';
import type { LiveOptions } from '../src/live/options.ts';

const DIALECT = builtinDialect('ardupilotmega');

/** What a request of the collector says, read by hand. */
export interface Sent {
  readonly time: number;
  readonly link: string;
  readonly system: number;
  readonly component: number;
  readonly id: number;
  readonly payload: DataView;
}

const COMMAND_LONG = 76;
const COMMAND_INT = 75;
const REQUEST_DATA_STREAM = 66;

export interface VehicleOptions {
  readonly system?: number;
  readonly autopilot?: number;
  readonly type?: number;
  readonly mode?: number;
  /** Answers a command: MAV_RESULT, or null for silence. */
  readonly answer?: (command: number, message: number, isInt: boolean) => number | null;
  /** The number of its board, if it tells one. */
  readonly uid?: number;
  /** What differs from vehicle to vehicle. */
  readonly roll?: number;
  readonly millivolts?: number;
  /** Messages that it sends unasked, Hz. */
  readonly streams?: Readonly<Record<string, number>>;
}

/** A vehicle without a socket that answers as ArduPilot does: a stream request sets all rates, an interval one. */
export class PlainVehicle {
  readonly commands: { readonly command: number; readonly message: number; readonly isInt: boolean; time: number }[] =
    [];
  streamRequests = 0;
  bootedAt: number;
  isSilent = false;
  readonly rates: Map<string, number>;
  private readonly options: VehicleOptions;
  private readonly due: Map<string, number> = new Map();
  private encoder: Encoder;

  constructor(options: VehicleOptions, now: number) {
    this.options = options;
    this.rates = new Map(Object.entries(options.streams ?? {}));
    this.bootedAt = now - 30e6;
    this.encoder = new Encoder(DIALECT, { system: options.system ?? 1, component: 1 });
  }

  reboot(now: number): void {
    this.bootedAt = now;
    this.rates.clear();
    for (const [name, rate] of Object.entries(this.options.streams ?? {})) this.rates.set(name, rate);
    this.encoder = new Encoder(DIALECT, { system: this.options.system ?? 1, component: 1 });
  }

  /** Takes a frame and returns its answers. */
  take({ id, payload, time, system, component }: Sent): Uint8Array[] {
    const { answer = () => 0 } = this.options;
    if (id === REQUEST_DATA_STREAM && (this.options.autopilot ?? 3) === 3) {
      this.streamRequests++;
      for (const name of ['SYS_STATUS', 'ATTITUDE', 'GLOBAL_POSITION_INT', 'VFR_HUD', 'GPS_RAW_INT', 'BATTERY_STATUS'])
        this.rates.set(name, payload.getUint16(0, true));
    }
    if (id !== COMMAND_LONG && id !== COMMAND_INT) return [];
    const command = payload.getUint16(28, true);
    const message = payload.getFloat32(0, true);
    this.commands.push({ command, message, isInt: id === COMMAND_INT, time });
    const result = answer(command, message, id === COMMAND_INT);
    if (result === null) return [];
    const frames = [
      this.encoder.message('COMMAND_ACK', { command, result, target_system: system, target_component: component }),
    ];
    if (result !== 0) return frames;
    const name = [...DIALECT.messages.values()].flat().find((each) => each.id === message)?.name ?? '';
    if (command === 511) this.rates.set(name, 1e6 / payload.getFloat32(4, true));
    if ((command === 512 && message === 148) || command === 520) {
      frames.push(
        this.encoder.message('AUTOPILOT_VERSION', { flight_sw_version: 0x040601ff, uid: this.options.uid ?? 0 }),
      );
    }
    return frames;
  }

  /** What it sends by itself until a time. */
  step(now: number): Uint8Array[] {
    if (this.isSilent) return [];
    const frames: Uint8Array[] = [];
    for (const [name, rate] of [['HEARTBEAT', 1] as const, ...this.rates]) {
      if ((this.due.get(name) ?? 0) > now || rate <= 0) continue;
      this.due.set(name, now + 1e6 / rate - 1);
      frames.push(this.frame(name, Math.max(0, (now - this.bootedAt) / 1000)));
    }
    return frames;
  }

  private frame(name: string, boot: number): Uint8Array {
    const { autopilot = 3, type = 2, mode = 5, roll = 0.1, millivolts = 12_400 } = this.options;
    const time_boot_ms = Math.floor(boot);
    const { encoder } = this;
    switch (name) {
      case 'HEARTBEAT':
        return encoder.message('HEARTBEAT', { type, autopilot, base_mode: 1, custom_mode: mode, system_status: 4 });
      case 'ATTITUDE':
        return encoder.message('ATTITUDE', { time_boot_ms, roll, pitch: -roll, yaw: boot / 1e5 });
      case 'GLOBAL_POSITION_INT':
        return encoder.message('GLOBAL_POSITION_INT', { time_boot_ms, lat: 1, lon: 1 });
      case 'SYS_STATUS':
        return encoder.message('SYS_STATUS', { voltage_battery: millivolts });
      default:
        return encoder.message(name as 'VFR_HUD', {});
    }
  }
}

/** A collector and vehicles on links of their own, without sockets; time goes by tenths of a second. */
export class LiveBench {
  readonly collector: LiveCollector;
  readonly sent: Sent[] = [];
  readonly events: LiveEvent[] = [];
  /** By how much the collector's clock differs from that of vehicles. */
  offset = 0;
  private steady = 1_700_000_000e6;
  private readonly vehicles: { readonly vehicle: PlainVehicle; readonly link: string }[] = [];

  constructor(options: Partial<LiveOptions> = {}) {
    this.collector = new LiveCollector({ ...options, send: (link, frame) => this.take(link, frame) });
    this.collector.subscribe((event) => event.type !== 'message' && this.events.push(event));
  }

  get now(): number {
    return this.steady + this.offset;
  }

  add(link: string, options: VehicleOptions = {}): PlainVehicle {
    const vehicle = new PlainVehicle(options, this.steady);
    this.vehicles.push({ vehicle, link });
    this.collector.addLink(link);
    return vehicle;
  }

  get all(): PlainVehicle[] {
    return this.vehicles.map(({ vehicle }) => vehicle);
  }

  private take(link: string, frame: Uint8Array): void {
    if (frame[0] !== 0xfd) throw new Error('not MAVLink 2');
    const payload = new Uint8Array(255);
    payload.set(frame.subarray(10, 10 + frame[1]));
    const id = frame[7] | (frame[8] << 8) | (frame[9] << 16);
    const view = new DataView(payload.buffer);
    const sent = { time: this.now, link, system: frame[5], component: frame[6], id, payload: view };
    this.sent.push(sent);
    for (const each of this.vehicles.filter((one) => one.link === link && !one.vehicle.isSilent)) {
      for (const answer of each.vehicle.take(sent)) this.collector.receive(link, answer, this.now);
    }
  }

  run(seconds: number): void {
    for (let i = 0; i < seconds * 20; i++) {
      this.steady += 5e4;
      for (const { vehicle, link } of this.vehicles) {
        for (const frame of vehicle.step(this.steady)) this.collector.receive(link, frame, this.now);
      }
      if (i % 2 === 0) this.collector.tick(this.now);
    }
  }

  types(): string[] {
    return this.events.map(({ type }) => type);
  }
}
