/**
 * What the server needs to know of what is collected. Types only: whoever has vehicles, links and recordings to show
 * implements `LiveView`, and the server asks it anew for each answer. All times are microseconds UTC.
 */
import type { Value } from '../core/column.ts';
import type { Schema } from '../core/schema.ts';

/** A vehicle in a list. Its id is the system id, with the link behind it where two vehicles share one: `1@link2`. */
export interface VehicleSummary {
  readonly id: string;
  readonly system: number;
  /** The autopilot's. */
  readonly component: number;
  /** The link it was last heard on. */
  readonly link: string;
  /** Copter, Plane and so on; empty where it is not known. */
  readonly class: string;
  /** Name and version; empty where they are not known. */
  readonly firmware: string;
  readonly armed: boolean | null;
  readonly mode: string | null;
  /** Whether its heartbeat has been absent for longer than the time-out. */
  readonly lost: boolean;
  readonly lastHeartbeat: number | null;
  readonly lastActivity: number | null;
  /** Messages a second. */
  readonly rate: number;
  /** Lost frames among those sent, from 0 to 1. */
  readonly loss: number | null;
  readonly position: VehiclePosition | null;
  readonly batteries: readonly BatterySummary[];
}

/** Degrees, metres above sea level, metres above home, degrees. */
export interface VehiclePosition {
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number | null;
  readonly relativeAltitude: number | null;
  readonly heading: number | null;
}

/** Volts, amperes, percent. */
export interface BatterySummary {
  readonly id: number;
  readonly voltage: number | null;
  readonly current: number | null;
  readonly remaining: number | null;
}

export interface VehicleDetail extends VehicleSummary {
  readonly components: readonly number[];
  /** All else that is known of it. It goes out as it is: numbers, texts, arrays, objects. */
  readonly state: unknown;
}

/** One message of one component, without its fields. */
export interface MessageSummary {
  readonly component: number;
  readonly message: string;
  readonly id: number;
  readonly count: number;
  /** A second, as measured. */
  readonly rate: number;
  readonly first: number;
  readonly last: number;
}

/** The newest message of a kind. */
export interface LatestMessage {
  readonly time: number;
  readonly count: number;
  readonly rate: number;
  /** When the first one came, where it is known. */
  readonly first?: number | undefined;
  readonly data: Readonly<Record<string, Value>>;
  /** The newest of each instance (a battery, a rangefinder), where the message has any. */
  readonly instances?: ReadonlyMap<number, Readonly<Record<string, Value>>> | undefined;
  /** What its fields mean, where that is known. */
  readonly schema?: Schema | undefined;
}

/** What a link does. The state of a link of the collector is one. */
export interface LinkSummary {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly since: number;
  readonly lastBytes: number | null;
  readonly retryAt: number | null;
  readonly bytesIn: number;
  readonly packetsIn: number;
  readonly bytesOut: number;
  readonly packetsOut: number;
  readonly dropped: number;
  readonly receiveBuffer: { readonly asked: number; readonly got: number } | null;
  readonly peer: string | null;
  readonly hint: string;
  readonly error: string;
  /** Whether what vehicles send is handed on there. */
  readonly forward?: boolean | undefined;
}

/** A file that may be fetched by its id. Its path never leaves the server. */
export interface ServedFile {
  /** Says nothing of the path. */
  readonly id: string;
  /** What it is called when it is saved. */
  readonly name: string;
  readonly path: string;
}

export interface RecordingSummary extends ServedFile {
  readonly size: number;
  readonly start: number | null;
  readonly end: number | null;
  /** Whether it still grows. */
  readonly open: boolean;
}

/**
 * Something that happened. `message` is one decoded message; the others (vehicle, lost, recovered, text, mode, armed,
 * link and what else there is) change a state.
 */
export interface LiveEvent {
  readonly kind: string;
  readonly time: number;
  /** The vehicle's id; empty where it concerns none. */
  readonly vehicle: string;
  /** For messages: the sender, the name, and the instance (a battery, a rangefinder) where it has any. */
  readonly component?: number | undefined;
  readonly message?: string | undefined;
  readonly instance?: number | undefined;
  /** Read at once, if at all: it may decode when it is read. */
  readonly data: unknown;
  /** For messages that may be told again later. */
  readonly source?: MessageSource | undefined;
}

/** Where the messages of one kind and sender come from: always the same object, which has the bytes of the newest. */
export interface MessageSource {
  readonly size: number;
  copyTo(target: Uint8Array, at: number): void;
  /** What such bytes say, as `data` has it. */
  decode(bytes: Uint8Array): unknown;
}

/** How recording goes. */
export interface RecorderSummary {
  /** off, waiting, recording, failed. */
  readonly state: string;
  readonly error: string;
  /** Whether only what is armed is recorded. */
  readonly armedOnly: boolean;
  /** Whether clients may switch it on and off. */
  readonly canRecord: boolean;
  readonly frames: number;
  readonly bytes: number;
  readonly acknowledged: number;
  readonly dropped: number;
  /** Bytes that the disk has room for; null where that is not known. */
  readonly free: number | null;
}

/** Which events are wanted; all where a list is absent. */
export interface StreamFilter {
  readonly kinds?: readonly string[] | undefined;
  readonly vehicles?: readonly string[] | undefined;
  readonly messages?: readonly string[] | undefined;
}

/** Something that a client may ask to be done: it needs the token, and it is always a POST. */
export interface LiveAction {
  /** A part of the path: lower case letters, digits and hyphens. */
  readonly name: string;
  /** One sentence for the API document. */
  readonly summary: string;
  /** Throws a `Refusal` with a sentence for the client where it cannot be done. */
  run(body: unknown): Promise<unknown>;
}

/** How frames go to a message bus. */
export interface BusSummary {
  readonly collector: string;
  readonly state: string;
  readonly error: string;
  readonly frames: number;
  readonly acknowledged: number;
  readonly batches: number;
  readonly dropped: number;
  /** Bytes on the disk that the bus does not have. */
  readonly spooled: number;
}

export interface LiveView {
  vehicles(): readonly VehicleSummary[];
  vehicle(id: string): VehicleDetail | undefined;
  messages(vehicle: string): readonly MessageSummary[];
  latest(vehicle: string, component: number, message: string): LatestMessage | undefined;
  links(): readonly LinkSummary[];
  /** Goes out as it is. */
  statistics(): unknown;
  recordings(): readonly RecordingSummary[];
  recorder?(): Promise<RecorderSummary>;
  /** How frames go to a message bus, where they do. */
  bus?(): BusSummary | undefined;
  /** The server listens once for all its clients. Messages that nobody asked for are not looked at. */
  subscribe(filter: StreamFilter, listener: (event: LiveEvent) => void): () => void;
  readonly actions?: readonly LiveAction[] | undefined;
}
