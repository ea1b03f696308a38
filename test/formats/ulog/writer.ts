import { concat } from '../../suite/random.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

/** Numbers as a writer of ULogs puts them into fields. */
export function u8(...values: number[]): Uint8Array {
  return Uint8Array.from(values, (value) => value & 0xff);
}

export function u16(value: number): Uint8Array {
  return u8(value, value >> 8);
}

export function u64(value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}

export function i32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return bytes;
}

export function f32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return bytes;
}

/** One message. */
export function message(type: string, ...content: Uint8Array[]): Uint8Array {
  const whole = concat(...content);
  return concat(u16(whole.length), text(type), whole);
}

const SYNC = u8(0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12);

/** Writes a ULog message by message, and remembers where each begins. */
export class UlogWriter {
  readonly starts: number[] = [];
  private readonly pieces: Uint8Array[] = [];
  length = 0;

  raw(...bytes: Uint8Array[]): this {
    const piece = concat(...bytes);
    this.pieces.push(piece);
    this.length += piece.length;
    return this;
  }

  private add(type: string, ...content: Uint8Array[]): this {
    this.starts.push(this.length);
    return this.raw(message(type, ...content));
  }

  header(version = 1, start = 1000): this {
    this.starts.push(this.length);
    return this.raw(text('ULog'), u8(1, 0x12, 0x35, version), u64(start));
  }

  flags(incompat: readonly number[] = [], appended: readonly number[] = [], compat: readonly number[] = []): this {
    const byte = (bytes: readonly number[]): Uint8Array => u8(...Array.from({ length: 8 }, (_, i) => bytes[i] ?? 0));
    return this.add('B', byte(compat), byte(incompat), ...[0, 1, 2].map((i) => u64(appended[i] ?? 0)));
  }

  format(words: string): this {
    return this.add('F', text(words));
  }

  info(key: string, value: Uint8Array): this {
    return this.add('I', u8(key.length), text(key), value);
  }

  multi(continued: number, key: string, value: Uint8Array): this {
    return this.add('M', u8(continued, key.length), text(key), value);
  }

  parameter(key: string, value: number): this {
    return this.add('P', u8(key.length), text(key), key.startsWith('int32_t') ? i32(value) : f32(value));
  }

  default(kinds: number, key: string, value: number): this {
    return this.add('Q', u8(kinds, key.length), text(key), key.startsWith('int32_t') ? i32(value) : f32(value));
  }

  subscribe(id: number, name: string, multi = 0): this {
    return this.add('A', u8(multi), u16(id), text(name));
  }

  unsubscribe(id: number): this {
    return this.add('R', u16(id));
  }

  data(id: number, ...fields: Uint8Array[]): this {
    return this.add('D', u16(id), ...fields);
  }

  text(level: number, time: number, words: string): this {
    return this.add('L', u8(0x30 + level), u64(time), text(words));
  }

  tagged(level: number, tag: number, time: number, words: string): this {
    return this.add('C', u8(0x30 + level), u16(tag), u64(time), text(words));
  }

  sync(): this {
    return this.add('S', SYNC);
  }

  dropout(milliseconds: number): this {
    return this.add('O', u16(milliseconds));
  }

  bytes(): Uint8Array {
    return concat(...this.pieces);
  }
}

/** The head of a small log as PX4 writes it: three topics, one with a nested type and one with padding at its end. */
export function smallHead(writer: UlogWriter = new UlogWriter(), first = 0): UlogWriter {
  return writer
    .header()
    .flags()
    .info('char[5] ver_hw', text('BOARD'))
    .info('uint32_t ver_sw_release', i32(0x010b02ff))
    .multi(0, 'char[4] boot_console_output', text('boot'))
    .multi(1, 'char[3] boot_console_output', text('ing'))
    .multi(0, 'uint8_t[70] metadata_events', new Uint8Array(70).fill(7))
    .format('attitude:uint64_t timestamp;float[4] q;bool good;uint8_t[3] _padding0;')
    .format('esc_status:uint64_t timestamp;uint16_t counter;esc[2] esc;')
    .format('esc:int32_t rpm;uint8_t state;uint8_t[3] _padding0;')
    .format('names:uint64_t timestamp;char[8] name;int64_t far;double[2] place;')
    .parameter('int32_t SYS_AUTOSTART', 4001)
    .parameter('float MC_ROLL_P', 6.5)
    .default(1, 'float MC_ROLL_P', 6)
    .subscribe(first, 'attitude')
    .subscribe(first + 1, 'esc_status')
    .subscribe(first + 2, 'names')
    .subscribe(first + 3, 'attitude', 1);
}

/** A small log with messages of every kind, as PX4 writes one. */
export function smallLog(rounds = 40, withSync = true): UlogWriter {
  const writer = smallHead();
  for (let i = 0; i < rounds; i++) {
    const time = 1_000_000 + i * 10_000;
    const q = [f32(Math.cos(i)), f32(Math.sin(i)), f32(0), f32(Number.NaN)];
    writer.data(0, u64(time), ...q, u8(i % 5 === 0 ? 0xa2 : i & 1));
    writer.data(1, u64(time + 100), u16(i), i32(-i * 1000), u8(3, 0, 0, 0), i32(i), u8(4, 9, 9, 9));
    if (i % 3 === 0) writer.data(2, u64(time + 200), text('name\0\0\0\0'), u64(2n ** 63n + BigInt(i)), u64(1), u64(2));
    if (i % 4 === 0) writer.data(3, u64(i === 8 ? 0 : time + 300), ...q, u8(1));
    if (i % 7 === 0) writer.text(i % 8, time + 400, `[commander] text ${i}`);
    if (i % 11 === 0) writer.tagged(4, i, time + 500, `tagged ${i}`);
    if (i % 13 === 0) writer.dropout(i + 5);
    if (i === 20) writer.parameter('float MC_ROLL_P', 7.25).info('char[4] late', text('info'));
    if (withSync && i % 5 === 0) writer.sync();
  }
  return writer;
}
