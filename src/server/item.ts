import { jsonText, seconds } from './json.ts';
import type { LiveEvent } from './view.ts';

/** An event as it goes out: written once, however many clients get it. */
export class Item {
  /** Grows from event to event, with gaps where nobody wanted one. */
  readonly sequence: number;
  /** What a newer one takes the place of; empty where nothing does. */
  readonly key: string;
  readonly event: LiveEvent;
  private readonly json: string;
  private readonly session: string;
  private bytes: Buffer | undefined;
  private lines: Buffer | undefined;

  constructor(event: LiveEvent, session: string, sequence: number) {
    this.sequence = sequence;
    this.session = session;
    this.event = event;
    this.key = event.kind === 'message' ? `${event.vehicle}\n${event.component}\n${event.message}` : '';
    this.json = jsonText(wireOf(event, this.id));
  }

  get id(): string {
    return `${this.session}.${this.sequence}`;
  }

  /** As the text of a WebSocket message. */
  get text(): Buffer {
    this.bytes ??= Buffer.from(this.json);
    return this.bytes;
  }

  /** As an event of an event stream. */
  get block(): Buffer {
    this.lines ??= Buffer.from(`id: ${this.id}\ndata: ${this.json}\n\n`);
    return this.lines;
  }
}

function wireOf({ kind, time, vehicle, component, message, data }: LiveEvent, id: string): Record<string, unknown> {
  const head = { event: kind, id, time: seconds(time), vehicle };
  return kind === 'message' ? { ...head, component, type: message, data } : { ...head, data };
}
