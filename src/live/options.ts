import type { FaultCount } from '../core/fault.ts';
import type { Schema } from '../core/schema.ts';
import type { Row } from '../core/table.ts';
import type { MavlinkOptions } from '../formats/mavlink/options.ts';
import type { SignatureCounts, StreamCounts } from './live-link.ts';
import type { OutboxOptions } from './outbox.ts';
import type { Profile } from './profile.ts';
import type { StreamRequests } from './request-plan.ts';

/** Who we are where nobody says otherwise. */
export const OUR_SYSTEM = 254;
export const OUR_COMPONENT = 190;

/** Takes a frame that begins at `start`, under the name of its message. */
export type FrameTap = (link: string, name: string, bytes: Uint8Array, start: number, time: number) => void;

export interface LiveOptions extends Pick<MavlinkOptions, 'dialect' | 'keys' | 'unsigned' | 'verifier'> {
  /** The latest time of signatures when it was stored last: nothing older is accepted. */
  readonly timestamp?: number | undefined;
  /** Gets every frame that is accepted, also of senders and messages beyond those that are kept; the bytes are borrowed. */
  readonly tap?: FrameTap | undefined;
  /** Sends a frame on a link. */
  readonly send: (link: string, frame: Uint8Array) => void;
  /** Who we are: 254 and 190 by default. 255 counts as the pilot's ground station, on which a failsafe may hang. */
  readonly system?: number | undefined;
  readonly component?: number | undefined;
  /** Of our heartbeats: 0 by default, since a ground station is not armed. */
  readonly baseMode?: number | undefined;
  readonly sign?: OutboxOptions['sign'];
  /** Lets `sendMessage` send anything. */
  readonly allowCommands?: boolean | undefined;
  /** What vehicles are asked for; PROFILES has some. */
  readonly profile?: Profile | undefined;
  /** Whether vehicles are asked at all, and whether heartbeats are sent. */
  readonly requests?: boolean | undefined;
  readonly heartbeats?: boolean | undefined;
  readonly streamRequests?: StreamRequests | undefined;
  /** Milliseconds between heartbeats of ours, and without one of a vehicle until it counts as lost. */
  readonly heartbeatInterval?: number | undefined;
  readonly heartbeatTimeout?: number | undefined;
}

/** How often a message came. */
export interface MessageCount {
  readonly component: number;
  readonly name: string;
  readonly id: number;
  readonly count: number;
  /** Times a second. */
  readonly rate: number;
  /** When the first and the latest came. */
  readonly first: number;
  readonly time: number;
}

/** The latest message of one kind. */
export interface LatestMessage extends Omit<MessageCount, 'component'> {
  /** Where it stood in the stream of its sender. */
  readonly at: number;
  readonly data: Row;
  /** The fields of each instance, where the message has any. */
  readonly instances?: ReadonlyMap<number, Row> | undefined;
  readonly bytes: Uint8Array;
  readonly schema: Schema;
}

export interface LinkStatistics {
  readonly link: string;
  readonly bytes: number;
  readonly packets: number;
  readonly messages: number;
  readonly peers: number;
  readonly faults: Readonly<Record<string, FaultCount>>;
  /** Received and lost by sender: '1:1' for component 1 of system 1. */
  readonly streams: Readonly<Record<string, StreamCounts>>;
  /**
   * What became of signatures: `unchecked` frames are signed and there is no key; with a key, `valid`, `tolerated` and
   * `exempt` ones are accepted, all others are not.
   */
  readonly signatures: SignatureCounts;
}

export interface LiveStatistics {
  readonly links: readonly LinkStatistics[];
  readonly vehicles: number;
  readonly messages: number;
  /** Messages that came from more senders, or were of more kinds, than are kept. */
  readonly notKept: number;
  /** Frames that were sent, by message. */
  readonly sent: Readonly<Record<string, number>>;
}
