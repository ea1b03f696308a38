import { textFrame } from './frame.ts';
import { jsonText, seconds } from './json.ts';
import type { LiveEvent } from './view.ts';

/** What a filter looks at. */
export type Subject = Pick<LiveEvent, 'kind' | 'vehicle' | 'message'>;

/** An event as it goes out: written once, however many clients get it. It keeps nothing of the event but its bytes. */
export class Item {
  /** Grows from event to event, with gaps where nobody wanted one. */
  readonly sequence: number;
  /** Microseconds UTC. */
  readonly time: number;
  /** What a newer one takes the place of; empty where nothing does. */
  readonly key: string;
  readonly subject: Subject;
  /** As a message of a WebSocket. */
  readonly frame: Buffer;
  private readonly textStart: number;
  private readonly session: string;
  private lines: Buffer | undefined;

  constructor(event: LiveEvent, session: string, sequence: number) {
    const { kind, vehicle, message } = event;
    this.sequence = sequence;
    this.time = event.time;
    this.session = session;
    this.subject = { kind, vehicle, message };
    this.key = kind === 'message' ? keyOf(event) : '';
    const json = Buffer.from(jsonText(wireOf(event, this.id)));
    this.frame = textFrame(json);
    this.textStart = this.frame.length - json.length;
  }

  get id(): string {
    return `${this.session}.${this.sequence}`;
  }

  /** As an event of an event stream. */
  get block(): Buffer {
    const text = this.frame.subarray(this.textStart);
    this.lines ??= Buffer.concat([Buffer.from(`id: ${this.id}\ndata: `), text, Buffer.from('\n\n')]);
    return this.lines;
  }
}

/** A newer message takes the place of one of the same sender, kind and instance: two batteries are two. */
export function keyOf({ vehicle, component, message, instance }: LiveEvent): string {
  return [vehicle, component, message, instance].join('\n');
}

function wireOf(event: LiveEvent, id: string): Record<string, unknown> {
  const { kind, time, vehicle, component, message, instance, data } = event;
  const head = { event: kind, id, time: seconds(time), vehicle };
  return kind === 'message' ? { ...head, component, type: message, instance, data } : { ...head, data };
}
