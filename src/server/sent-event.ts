import { jsonText } from './http.ts';
import { eventWire, type ViewEvent } from './wire.ts';

/** An event as it is sent: encoded once, however many clients get it. It keeps only the bytes. */
export class SentEvent {
  /** Grows from event to event, with gaps for those that no client asked for. */
  readonly sequence: number;
  /** Microseconds UTC. */
  readonly time: number;
  /** A newer event replaces one with the same key; empty if none does. */
  readonly key: string;
  readonly type: string;
  readonly vehicle: string;
  /** The name of the message, if it is one. */
  readonly name: string;
  /** As a message of a WebSocket. */
  readonly frame: Buffer;
  private readonly textStart: number;
  private readonly session: string;

  constructor(event: ViewEvent, session: string, sequence: number) {
    this.sequence = sequence;
    this.time = event.time;
    this.session = session;
    this.type = event.type;
    this.vehicle = event.vehicle ?? '';
    this.name = event.type === 'message' ? event.name : '';
    this.key = keyOf(event);
    this.frame = textFrame(jsonText(eventWire(event, this.id)));
    this.textStart = [2, 4, 10][Math.max(0, this.frame[1] - 125)];
  }

  get id(): string {
    return `${this.session}.${this.sequence}`;
  }

  /** As an event of an event stream, in pieces. */
  get block(): Buffer[] {
    return [Buffer.from(`id: ${this.id}\ndata: `), this.frame.subarray(this.textStart), END];
  }
}

const END = Buffer.from('\n\n');

/** A newer message replaces one of the same sender, kind and instance: two batteries are two. */
export function keyOf(event: ViewEvent): string {
  if (event.type !== 'message') return '';
  return [event.vehicle, event.component, event.name, event.instance].join('\n');
}

/**
 * A WebSocket message of text, from a server, in one frame (https://www.rfc-editor.org/rfc/rfc6455#section-5.2):
 *
 *   0x81 | length 0..125                        | text
 *   0x81 | 126 | length, 16 bits, big-endian    | text
 *   0x81 | 127 | length, 64 bits, big-endian    | text
 *
 * Servers do not mask, so one frame serves all clients.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 0x10000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  frame[1] = head === 2 ? length : head === 4 ? 126 : 127;
  if (head === 4) frame.writeUInt16BE(length, 2);
  if (head === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.write(text, head);
  return frame;
}
