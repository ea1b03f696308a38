import type { FaultCount } from '../core/fault.ts';
import type { Schema } from '../core/schema.ts';
import type { Row } from '../core/table.ts';
import type { Header } from '../formats/mavlink/header.ts';
import type { MavlinkOptions } from '../formats/mavlink/options.ts';
import type { VerifierOptions } from '../formats/mavlink/signing.ts';
import type { SignatureCounts, StreamCounts } from './live-link.ts';
import type { Unpack } from './vehicle/event-texts.ts';
import type { FrameSenderOptions } from './vehicle/frame-sender.ts';
import type { Profile } from './vehicle/profile.ts';
import type { StreamRequests } from './vehicle/request-plan.ts';

/** Our ids by default. */
export const OUR_SYSTEM = 254;
export const OUR_COMPONENT = 190;

/** Receives a frame that begins at `start`, with the name of its message. */
export type FrameTap = (link: string, name: string, bytes: Uint8Array, start: number, time: number) => void;

/** Gets all bytes of all links in order, before anything else, without signing keys; borrowed until it returns. */
export interface LinkSink {
  /**
   * A frame, from header.start to header.end, which a signature may refuse.
   * @param isVerified whether its checksum is right by a definition; one that is damaged or unknown is between others
   * @returns false for an echo, which says nothing new of its sender: it is not looked at
   */
  frame(link: string, from: string, bytes: Uint8Array, header: Header, isVerified: boolean, time: number): boolean;
  rest(link: string, from: string, bytes: Uint8Array, time: number): void;
  /** A frame with a key was left out. */
  secret(link: string): void;
}

export interface LiveOptions extends Pick<MavlinkOptions, 'dialect' | 'keys' | 'unsigned' | 'verifier'> {
  /** Times of signatures as they were stored last: nothing older is accepted. */
  readonly timestamp?: number | undefined;
  readonly stamps?: VerifierOptions['stamps'];
  /** Stores times of signatures before frames up to them are accepted. */
  readonly store?: VerifierOptions['store'];
  /** Gets every frame that is accepted, also of senders and messages beyond those that are kept; the bytes are borrowed. */
  readonly tap?: FrameTap | undefined;
  /** Unpacks xz: with it the texts of PX4's events are read from the vehicle. */
  readonly unpack?: Unpack | undefined;
  readonly sink?: LinkSink | undefined;
  /** Sends a frame on a link, to one address of several where it is for one vehicle. */
  readonly send: (link: string, frame: Uint8Array, to?: string) => void;
  /** Who we are: 254 and 190 by default. 255 counts as the pilot's ground station, on which a failsafe may hang. */
  readonly system?: number | undefined;
  readonly component?: number | undefined;
  /** Of our heartbeats: 0 by default, since a ground station is not armed. */
  readonly baseMode?: number | undefined;
  readonly sign?: FrameSenderOptions['sign'];
  /** Lets `send` send anything. */
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
  /** Whether the latest is too old to be believed. */
  readonly isStale: boolean;
}

export interface LatestMessage extends Omit<MessageCount, 'component' | 'isStale'> {
  /** Where it was in the stream of its sender. */
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
  /** Received and lost by sender: '1:1' for component 1 of system 1, '1:1@ADDRESS' for another sender with its ids. */
  readonly streams: Readonly<Record<string, StreamCounts>>;
  /**
   * Frames by the result of their signature check: `unchecked` frames are signed and there is no key; with a key, `valid`, `tolerated` and
   * `exempt` ones are accepted, all others are not.
   */
  readonly signatures: SignatureCounts;
  /** What is wrong with signatures, as a sentence; '' if nothing. */
  readonly notice: string;
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
