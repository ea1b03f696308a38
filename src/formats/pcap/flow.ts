import type { Decoder, StreamStatistics } from '../../core/decoder.ts';
import type { Fault } from '../../core/fault.ts';
import type { Format } from '../../core/format.ts';
import { type Break, FlowSink } from './flow-sink.ts';
import type { Ends } from './flow-table.ts';
import type { Harvest } from './harvest.ts';
import { CAPTURE_LIMITS } from './limits.ts';
import type { Room } from './room.ts';
import { Segments } from './segments.ts';
import type { Carried, Delivery, TcpOrder } from './tcp.ts';

/** Bytes that are copied by a loop, which is quicker for a few of them. */
const FEW = 256;
const NOTHING: Uint8Array = new Uint8Array(0);
/** Scores below this are too weak to take a flow for what they say. */
const LEAST_SCORE = 0.3;
/** Bytes of an unrecognised flow that are looked at again with what comes. */
const TAIL = 2 << 10;

/** What a flow needs of the capture that it is part of. */
export interface FlowContext {
  readonly formats: readonly Format[];
  readonly harvest: Harvest;
  readonly room: Room;
  fault(fault: Fault): void;
  decoder(flow: Flow, format: Format, sink: FlowSink): Decoder | undefined;
  readonly others: Flow;
}

/** What one sender sends to one receiver: a stream of bytes, whatever the packets are that it came in. */
export class Flow implements Delivery {
  readonly ends: Ends;
  packets = 0;
  /** Bytes that it carried, those that came again included. */
  bytes = 0;
  /** Microseconds: when its first and its last packet was captured. */
  first: number = Number.NaN;
  last: number = Number.NaN;
  /** Bytes that are known to be missing. */
  missing = 0;
  /** Bytes in no record and no fault. */
  unclaimed = 0;
  /** Puts segments in order, if it is TCP. */
  order: TcpOrder | undefined;
  format: Format | undefined;
  sink: FlowSink | undefined;
  /** Whether it has bytes that were not decoded yet. */
  isWaiting = false;
  private decoder: Decoder | undefined;
  /** What the decoder counted, once it is over. */
  private counted: readonly StreamStatistics[] | undefined;
  private readonly context: FlowContext;
  private readonly segments = new Segments();
  /** Bytes that were not decoded yet; the first of them is byte `heldFrom` of the stream. */
  private held: Uint8Array = NOTHING;
  private heldView: DataView = new DataView(NOTHING.buffer);
  private filled = 0;
  /** How many there were before the last batch was decoded. */
  private usual = 0;
  private heldFrom = 0;
  private breaks: Break[] = [];
  /** While it is undecided: how many of the bytes were looked at. */
  private looked = 0;
  /** Whether its bytes go to the flow for others. */
  private isShared = false;

  constructor(ends: Ends, context: FlowContext) {
    this.ends = ends;
    this.context = context;
  }

  get name(): string {
    const { source, destination } = this.ends;
    return source === '' ? destination : `${source} > ${destination}`;
  }

  statistics(): readonly StreamStatistics[] {
    return this.counted ?? (this.decoder?.streams?.() ?? []).map((each) => ({ ...each, flow: this.name }));
  }

  /** The next bytes of the stream: [from, to) of bytes at `file` in the capture. @param view on them, if any */
  append(
    bytes: Uint8Array,
    from: number,
    to: number,
    file: number,
    packet: number,
    time: number,
    view?: DataView,
  ): void {
    if (this.isShared) {
      this.context.others.append(bytes, from, to, file, packet, time);
      return;
    }
    const length = to - from;
    const { filled } = this;
    if (filled + length > this.held.length) this.makeRoom(filled + length);
    if (length < FEW && view) {
      const { heldView } = this;
      let at = filled;
      let i = from;
      for (const words = to - 3; i < words; i += 4, at += 4) heldView.setInt32(at, view.getInt32(i, true), true);
      for (const { held } = this; i < to; i++, at++) held[at] = bytes[i];
    } else {
      this.held.set(bytes.subarray(from, to), filled);
    }
    this.filled = filled + length;
    this.segments.add(length, file, packet, time);
    this.isWaiting = true;
  }

  private makeRoom(least: number): void {
    const { held } = this;
    const { room } = this.context;
    this.hold(room.borrow(Math.max(least, this.usual)));
    this.held.set(held.subarray(0, this.filled));
    if (held !== NOTHING) room.release(held);
  }

  private hold(room: Uint8Array): void {
    this.held = room;
    this.heldView = new DataView(room.buffer);
  }

  deliver({ bytes, from, to, file, packet, time }: Carried): void {
    this.append(bytes, from, to, file, packet, time);
  }

  hole(missing: number | undefined, before: Carried | undefined): void {
    this.break(missing, true, before?.packet ?? 0, before?.file ?? 0);
  }

  /** A packet was cut: `missing` of its bytes were not captured. */
  cut(missing: number, packet: number, file: number): void {
    this.break(missing, false, packet, file);
  }

