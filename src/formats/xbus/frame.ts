import { ChunkBuffer } from '../../core/chunk-buffer.ts';
import type { Decoder, Sink, StreamStatistics } from '../../core/decoder.ts';
import type { DecodeOptions } from '../../core/format.ts';
import type { OutputSetup } from './configuration.ts';
import { Counters } from './counters.ts';
import { Emitter, MOST_RECORDS, NO_TEMPLATE, Taker, Template } from './emitter.ts';
import { CHECKSUM, EXTENDED, HEADER, INVERTED_SUM, PREAMBLE, PROTOCOL_SUM } from './header.ts';
import { ITEM_HEADER, PACKET_COUNTER } from './items.ts';
import { FRAME, Judge, WAIT } from './judge.ts';
import { MT_DATA_2 } from './messages.ts';
import { Resync } from './resync.ts';
import { NO_TABLE, streamOf, Tables } from './tables.ts';

/** All of the shortest frame. */
const SHORTEST = HEADER + CHECKSUM;
/** The header of a packet counter: its XDI and its length. */
const COUNTER = (PACKET_COUNTER << 8) | 2;

/** What a first reading learned too late to use it. */
interface SetupLessons {
  readonly setups?: ReadonlyMap<number, OutputSetup> | undefined;
  readonly rule?: number;
}

/**
 * Finds XBUS frames. In step, frame follows frame, and each is a length and a checksum. Where that ends, every byte that
 * could begin a frame is looked at: a false start costs one byte, never the frame that it hides.
 *
 * A data message is many records: its header is one, each of its items is one, and the checksum belongs to the last of
 * them. Any other message is one record.
 */
export class XbusDecoder implements Decoder {
  private readonly chunks: ChunkBuffer;
  private readonly options: DecodeOptions;
  private readonly emitter: Emitter;
  private readonly tables: Tables;
  private readonly taker: Taker;
  private readonly judge: Judge;
  private readonly resync: Resync;
  private readonly counters = new Counters();
  /** The packets that came last, by their length. */
  private readonly templates: Template[] = new Array(EXTENDED).fill(NO_TEMPLATE);
  /** Where the next start is looked for in a resync, in the source. */
  private place = 0;
  /** By which rule the checksums of the frames so far are made. */
  private rule = PROTOCOL_SUM;

  constructor(sink: Sink, options: DecodeOptions = {}, lessons: SetupLessons = {}) {
    this.options = options;
    this.tables = new Tables(sink, options.keepInvalid ?? false);
    this.emitter = new Emitter(sink);
    this.taker = new Taker(
      sink,
      this.tables,
      this.counters,
      this.emitter.batch,
      options.keepInvalid ?? false,
      lessons.setups,
    );
    this.judge = new Judge((bus) => this.taker.setups.legacyOf(bus), lessons.rule);
    this.resync = new Resync(sink);
    this.chunks = new ChunkBuffer((bytes, from, base, final) => this.scan(bytes, from, base, final));
  }

  push(bytes: Uint8Array): void {
    this.chunks.push(bytes);
  }

  end(): void {
    this.chunks.end();
  }

  again(sink: Sink): Decoder | undefined {
    const { rule, isPassedOver } = this.judge;
    const setups = this.taker.setups.lessons();
    const isInverted = rule !== PROTOCOL_SUM && isPassedOver;
    if (!setups && !isInverted) return undefined;
    return new XbusDecoder(sink, this.options, isInverted ? { setups, rule: INVERTED_SUM } : { setups });
  }

  streams(): StreamStatistics[] {
    return this.counters.statistics(streamOf);
  }

