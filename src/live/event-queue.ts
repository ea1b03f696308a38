import type { LiveEvent, LiveListener } from './events.ts';
import { LIVE_LIMITS } from './limits.ts';

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
