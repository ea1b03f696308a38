/** The shapes that the server sends; pages import the types. Times are seconds UTC, unknown is null. */
import type { LiveEvent, MessageEvent, MessageSource } from '../live/events.ts';
import type { LinkState } from '../live/link-state.ts';
import type { LinkStatistics, MessageCount } from '../live/options.ts';
import type { StatusText } from '../live/texts.ts';
import type { VehicleLog } from '../live/vehicle/log-list.ts';
import type { MessageRequest } from '../live/vehicle/request-plan.ts';
import type { LiveVehicle } from '../live/vehicle.ts';

export type WireValue = number | string | boolean | null | readonly WireValue[];
export type WireRow = Readonly<Record<string, WireValue>>;

/** When a value came, how many seconds ago, and whether that is too long ago to show it as current. */
export interface Age {
  readonly time: number | null;
  readonly age: number | null;
  readonly stale: boolean;
}

/** A part of the state with its age. */
export type Aged<T> = Omit<T, 'time' | 'isStale'> & Age;

type VehiclePart<K extends keyof LiveVehicle> = NonNullable<LiveVehicle[K]>;
export type BatteryWire = Aged<VehiclePart<'batteries'>[number]>;

/** Degrees; metres above sea level and above home. */
interface PositionWire {
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number | null;
  readonly relativeAltitude: number | null;
  readonly heading: number | null;
}

export interface VehicleWire {
  /** The system id, with the link where two vehicles have the same: `1@link2`. */
  readonly id: string;
  readonly system: number;
  /** The autopilot's. */
  readonly component: number;
  /** The link that its state is from, and all on which it is received. */
  readonly link: string;
  readonly links: readonly string[];
  /** Copter, Plane and so on; empty if not known. */
  readonly class: string;
  /** Name and version; empty if not known. */
  readonly firmware: string;
  readonly armed: boolean | null;
  readonly mode: string | null;
  /** Of armed, mode and system status. */
  readonly heartbeat: Age;
  readonly lost: boolean;
  readonly lastHeartbeat: number | null;
  readonly lastActivity: number | null;
  /** Messages a second. */
  readonly rate: number;
  /** Lost frames among those sent, 0 to 1. */
  readonly loss: number | null;
  /** A sentence while another sender uses this system id too. */
  readonly conflict: string | null;
  readonly position: Aged<PositionWire> | null;
  readonly speed: Aged<VehiclePart<'speed'>> | null;
  readonly batteries: readonly BatteryWire[];
}

/** In seconds, when it is sent next too. */
export type RequestWire = MessageRequest;

/** Everything that is known of one vehicle. */
export interface VehicleDetailWire extends VehicleWire {
  readonly components: readonly number[];
  readonly state: {
    readonly modeNumber: number;
    readonly type: number;
    readonly autopilot: number;
    readonly systemStatus: number;
    readonly firmware: Aged<VehiclePart<'firmware'>>;
    readonly uptime: number | null;
    readonly reboots: number;
    readonly foundAt: number | null;
    readonly lostAt: number | null;
    readonly lostCount: number;
    readonly messageCount: number;
    readonly attitude: Aged<VehiclePart<'attitude'>> | null;
    readonly speed: Aged<VehiclePart<'speed'>> | null;
    readonly battery: Aged<VehiclePart<'battery'>>;
    readonly gps: Aged<VehiclePart<'gps'>> | null;
    readonly gps2: Aged<VehiclePart<'gps2'>> | null;
    readonly ekf: Aged<VehiclePart<'ekf'>> | null;
    readonly radio: Aged<VehiclePart<'radio'>> | null;
    readonly rc: Aged<VehiclePart<'rc'>> | null;
    readonly home: Aged<VehiclePart<'home'>> | null;
    readonly mission: Aged<VehiclePart<'mission'>> | null;
    readonly sensors: readonly Aged<VehiclePart<'sensors'>[number]>[];
    readonly prearm: Aged<VehiclePart<'prearm'>>;
    readonly texts: readonly StatusText[];
    readonly requests: readonly RequestWire[];
  };
}