  private scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    this.emitter.use(bytes, base);
    this.judge.use(bytes, base, final);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = from;
    for (;;) {
      if (this.resync.isOpen) {
        at = this.search(bytes, base);
        if (this.resync.isOpen) break;
      }
      at = this.run(bytes, view, at);
      const next = at < bytes.length ? this.step(bytes, base, at) : WAIT;
      if (next === WAIT) break;
      at = next;
    }
    this.emitter.flush();
    if (!final || !this.resync.isOpen) return at;
    this.resync.pass(bytes, base, bytes.length);
    this.resync.close(base + bytes.length, true);
    return bytes.length;
  }

  /** Takes data messages as long as they follow each other: where nearly all of a good stream goes through. */
  private run(bytes: Uint8Array, view: DataView, from: number): number {
    const { emitter, counters, templates } = this;
    const { next, received } = counters;
    const { starts } = emitter;
    const rule = this.judge.rule;
    if (rule < PROTOCOL_SUM) return from;
    const last = bytes.length - SHORTEST;
    let at = from;
    while (at <= last) {
      const length = bytes[at + 3];
      const stop = at + HEADER + length;
      if (bytes[at] !== PREAMBLE || bytes[at + 2] !== MT_DATA_2 || length === EXTENDED) break;
      if (stop >= bytes.length || length === 0 || sumOf(bytes, view, at + 1, stop + 1) !== rule) break;
      const bus = bytes[at + 1];
      const template = templates[length];
      const { heads, places, width } = template;
      let k = template.bus === bus ? 1 : width;
      // an item's header and the byte after it, which is there since the checksum follows at least
      while (k < width && view.getInt32(at + places[k]) >>> 8 === heads[k]) k++;
      if (k === width && template.bus === bus) {
        if (!emitter.takes(template)) emitter.begin(template);
        starts[emitter.count++] = at;
      } else if (!this.learn(bytes, view, at)) {
        break;
      }
      const place = templates[length].counter;
      if (place > 0) {
        const counter = (bytes[at + place] << 8) | bytes[at + place + 1];
        if (next[bus] === counter) {
          next[bus] = (counter + 1) & 0xffff;
          received[bus]++;
        } else {
          counters.pass(bus, counter);
        }
      }
      at = stop + CHECKSUM;
    }
    if (at > from) this.judge.prove();
    return at;
  }

  /** Takes a packet of another kind than the last one of its length; false leaves what is new to the careful way. */
  private learn(bytes: Uint8Array, view: DataView, at: number): boolean {
    const { tables, emitter, templates } = this;
    emitter.room(MOST_RECORDS);
    const { batch } = emitter;
    const { table, start, size, count: first } = batch;
    const length = bytes[at + 3];
    const ids = tables.ofBus(bytes[at + 1]);
    const stop = at + HEADER + length;
    let count = first;
    let counter = 0;
    table[count] = ids[tables.usualPacket];
    start[count] = at;
    size[count++] = HEADER;
    let place = at + HEADER;
    while (place + ITEM_HEADER <= stop) {
      const head = view.getInt32(place) >>> 8;
      const data = head & 0xff;
      const slot = tables.slotOf[head >> 8];
      const id = ids[slot >> 8];
      if ((slot & 0xff) !== data || id === NO_TABLE) return false;
      if (head === COUNTER) counter = place + ITEM_HEADER - at;
      table[count] = id;
      start[count] = place;
      size[count++] = ITEM_HEADER + data;
      place += ITEM_HEADER + data;
    }
    if (place !== stop || table[first] === NO_TABLE) return false;
    size[count - 1] += CHECKSUM;
    batch.count = count;
    if (templates[length] === NO_TEMPLATE) templates[length] = new Template();
    templates[length].learn(batch, first, view, at, counter);
    return true;
  }

  /** In step, where the quick way ended: looks at one place by all the rules and returns where to go on. */
  private step(bytes: Uint8Array, base: number, at: number): number {
    const { judge, resync } = this;
    const found = judge.look(at, true);
    if (found === WAIT) return WAIT;
    if (found === FRAME) return this.addFrame(bytes, base, at);
    this.emitter.flush();
    resync.open(base + at);
    judge.lose(base + at);
    if (judge.failure) resync.fail(base + at, base + judge.header.end, judge.failure);
    this.place = base + at + 1;
    return at;
  }

  /** Out of step: goes to the next frame, which closes the resync, or as far as possible. */
  private search(bytes: Uint8Array, base: number): number {
    const { judge, resync } = this;
    for (;;) {
      const found = judge.candidate(this.place - base, resync.failureEnd - base);
      const at = found < 0 ? bytes.length : found;
      this.place = base + at;
      resync.pass(bytes, base, at);
      if (found < 0) return at;
      const verdict = judge.look(at, base + at === resync.failureEnd);
      if (verdict === WAIT) return at;
      if (verdict === FRAME) {
        resync.close(base + at, false);
        return this.addFrame(bytes, base, at);
      }
      if (judge.failure) resync.fail(base + at, base + judge.header.end, judge.failure);
      this.place++;
    }
  }

  private addFrame(bytes: Uint8Array, base: number, at: number): number {
    const { judge, taker } = this;
    if (this.rule !== judge.rule) taker.remarks.rule(judge.rule, base + at);
    this.rule = judge.rule;
    this.emitter.room(taker.recordsOf(judge.header));
    taker.take(bytes, base, at, judge.header);
    return judge.header.end;
  }
}

/** The bytes [from, to) added up, modulo 256, in two lanes of 16 bits, which a standard frame does not fill. */
function sumOf(bytes: Uint8Array, view: DataView, from: number, to: number): number {
  let all = 0;
  let even = 0;
  let at = from;
  for (const last = to - 8; at <= last; at += 8) {
    const one = view.getInt32(at, true);
    const two = view.getInt32(at + 4, true);
    all = (all + one + two) | 0;
    even += (one & 0xff00ff) + (two & 0xff00ff);
  }
  const odd = (all - even) >>> 8;
  let sum = even + (even >>> 16) + odd + (odd >>> 16);
  while (at < to) sum += bytes[at++];
  return sum & 0xff;
}
