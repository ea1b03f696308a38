import type { Flood } from '../../suite/hostile.ts';
import { concat, Random, repeat } from '../../suite/random.ts';
import { frameBytes } from '../mavlink/stream.ts';
import { CaptureWriter, ethernet, ipv4, tcp, udp, type WriterOptions } from './writer.ts';

const heartbeat = frameBytes({ id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50 });
const other = new Random(5).bytes(20);
const long = Array.from({ length: 50 }, (_, seed) => new Random(seed).bytes(1400));
const datagram = (payload: Uint8Array, port = 14550): Uint8Array => ethernet(ipv4(udp(payload, port)), 0x0800);
const segment = (payload: Uint8Array, sequence: number): Uint8Array =>
  ethernet(ipv4(tcp(payload, { sequence }), { protocol: 6 }), 0x0800);

/** Packets that differ from each other; then they come again. */
const DIFFERENT = 8_000;

/** A flood of packets that `make` gives one after the other. */
function flood(name: string, make: (n: number) => Uint8Array, options: WriterOptions & Partial<Flood> = {}): Flood {
  let header: Uint8Array | undefined;
  let packets = new Uint8Array(0);
  return {
    name,
    isKept: options.isKept ?? false,
    make: (length) => {
      if (!header) {
        const writer = new CaptureWriter(options);
        header = writer.bytes();
        for (let n = 0; n < DIFFERENT; n++) writer.packet(make(n));
        packets = writer.bytes().slice(header.length);
      }
      return concat(header, repeat(packets, Math.max(0, length - header.length)));
    },
  };
}

/** A capture whose records are these bytes over and over. */
function records(record: ArrayLike<number>, length: number): Uint8Array {
  const header = new CaptureWriter().bytes();
  return concat(header, repeat(record, Math.max(0, length - header.length)));
}

/** The header of a record: seconds, part, captured and original length. */
function head(...numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(numbers).buffer);
}

function blocks(make: (writer: CaptureWriter) => void, length: number): Uint8Array {
  const writer = new CaptureWriter({ kind: 'pcapng' });
  const before = writer.bytes().length;
  make(writer);
  const bytes = writer.bytes();
  return concat(bytes.subarray(0, before), repeat(bytes.subarray(before), Math.max(0, length - before)));
}

/** What makes a reader of captures work: flows without end, what never comes, records that nearly are. */
export const pcapFloods: readonly Flood[] = [
  flood('messages', () => datagram(heartbeat), { isKept: true }),
  flood('messages in pcapng', () => datagram(heartbeat), { kind: 'pcapng', isKept: true }),
  flood('messages, each in a flow of its own', (n) => datagram(heartbeat, n), { isKept: true }),
  flood('flows of other traffic', (n) => datagram(other, n)),
  flood('one flow of other traffic', () => datagram(other)),
  flood('other traffic in long packets', (n) => datagram(long[n % long.length])),
  flood('segments behind a hole', (n) => segment(other, 1000 + 40 * n)),
  flood('segments in reverse order', (n) => segment(other, 1e9 - 20 * n)),
  flood('segments far from each other', (n) => segment(other, (n * 1e8) % 2 ** 32)),
  flood('fragments that never are whole', (n) =>
    ethernet(ipv4(other.subarray(0, 16), { id: n, offset: 8 * (n % 100), hasMore: true }), 0x0800),
  ),
  flood('fragments of one packet', (n) =>
    ethernet(ipv4(other.subarray(0, 8), { offset: 16 * (n % 4000), hasMore: true }), 0x0800),
  ),
  flood('packets inside packets', () => ethernet(nested(), 0x0800)),
  { name: 'empty records', make: (length) => records(head(1_700_000_000, 0, 0, 0), length) },
  { name: 'records that claim too much', make: (length) => records(head(1_700_000_000, 0, 1e9, 1e9), length) },
  { name: 'records that reach far', make: (length) => records(head(1_700_000_000, 0, 262_144, 262_144), length) },
  {
    name: 'records that reach far, in other years',
    make: (length) => records(head(7, 0, 262_143, 262_144, 1), length),
  },
  { name: 'empty blocks', make: (length) => blocks((writer) => writer.block(99, new Uint8Array(0)), length) },
  { name: 'interfaces', make: (length) => blocks((writer) => writer.describe(1), length) },
  {
    name: 'packets of no interface',
    make: (length) => blocks((writer) => writer.packet(datagram(other), undefined, 9), length),
  },
  { name: 'blocks of wrong lengths', make: (length) => blocks((writer) => writer.raw(head(6, 64, 1, 2)), length) },
  { name: 'blocks that reach far', make: (length) => blocks((writer) => writer.raw(head(6, 1 << 20)), length) },
  { name: 'long blocks', make: (length) => blocks((writer) => writer.raw(head(5, 15 << 20)), length) },
];

function nested(): Uint8Array {
  let packet = udp(other);
  for (let n = 0; n < 40; n++) packet = ipv4(packet, { protocol: n === 0 ? 17 : 4 });
  return packet;
}