/** How often a vehicle sent a message. */
export interface MessageCountWire {
  readonly component: number;
  readonly message: string;
  readonly id: number;
  readonly count: number;
  readonly rate: number;
  readonly first: number | null;
  readonly last: number | null;
  /** Seconds since the latest came, and whether that is too long ago to show it as current. */
  readonly age: number | null;
  readonly stale: boolean;
}

export interface LinkWire extends Omit<LinkState, 'since'> {
  readonly since: number | null;
  /** Whether it is a ground station to which frames are forwarded. */
  readonly forward: boolean;
  /** What is wrong with the signatures on it; empty if nothing is. */
  readonly notice: string;
}

export type LinkCountsWire = LinkStatistics;

export interface RecordingWire {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly start: number | null;
  readonly end: number | null;
  /** Whether it still grows. */
  readonly open: boolean;
}

/** The logs on a vehicle's card. */
export interface LogsWire {
  /** unknown, listing, listed, failed. */
  readonly state: string;
  /** Why there is no list, and why nothing can be read now; empty if there is and it can. */
  readonly error: string;
  readonly obstacle: string;
  readonly logs: readonly VehicleLogWire[];
  /** The one that is being downloaded, or was last. */
  readonly download: LogDownloadWire | null;
}

/** The time of its last change, if the vehicle knows it. */
export type VehicleLogWire = Pick<VehicleLog, 'key' | 'name' | 'size' | 'time'>;

export interface LogDownloadWire extends VehicleLogWire {
  /** running, saved, failed. */
  readonly state: string;
  readonly error: string;
  readonly received: number;
  /** Bytes a second. */
  readonly rate: number;
  /** Whether the vehicle's checksum was equal. */
  readonly verified: boolean;
  /** Whether the log became longer: what is saved is what it had when it was listed. */
  readonly grown: boolean;
  /** The id of the recording, once it is saved. */
  readonly recording: string | null;
}

export interface RecorderWire {
  /** off, waiting, recording, failed. */
  readonly state: string;
  readonly error: string;
  /** Whether only armed vehicles are recorded. */
  readonly armedOnly: boolean;
  /** Whether clients may switch it on and off. */
  readonly canRecord: boolean;
  readonly frames: number;
  readonly bytes: number;
  readonly acknowledged: number;
  readonly dropped: number;
  /** Bytes free on the disk, if known. */
  readonly free: number | null;
}

export interface MessageEventWire {
  readonly event: 'message';
  readonly id: string;
  readonly time: number;
  /** Empty if it is not of a vehicle that was found. */
  readonly vehicle: string;
  readonly component: number;
  readonly type: string;
  readonly instance?: number | undefined;
  readonly data: WireRow;
}

/** Any other event: vehicle, lost, recovered, armed, mode, text, reboot, ack, conflict, link, mark ... */
export interface StateEventWire {
  readonly event: Exclude<LiveEvent['type'], 'message'>;
  readonly id: string;
  readonly time: number;
  /** Empty if it concerns none. */
  readonly vehicle: string;
  /** The other fields of the event; its link is one of them. */
  readonly data: Readonly<Record<string, unknown>>;
}

export type EventWire = MessageEventWire | StateEventWire;

/** The first event of a stream. */
export interface HelloWire {
  readonly event: 'hello';
  readonly id: string;
  readonly time: number;
  readonly vehicles: readonly VehicleWire[];
}

/** How many events a slow client missed. */
export interface DroppedWire {
  readonly event: 'dropped';
  readonly count: number;
}

/** What a vehicle answered to a message that a client sent; empty for one that is not a command. */
export interface SendResultWire {
  readonly ack?: { readonly result: number; readonly name: string } | null;
  /** What the heartbeat says afterwards, for commands that change mode or arming. */
  readonly state?: { readonly mode: string; readonly armed: boolean | null };
  /** What is not as asked for, in a sentence. */
  readonly note?: string;
}

