import type { LatestMessage as CollectorMessage } from '../live/options.ts';
import type {
  FlightListWire,
  FlightWire,
  LinkWire,
  LogsWire,
  MessageCountWire,
  RecorderWire,
  RecordingWire,
  VehicleDetailWire,
  VehicleWire,
  ViewEvent,
} from './wire.ts';

/** What the server needs of a collector, as types: it asks a `LiveView` again for each answer. */
/** The newest message of a kind. Times are microseconds UTC. */
export type LatestMessage = Pick<CollectorMessage, 'time' | 'count' | 'rate' | 'data'> &
  Partial<Pick<CollectorMessage, 'first' | 'instances' | 'schema'>>;

/** A file that may be fetched by its id. Its path never leaves the server. */
export interface ServedFile {
  /** Says nothing of the path. */
  readonly id: string;
  /** What it is called when it is saved. */
  readonly name: string;
  readonly path: string;
}

/** Something that a client may ask to be done: it needs the token, and it is always a POST. */
export interface LiveAction {
  /** A part of the path: lower case letters, digits and hyphens. */
  readonly name: string;
  /** One sentence for the API document. */
  readonly summary: string;
  /** Why it cannot be done at all; it is then not listed. */
  readonly refusal?: string | undefined;
  /** Bytes are JSON already. Throws a `HttpError` with a sentence for the client where it cannot be done. */
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
  vehicles(): readonly VehicleWire[];
  vehicle(id: string): VehicleDetailWire | undefined;
  messages(vehicle: string): readonly MessageCountWire[];
  latest(vehicle: string, component: number, message: string): LatestMessage | undefined;
  links(): readonly LinkWire[];
  /** Sent as it is. */
  statistics(): unknown;
  recordings(): readonly (RecordingWire & ServedFile)[];
  recorder?(): Promise<RecorderWire>;
  /** The logs on a vehicle's card, as far as they were listed; undefined if it is not known. */
  logs?(vehicle: string): LogsWire | undefined;
  /** How frames go to a message bus, if they do. */
  bus?(): BusSummary | undefined;
  /** The server subscribes once for all its clients. */
  subscribe(listener: (event: ViewEvent) => void): () => void;
  readonly actions?: readonly LiveAction[] | undefined;
}

/** A lake of many logs, as pages list its flights. */
export interface LakeView {
  /** How it is now: `revision` changes when the list does. */
  state(): Promise<FlightListWire>;
  /** A part of the list; undefined if it is another by now. */
  flights(revision: string, offset: number, count: number): Promise<readonly FlightWire[] | undefined>;
  /** Paths of flights by their ids, with at most `most` points a line; of a part of the list, or of named ones. */
  outlines(revision: string, offset: number, count: number, most: number): object | undefined;
  outlinesOf(ids: readonly string[], most: number): object;
  /** The file of a log, with a sentence where it cannot be had; undefined for a log that is not in the lake. */
  original(log: string): Promise<{ name: string; path: string; problem: string | null } | undefined>;
}
