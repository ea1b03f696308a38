import type { Row } from '../core/table.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { LinkState } from './link-state.ts';
import type { StatusText } from './texts.ts';

interface Happened {
  readonly vehicle: string;
  readonly link: string;
  /** Microseconds UTC. */
  readonly time: number;
}

/** Where messages of one kind and sender come from. */
export interface MessageSource {
  readonly size: number;
  copyTo(target: Uint8Array, at: number): void;
  decode(frame: Uint8Array): Row;
}

/** A message that came. Its fields are decoded when they are asked for; they hold until the listener returns. */
export interface MessageEvent {
  readonly type: 'message';
  /** The vehicle's key, or null where no vehicle of this system was found so far. */
  readonly vehicle: string | null;
  readonly link: string;
  readonly time: number;
  readonly system: number;
  readonly component: number;
  readonly name: string;
  /** Which battery, rangefinder and so on, where the message has a number for it. */
  readonly instance: number | undefined;
  /** The frame, as a copy. */
  readonly bytes: Uint8Array;
  readonly data: Row;
  /** The same object for all messages of a kind and sender: it has the bytes of the newest, and reads such bytes. */
  readonly source: MessageSource;
  /** The same for later readers. */
  keep(): MessageEvent;
}

export type VehicleEvent = Happened &
  (
    | {
        /** It was found; its firmware became known; it was silent for long and its place was needed. */
        readonly type: 'vehicle' | 'firmware' | 'removed';
      }
    /** It rebooted, and what showed it. */
    | { readonly type: 'reboot'; readonly cause: string }
    | { readonly type: 'lost'; readonly lastHeartbeat: number }
    /** Heartbeat back after this many microseconds. */
    | { readonly type: 'recovered'; readonly silence: number }
    /** It turned out to be another one, received on one more link. */
    | { readonly type: 'joined'; readonly into: string }
    /** Its link is silent, and its state comes from another one now. */
    | { readonly type: 'switched'; readonly previous: string }
    | { readonly type: 'armed'; readonly armed: boolean }
    | { readonly type: 'mode'; readonly mode: string; readonly previous: string }
    | { readonly type: 'text'; readonly text: StatusText }
    /** It answered a command that a client sent: MAV_CMD and MAV_RESULT. */
    | { readonly type: 'ack'; readonly command: number; readonly result: number }
    /** The download of a log ended: where it is, or why it is not there. */
    | { readonly type: 'log'; readonly path: string; readonly error: string }
    /** Another sender has its system id. */
    | { readonly type: 'conflict'; readonly address: string; readonly text: string }
  );

/** An event without a vehicle; without a link too where that is ''. */
type SessionEvent = Omit<Happened, 'vehicle'> & { readonly vehicle: null } & (
    | {
        /**
         * signatures: frames of a link are refused by their signatures, or are signed and there is no key. mark: a note
         * was added to the recording.
         */
        readonly type: 'signatures' | 'mark';
        readonly text: string;
      }
    /** Recording failed, goes on after that in a new file, or ended with records lost. */
    | {
        readonly type: 'recorder';
        readonly state: string;
        /** Why it failed; '' if it goes on. */
        readonly error: string;
        /** Path of the recording; '' if none. */
        readonly recording: string;
        /** Records lost so far. */
        readonly dropped: number;
      }
    | { readonly type: 'link'; readonly state: LinkState }
  );

export type LiveEvent = MessageEvent | VehicleEvent | SessionEvent;
export type LiveListener = (event: LiveEvent) => void;

/** All types of events but single messages. */
export const STATE_EVENTS: readonly LiveEvent['type'][] = [
  'vehicle',
  'firmware',
  'reboot',
  'lost',
  'recovered',
  'joined',
  'switched',
  'armed',
  'mode',
  'text',
  'ack',
  'log',
  'conflict',
  'removed',
  'signatures',
  'mark',
  'recorder',
  'link',
];

/** The listeners of a collector. One that throws ends the call that led to the event. */
export class Listeners {
  private readonly all: Set<LiveListener> = new Set();
  private readonly ofMessages: Set<LiveListener> = new Set();

  /** Whether there are listeners for single messages. */
  get hasMessages(): boolean {
    return this.ofMessages.size > 0;
  }

  /** Returns a function that removes the listener. */
  add(listener: LiveListener, types?: readonly LiveEvent['type'][]): () => void {
    const filtered: LiveListener = types
      ? (event) => types.includes(event.type) && listener(event)
      : (event) => listener(event);
    const sets = !types || types.includes('message') ? [this.all, this.ofMessages] : [this.all];
    for (const set of sets) set.add(filtered);
    return () => {
      for (const set of sets) set.delete(filtered);
    };
  }

  emit(event: LiveEvent): void {
    for (const listener of event.type === 'message' ? this.ofMessages : this.all) listener(event);
  }
}

/**
 * Events to be read one by one, as fast as the reader likes. If it is too slow, the oldest are dropped and counted.
 *
 *     for await (const event of new EventQueue((listener) => collector.subscribe(listener))) ...
 */
export class EventQueue implements AsyncIterable<LiveEvent> {
  dropped = 0;
  private readonly waiting: LiveEvent[] = [];
  private readonly most: number;
  private readonly stop: () => void;
  private wake: (() => void) | undefined;
  private isClosed = false;

  constructor(subscribe: (listener: LiveListener) => () => void, most: number = LIVE_LIMITS.events) {
    this.most = most;
    this.stop = subscribe((event) => this.push(event));
  }

  private push(event: LiveEvent): void {
    this.waiting.push(event.type === 'message' ? event.keep() : event);
    if (this.waiting.length > this.most) {
      this.waiting.shift();
      this.dropped++;
    }
    this.wake?.();
  }

  /** Ends the reading, once what waits was read. */
  close(): void {
    this.isClosed = true;
    this.stop();
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent> {
    try {
      for (;;) {
        const event = this.waiting.shift();
        if (event) yield event;
        else if (this.isClosed) return;
        else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      this.close();
    }
  }
}