/** A flight of a lake, or a log without one. Times of a log that never learned UTC count from its boot. */
export interface FlightWire {
  /** The log and the number of the flight, which is 0 for a log without one. */
  readonly id: string;
  readonly log: string;
  readonly flight: number;
  readonly vehicle: string;
  readonly kind: string | null;
  readonly firmware: string;
  readonly format: string;
  /** The file that the log came from, and its name. */
  readonly path: string;
  readonly name: string;
  readonly utc: boolean;
  readonly logStart: number | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly inAir: number | null;
  /** Metres. */
  readonly distance: number | null;
  readonly maxHeight: number | null;
  readonly modes: readonly { readonly mode: string; readonly seconds: number | null }[];
  readonly milliampHours: number | null;
  readonly percent: number | null;
  readonly startVolts: number | null;
  readonly endVolts: number | null;
  /** Whether data was lost by damage. */
  readonly lost: boolean;
  /** Whether it is the one that counts of those that several logs hold. */
  readonly once: boolean;
  readonly findings: readonly { readonly check: string; readonly severity: string; readonly title: string }[];
  readonly box: { readonly west: number; readonly south: number; readonly east: number; readonly north: number } | null;
  readonly isThere: boolean;
}

export interface FlightListWire {
  readonly name: string;
  /** Changes when the list does. */
  readonly revision: string;
  readonly flights: number;
  /** Whether there are more, older ones. */
  readonly more: boolean;
  /** What is wrong with the lake, in sentences. */
  readonly problems: readonly string[];
}

export function seconds(micros: number | null | undefined): number | null {
  return micros === null || micros === undefined || !Number.isFinite(micros) ? null : Math.round(micros) / 1e6;
}

/** @param now microseconds UTC */
export function ageOf(time: number | null | undefined, isStale: boolean | undefined, now: number): Age {
  const came = seconds(time);
  return { time: came, age: came === null ? null : seconds(Math.max(0, now - came * 1e6)), stale: isStale ?? false };
}

function aged<T extends object>(
  part: T & { readonly time?: number; readonly isStale?: boolean },
  now: number,
): Aged<T> {
  const { time, isStale, ...rest } = part;
  return { ...(rest as Omit<T, 'time' | 'isStale'>), ...ageOf(time, isStale, now) };
}

function agedOrNull<T extends { readonly time: number }>(part: T | null, now: number): Aged<T> | null {
  return part && aged(part, now);
}

/** A vehicle in a list. @param loss lost frames among those sent. @param now microseconds UTC */
export function vehicleWire(vehicle: LiveVehicle, loss: number | null, now: number): VehicleWire {
  const { id, system, component, link, links, armed, mode, position, firmware, lastHeartbeat, connected, conflict } =
    vehicle;
  return {
    ...{ id, system, component, link, links, class: vehicle.kind ?? '' },
    firmware: [firmware.name, firmware.version].filter(Boolean).join(' '),
    ...{ armed, mode, heartbeat: ageOf(lastHeartbeat, vehicle.heartbeat.isStale, now) },
    lost: !connected,
    lastHeartbeat: seconds(lastHeartbeat),
    lastActivity: seconds(vehicle.lastActivity),
    rate: Math.round(vehicle.messageRate * 10) / 10,
    loss,
    conflict,
    position: position && {
      latitude: position.lat,
      longitude: position.lon,
      altitude: position.alt,
      relativeAltitude: position.relativeAlt,
      heading: position.heading,
      ...ageOf(position.time, position.isStale, now),
    },
    speed: agedOrNull(vehicle.speed, now),
    batteries: packsOf(vehicle).map((pack) => aged(pack, now)),
  };
}

/** Every pack; what SYS_STATUS says if the vehicle has no more to say. */
function packsOf({ batteries, battery }: LiveVehicle): VehiclePart<'batteries'> {
  if (batteries.length > 0 || (battery.voltage === null && battery.remaining === null)) return batteries;
  const unknown = { consumed: null, energy: null, temperature: null, timeRemaining: null, chargeState: null };
  return [{ id: 0, ...unknown, cells: [], faults: 0, ...battery }];
}

