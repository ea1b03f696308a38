import { concat, join } from '../../suite/random.ts';

/** How a capture is written. */
export interface WriterOptions {
  readonly kind?: 'pcap' | 'pcapng';
  readonly little?: boolean;
  readonly nanoseconds?: boolean;
  readonly modified?: boolean;
  readonly linkType?: number;
  readonly snapLength?: number;
}

/** Numbers of some bytes each, in a byte order. */
function numbers(little: boolean, ...parts: readonly (readonly [bytes: number, value: number])[]): Uint8Array {
  return concat(
    ...parts.map(([bytes, value]) => {
      const digits = Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);
      return Uint8Array.from(little ? digits : digits.reverse());
    }),
  );
}

/** Writes captures for tests, packet by packet, right or wrong. */
export class CaptureWriter {
  private readonly parts: Uint8Array[] = [];
  private readonly options: Required<WriterOptions>;
  private time = 1_700_000_000e6;

  constructor(options: WriterOptions = {}) {
    this.options = {
      kind: 'pcap',
      little: true,
      nanoseconds: false,
      modified: false,
      linkType: 1,
      snapLength: 262_144,
      ...options,
    };
    this.header();
  }

  /** A file header, or a section with one interface. */
  header(): this {
    const { kind, little, nanoseconds, modified, linkType, snapLength } = this.options;
    if (kind === 'pcapng') return this.section().describe(linkType, snapLength);
    const magic = modified ? 0xa1b2cd34 : nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4;
    return this.raw(numbers(little, [4, magic], [2, 2], [2, 4], [4, 0], [4, 0], [4, snapLength], [4, linkType]));
  }

  raw(bytes: ArrayLike<number>): this {
    this.parts.push(Uint8Array.from(bytes));
    return this;
  }

  /** A block of a pcapng file. */
  block(type: number, content: Uint8Array): this {
    const { little } = this.options;
    const padding = new Uint8Array(-content.length & 3);
    const length = 12 + content.length + padding.length;
    return this.raw(concat(numbers(little, [4, type], [4, length]), content, padding, numbers(little, [4, length])));
  }

  section(): this {
    const { little } = this.options;
    return this.block(0x0a0d0d0a, numbers(little, [4, 0x1a2b3c4d], [2, 1], [2, 0], [4, 0xffffffff], [4, 0xffffffff]));
  }

  /** An interface, with the options that are given. */
  describe(
    linkType: number,
    snapLength = 0,
    options: readonly (readonly [code: number, value: Uint8Array])[] = [],
  ): this {
    const { little } = this.options;
    const written = options.map(([code, value]) =>
      concat(numbers(little, [2, code], [2, value.length]), value, new Uint8Array(-value.length & 3)),
    );
    return this.block(1, concat(numbers(little, [2, linkType], [2, 0], [4, snapLength]), ...written));
  }

  /** The time of the packets to come, in microseconds. */
  at(time: number): this {
    this.time = time;
    return this;
  }

  /** A packet of which `captured` bytes are kept. */
  packet(bytes: Uint8Array, captured: number = bytes.length, from = 0): this {
    const { kind, little, nanoseconds, modified } = this.options;
    const { time } = this;
    this.time += 1000;
    const kept = bytes.subarray(0, captured);
    if (kind === 'pcapng') {
      const head = [from, Math.floor(time / 2 ** 32), time % 2 ** 32, kept.length, bytes.length];
      return this.block(6, concat(numbers(little, ...head.map((value) => [4, value] as const)), kept));
    }
    const part = (time % 1e6) * (nanoseconds ? 1000 : 1);
    const head = [Math.floor(time / 1e6), part, kept.length, bytes.length, ...(modified ? [0, 0] : [])];
    return this.raw(concat(numbers(little, ...head.map((value) => [4, value] as const)), kept));
  }

  bytes(): Uint8Array {
    return join(this.parts);
  }
}

const word = (value: number): number[] => [(value >> 8) & 255, value & 255];
const long = (value: number): number[] => [...word(value >>> 16), ...word(value)];

export interface IpParts {
  readonly protocol?: number;
  readonly source?: readonly number[];
  readonly destination?: readonly number[];
  readonly id?: number;
  readonly offset?: number;
  readonly hasMore?: boolean;
  readonly options?: readonly number[];
}

/** An IPv4 packet. */
export function ipv4(content: Uint8Array, parts: IpParts = {}): Uint8Array {
  const { protocol = 17, source = [10, 0, 0, 1], destination = [10, 0, 0, 2], id = 1, options = [] } = parts;
  const { offset = 0, hasMore = false } = parts;
  const header = 20 + options.length;
  const flags = (offset >> 3) | (hasMore ? 0x2000 : 0);
  const head = [0x40 | (header / 4), 0, ...word(header + content.length), ...word(id), ...word(flags), 64, protocol];
  return concat(Uint8Array.of(...head, 0, 0, ...source, ...destination, ...options), content);
}

/** An IPv6 packet; `extensions` stand before the content, of which the first says what `next` is. */
export function ipv6(content: Uint8Array, next = 17, extensions: readonly number[] = []): Uint8Array {
  const address = (last: number): number[] => [0xfe, 0x80, ...new Array(13).fill(0), last];
  const head = [0x60, 0, 0, 0, ...word(extensions.length + content.length), next, 64, ...address(1), ...address(2)];
  return concat(Uint8Array.of(...head, ...extensions), content);
}

export function udp(payload: Uint8Array, source = 14550, destination = 14580, length = payload.length + 8): Uint8Array {
  return concat(Uint8Array.of(...word(source), ...word(destination), ...word(length), 0, 0), payload);
}

export interface TcpParts {
  readonly sequence: number;
  readonly acknowledged?: number;
  readonly flags?: number;
  readonly source?: number;
  readonly destination?: number;
  readonly options?: readonly number[];
}

export function tcp(payload: Uint8Array, parts: TcpParts): Uint8Array {
  const { sequence, acknowledged = 0, flags = 16, source = 5760, destination = 40_000, options = [] } = parts;
  const ports = [...word(source), ...word(destination)];
  const header = (20 + options.length) / 4;
  const head = [...ports, ...long(sequence), ...long(acknowledged), header << 4, flags, 255, 255, 0, 0, 0, 0];
  return concat(Uint8Array.of(...head, ...options), payload);
}

export function ethernet(content: Uint8Array, ...types: readonly number[]): Uint8Array {
  return concat(Uint8Array.of(2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, ...types.flatMap(word)), content);
}