  private break(missing: number | undefined, isHole: boolean, packet: number, file: number): void {
    this.missing += missing ?? 0;
    if (this.isShared) return;
    this.breaks.push({ at: this.segments.end, missing, isHole, packet, file });
    this.isWaiting = true;
  }

  flush(isLast: boolean): void {
    this.isWaiting = false;
    if (this.decoder || this.recognize(isLast)) this.feed();
    else if (this.isShared) this.hand();
    else this.letGo(isLast);
  }

  end(): void {
    this.decoder?.end();
    this.counted = this.statistics();
    // a log keeps its flows, and needs no decoder any more
    this.decoder = undefined;
  }

  private feed(): void {
    const { decoder, sink, held, heldFrom } = this;
    if (!decoder || !sink) return;
    let at = 0;
    for (const place of this.breaks) {
      const stop = place.at - heldFrom;
      if (stop > at) decoder.push(held.subarray(at, stop));
      at = stop;
      sink.breakAt(place, () => decoder.interrupt?.());
    }
    if (this.filled > at) decoder.push(held.subarray(at, this.filled));
    this.breaks = [];
    this.release(0);
    this.segments.keepFrom(sink.covered);
  }

  /** Keeps the last bytes only. */
  private release(kept: number): void {
    const { held, filled } = this;
    const { room } = this.context;
    const gone = filled - kept;
    this.heldFrom += gone;
    this.usual = filled;
    this.filled = kept;
    this.hold(kept > 0 ? room.borrow(kept) : NOTHING);
    this.held.set(held.subarray(gone, filled));
    if (held !== NOTHING) room.release(held);
  }

  /** Finds out by its content what the flow carries, each time that half as much again came. */
  private recognize(isLast: boolean): boolean {
    if (this.isShared || (!isLast && this.filled - this.looked < this.looked / 2)) return false;
    this.looked = this.filled;
    const format = this.bestFormat();
    if (!format) return false;
    const { context, segments, heldFrom } = this;
    const sink = new FlowSink(
      () => this.name,
      format.name,
      segments,
      heldFrom,
      context.harvest,
      (fault) => context.fault(fault),
    );
    this.decoder = context.decoder(this, format, sink);
    this.format = format;
    if (this.decoder) this.sink = sink;
    else this.isShared = true;
    return !this.isShared;
  }

  private bestFormat(): Format | undefined {
    const found = this.bestOf(this.breaks.length > 0 ? this.withBlanks() : this.held.subarray(0, this.filled));
    if (found) return found;
    // a message among much else fills the packet that it came in
    const { held, heldFrom, filled } = this;
    for (const [from, to] of this.segments.within(heldFrom, heldFrom + filled)) {
      const inside = this.bestOf(held.subarray(from - heldFrom, to - heldFrom));
      if (inside) return inside;
    }
    return undefined;
  }

  private bestOf(bytes: Uint8Array): Format | undefined {
    let best: Format | undefined;
    let score = 0;
    for (const format of this.context.formats) {
      const found = format.detect(bytes);
      if (found < LEAST_SCORE || found <= score) continue;
      best = format;
      score = found;
    }
    return best;
  }

  /** What was gathered with zeros for what is missing, so that headers lead to each other: only to be looked at. */
  private withBlanks(): Uint8Array {
    const most = CAPTURE_LIMITS.undecidedBytes;
    const bytes = new Uint8Array(this.filled + 2 * most);
    let [at, to] = [0, 0];
    for (const { at: place, missing = 0 } of this.breaks) {
      const piece = this.held.subarray(at, place - this.heldFrom);
      if (to + piece.length + missing > bytes.length) break;
      bytes.set(piece, to);
      at += piece.length;
      to += piece.length + missing;
    }
    const rest = this.held.subarray(at, Math.min(this.filled, at + bytes.length - to));
    bytes.set(rest, to);
    return bytes.subarray(0, to + rest.length);
  }

  /** Nobody knows the flow: of what was looked at only the end is kept. */
  private letGo(isLast: boolean): void {
    const kept = isLast ? 0 : this.filled > CAPTURE_LIMITS.undecidedBytes ? TAIL : this.filled;
    if (kept === this.filled) return;
    this.unclaimed += this.filled - kept;
    this.release(kept);
    this.looked = Math.min(this.looked, kept);
    this.breaks = this.breaks.filter(({ at }) => at >= this.heldFrom);
    this.segments.keepFrom(this.heldFrom);
  }

  /** There are too many decoders: what was gathered goes to the one for all others. */
  private hand(): void {
    const { held, heldFrom, segments, context } = this;
    for (const [from, to, index] of segments.within(heldFrom, heldFrom + this.filled)) {
      const file = segments.fileAt(from);
      context.others.append(held, from - heldFrom, to - heldFrom, file, segments.packets[index], segments.times[index]);
    }
    this.breaks = [];
    this.release(0);
  }
}
