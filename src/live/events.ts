import type { Row } from '../core/table.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { LinkState } from './link-state.ts';
import type { StatusText } from './texts.ts';

interface Happened {
  /** The vehicle's key. */
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

/** What a collector tells. */
export type LiveEvent =
  | MessageEvent
  /** A vehicle was found; its firmware became known. */
  | (Happened & { readonly type: 'vehicle' | 'firmware' })
  /** It rebooted; a few words say what showed it. */
  | (Happened & { readonly type: 'reboot'; readonly cause: string })
  /** Heartbeats lost. */
  | (Happened & { readonly type: 'lost'; readonly lastHeartbeat: number })
  /** They are back, after this many microseconds. */
  | (Happened & { readonly type: 'recovered'; readonly silence: number })
  /** What was taken for a vehicle is another one, heard on one more link. */
  | (Happened & { readonly type: 'joined'; readonly into: string })
  /** Its link is silent, and its state is from another one now. */
  | (Happened & { readonly type: 'switched'; readonly previous: string })
  | (Happened & { readonly type: 'armed'; readonly armed: boolean })
  | (Happened & { readonly type: 'mode'; readonly mode: string; readonly previous: string })
  | (Happened & { readonly type: 'text'; readonly text: StatusText })
  /** It answered a command that a client sent: MAV_CMD and MAV_RESULT. */
  | (Happened & { readonly type: 'ack'; readonly command: number; readonly result: number })
  /** Another sender has its system id. */
  | (Happened & { readonly type: 'conflict'; readonly address: string; readonly text: string })
  /** It was silent for long, and its place was needed. */
  | (Happened & { readonly type: 'removed' })
  /** Frames of a link are refused by their signatures, or are signed and there is no key. */
  | {
      readonly type: 'signatures';
      readonly vehicle: null;
      readonly link: string;
      readonly time: number;
      readonly text: string;
    }
  /** A note was put into the recording. */
  | {
      readonly type: 'mark';
      readonly vehicle: null;
      readonly link: '';
      readonly time: number;
      readonly text: string;
    }
  /** Recording failed, goes on after that in a new file, or ended with records lost. */
  | {
      readonly type: 'recorder';
      readonly vehicle: null;
      readonly link: '';
      readonly time: number;
      readonly state: string;
      /** Why it failed; '' if it goes on. */
      readonly error: string;
      /** Path of the recording; '' if none. */
      readonly recording: string;
      /** Records lost so far. */
      readonly dropped: number;
    }
  /** The state of a link is another; told by whoever has the links. */
  | {
      readonly type: 'link';
      readonly vehicle: null;
      readonly link: string;
      readonly time: number;
      readonly state: LinkState;
    };

export type LiveListener = (event: LiveEvent) => void;

/** All that happens to vehicles: neither links nor marks nor single messages. */
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
  'conflict',
  'removed',
  'signatures',
];

/**
 * Events to be read one by one, as fast as the reader likes. For one that is too slow the oldest are dropped, and
 * counted: nothing waits for him.
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