export function vehicleDetailWire(
  vehicle: LiveVehicle,
  requests: readonly MessageRequest[],
  loss: number | null,
  now: number,
): VehicleDetailWire {
  const { modeNumber, type, autopilot, systemStatus, firmware, uptime, reboots, lostCount, messageCount } = vehicle;
  return {
    ...vehicleWire(vehicle, loss, now),
    components: [...vehicle.components.keys()],
    state: {
      ...{ modeNumber, type, autopilot, systemStatus, uptime, reboots, lostCount, messageCount },
      firmware: aged(firmware, now),
      foundAt: seconds(vehicle.foundAt),
      lostAt: seconds(vehicle.lostAt),
      attitude: agedOrNull(vehicle.attitude, now),
      speed: agedOrNull(vehicle.speed, now),
      battery: aged(vehicle.battery, now),
      gps: agedOrNull(vehicle.gps, now),
      gps2: agedOrNull(vehicle.gps2, now),
      ekf: agedOrNull(vehicle.ekf, now),
      radio: agedOrNull(vehicle.radio, now),
      rc: agedOrNull(vehicle.rc, now),
      home: agedOrNull(vehicle.home, now),
      mission: agedOrNull(vehicle.mission, now),
      sensors: vehicle.sensors.map((sensor) => aged(sensor, now)),
      prearm: aged(vehicle.prearm, now),
      texts: vehicle.texts.map(textWire),
      requests: requests.map(requestWire),
    },
  };
}

function textWire({ time, component, severity, level, text }: StatusText): StatusText {
  return { time: time / 1e6, component, severity, level, text };
}

function requestWire({ nextAt, ...request }: MessageRequest): RequestWire {
  return { ...request, nextAt: seconds(nextAt) };
}

/** @param now microseconds UTC */
export function messageCountWire(message: MessageCount, now: number): MessageCountWire {
  const { component, name, id, count, rate, first, time, isStale } = message;
  const { time: last, age, stale } = ageOf(time, isStale, now);
  return { component, message: name, id, count, rate, first: seconds(first), last, age, stale };
}

export function linkWire(link: LinkState, isForward = false, notice = ''): LinkWire {
  const { since, lastBytes, retryAt, ...rest } = link;
  return {
    ...rest,
    ...{ since: seconds(since), lastBytes: seconds(lastBytes), retryAt: seconds(retryAt) },
    ...{ forward: isForward, notice },
  };
}

/** What a view emits: an event of a collector, or as much of a message as is sent. */
export type ViewEvent = ViewMessage | Exclude<LiveEvent, MessageEvent>;

export interface ViewMessage extends Pick<MessageEvent, 'type' | 'time' | 'vehicle' | 'component' | 'name' | 'data'> {
  readonly instance?: number | undefined;
  /** For messages that are kept for clients that come back. */
  readonly source?: MessageSource | undefined;
}

/** An event as streams and JSON lines have it. @param id by which a client asks for what came after it */
export function eventWire(event: ViewEvent, id: string): EventWire {
  const head = { id, time: seconds(event.time) ?? Number.NaN, vehicle: event.vehicle ?? '' };
  if (event.type === 'message') {
    const { component, name, instance, data } = event;
    return { event: 'message', ...head, component, type: name, instance, data: data as WireRow };
  }
  return { event: event.type, ...head, data: dataOf(event) };
}

/** All fields but those that every event has. */
function dataOf(event: Exclude<LiveEvent, MessageEvent>): Record<string, unknown> {
  const { type: _type, time: _time, vehicle: _vehicle, ...data } = event;
  switch (event.type) {
    case 'lost':
      return { ...data, lastHeartbeat: seconds(event.lastHeartbeat) };
    case 'recovered':
      return { ...data, silence: seconds(event.silence) };
    case 'text':
      return { ...data, text: textWire(event.text) };
    case 'link':
      return { ...data, state: linkWire(event.state) };
    case 'log':
      // a path never leaves the server
      return { link: event.link, error: event.error, name: event.path.replace(/^.*[\\/]/, '') };
    default:
      return data;
  }
}
