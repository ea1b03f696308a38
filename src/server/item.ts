import { textFrame } from './frame.ts';
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
  private framed: Buffer | undefined;
  private lines: Buffer | undefined;

  constructor(event: LiveEvent, session: string, sequence: number) {
    this.sequence = sequence;
    this.session = session;
    this.event = event;
    this.key = event.kind === 'message' ? keyOf(event) : '';
    this.json = jsonText(wireOf(event, this.id));
  }

  get id(): string {
    return `${this.session}.${this.sequence}`;
  }

  /** About as many bytes as it has. */
  get size(): number {
    return this.json.length;
  }

  /** As a message of a WebSocket. */
  get frame(): Buffer {
    this.framed ??= textFrame(this.json);
    return this.framed;
  }

  /** As an event of an event stream. */
  get block(): Buffer {
    this.lines ??= Buffer.from(`id: ${this.id}\ndata: ${this.json}\n\n`);
    return this.lines;
  }
}

/** A newer message takes the place of one of the same sender, kind and instance: two batteries are two. */
function keyOf({ vehicle, component, message, instance }: LiveEvent): string {
  return [vehicle, component, message, instance].join('\n');
}

function wireOf(event: LiveEvent, id: string): Record<string, unknown> {
  const { kind, time, vehicle, component, message, instance, data } = event;
  const head = { event: kind, id, time: seconds(time), vehicle };
  return kind === 'message' ? { ...head, component, type: message, instance, data } : { ...head, data };
}
