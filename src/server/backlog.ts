import type { MessageSource } from '../live/events.ts';
import type { ViewMessage } from './wire.ts';

/*
 * Messages as they were received stand one after the other in a ring. Each has a head of 24 bytes:
 *
 *     0          8              16       20     22         24
 *     sequence   time, µs UTC   source   size   instance   frame ...
 *
 * A message is never torn by the end of the ring: what is left there has a size that no frame has.
 */
const HEAD = 24;
const TIME = 8;
const SOURCE = 16;
const SIZE = 20;
const INSTANCE = 22;
const PAD = 0xffff;
const NO_INSTANCE = 0xffff;
/** Senders and kinds that are told apart; more than any view keeps. */
const SOURCES = 65_536;

interface Origin {
  readonly source: MessageSource;
  readonly vehicle: string | null;
  readonly component: number;
  readonly name: string;
}

/**
 * The last messages of all vehicles, for clients that come back: as frames, a few dozen bytes each, which are decoded
 * when somebody asks for them. Places are counted from the first byte that was ever written, so they only grow.
 */
export class Backlog {
  private readonly size: number;
  private ring: Uint8Array | undefined;
  private view: DataView | undefined;
  private readonly origins: Origin[] = [];
  private readonly numbers: Map<MessageSource, number> = new Map();
  /** Places of the oldest message, and of the next one. */
  private first = 0;
  private next = 0;

  constructor(bytes: number) {
    this.size = bytes;
  }

  /** Keeps a message, where it can be kept. */
  add(event: ViewMessage, sequence: number): boolean {
    const { source } = event;
    const need = HEAD + (source?.size ?? 0);
    if (!source || source.size >= PAD || need > this.size) return false;
    // a ring costs memory as it is written to, so one that is never used costs none
    this.ring ??= new Uint8Array(this.size);
    this.view ??= new DataView(this.ring.buffer);
    const origin = this.originOf(event, source);
    const left = this.size - (this.next % this.size);
    if (left < need) {
      this.makeRoom(left);
      if (left >= HEAD) this.view.setUint16((this.next % this.size) + SIZE, PAD, true);
      this.next += left;
    }
    this.makeRoom(need);
    const at = this.next % this.size;
    this.view.setFloat64(at, sequence, true);
    this.view.setFloat64(at + TIME, event.time, true);
    this.view.setUint32(at + SOURCE, origin, true);
    this.view.setUint16(at + SIZE, source.size, true);
    this.view.setUint16(at + INSTANCE, event.instance ?? NO_INSTANCE, true);
    source.copyTo(this.ring, at + HEAD);
    this.next += need;
    return true;
  }

  private originOf({ vehicle, component, name }: ViewMessage, source: MessageSource): number {
    const known = this.numbers.get(source);
    if (known !== undefined && this.origins[known].vehicle === vehicle) return known;
    if (this.origins.length >= SOURCES) this.forget();
    this.numbers.set(source, this.origins.length);
    return this.origins.push({ source, vehicle, component, name }) - 1;
  }

  private forget(): void {
    this.origins.length = 0;
    this.numbers.clear();
    this.first = this.next;
  }

  private makeRoom(bytes: number): void {
    while (this.next + bytes - this.first > this.size) this.first = this.after(this.first);
  }

  /** The place behind what stands at a place. */
  after(place: number): number {
    const size = this.sizeAt(place);
    return size === PAD ? place + this.size - (place % this.size) : place + HEAD + size;
  }

  private sizeAt(place: number): number {
    const at = place % this.size;
    return this.size - at < HEAD ? PAD : (this.view as DataView).getUint16(at + SIZE, true);
  }

  /** The place of the first message from a place on; undefined where there is none. What is no longer there is left out. */
  from(place: number): number | undefined {
    for (let at = Math.max(place, this.first); at < this.next; at = this.after(at))
      if (this.sizeAt(at) !== PAD) return at;
    return undefined;
  }

  /** Where the oldest begins: what was before is gone. */
  get start(): number {
    return this.first;
  }

  /** Where the newest ends: nothing is from there on, until something comes. */
  get end(): number {
    return this.next;
  }

  sequence(place: number): number {
    return (this.view as DataView).getFloat64(place % this.size, true);
  }

  time(place: number): number {
    return (this.view as DataView).getFloat64((place % this.size) + TIME, true);
  }

  /** The message at a place, for as long as it is there; decoded when its data is read. */
  event(place: number): ViewMessage {
    const [ring, view] = [this.ring as Uint8Array, this.view as DataView];
    const at = place % this.size;
    const { source, vehicle, component, name } = this.origins[view.getUint32(at + SOURCE, true)];
    const size = view.getUint16(at + SIZE, true);
    const instance = view.getUint16(at + INSTANCE, true);
    return {
      ...{ type: 'message', time: this.time(place), vehicle, component, name },
      instance: instance === NO_INSTANCE ? undefined : instance,
      get data() {
        return source.decode(ring.slice(at + HEAD, at + HEAD + size));
      },
    };
  }
}
