import { concat, type Random } from '../../suite/random.ts';
import { randomMavlink } from '../mavlink/random.ts';
import { CaptureWriter, ethernet, ipv4, ipv6, tcp, udp, type WriterOptions } from './writer.ts';

/** A capture that could be one: streams of frames in packets of every kind, and some damage among them. */
export function randomPcap(random: Random): Uint8Array {
  const options: WriterOptions = {
    kind: random.pick(['pcap', 'pcapng']),
    little: random.chance(0.7),
    nanoseconds: random.chance(0.2),
    modified: random.chance(0.1),
    linkType: random.pick([1, 1, 1, 101, 147, 0, 113, 276, 9, 127, 105, 12, 228]),
  };
  const writer = new CaptureWriter(options);
  const linkType = options.linkType ?? 1;
  let sequence = random.chance(0.5) ? 0xffffff00 : random.bits();
  const late: Uint8Array[] = [];
  const add = (packet: Uint8Array): void => {
    const kind = random.below(100);
    const wrapped = wrap(random, packet, linkType);
    if (kind < 3) writer.packet(wrapped, random.below(wrapped.length + 1));
    else if (kind < 5) writer.raw(random.bytes(random.between(1, 40)));
    else if (kind < 6) writer.raw(new Uint8Array(random.between(1, 40)));
    else if (kind < 7) writer.at(random.pick([0, 1_700_000_000e6, 1_800_000_000e6]));
    else if (kind < 8) writer.header();
    if (kind >= 3) writer.packet(wrapped);
  };
  for (let n = random.between(1, 4); n > 0; n--) {
    const stream = randomMavlink(random).subarray(0, 700);
    const way = random.pick(['udp', 'udp', 'tcp', 'fragments', 'six', 'returned']);
    const port = random.pick([14550, 14551]);
    if (way === 'tcp' && random.chance(0.5))
      add(ipv4(tcp(new Uint8Array(0), { sequence: sequence - 1, flags: 2 }), { protocol: 6 }));
    for (let at = 0; at < stream.length; ) {
      const piece = stream.subarray(at, at + random.between(1, 120));
      at += piece.length;
      if (way === 'udp') add(ipv4(udp(piece, port), { options: random.chance(0.1) ? [1, 1, 1, 0] : [] }));
      else if (way === 'six') add(ipv6(udp(piece, port), ...extended(random)));
      else if (way === 'returned')
        add(ipv4(concat(Uint8Array.of(3, 3, 0, 0, 0, 0, 0, 0), ipv4(udp(piece, port))), { protocol: 1 }));
      else if (way === 'fragments') for (const part of fragments(random, udp(piece, port))) add(part);
      else {
        // some begin with bytes that were sent before
        const again = Math.min(at - piece.length, random.chance(0.1) ? random.below(20) : 0);
        const longer = stream.subarray(at - piece.length - again, at);
        const segment = ipv4(tcp(longer, { sequence: sequence - again }), { protocol: 6 });
        sequence = (sequence + piece.length) >>> 0;
        const fate = random.below(10);
        if (fate === 0) continue;
        if (fate === 1) late.push(segment);
        else add(segment);
        if (fate === 2) add(segment);
        if (late.length > 0 && random.chance(0.5)) add(late.pop() as Uint8Array);
      }
    }
  }
  const bytes = writer.bytes();
  return random.chance(0.2) ? bytes.slice(0, random.below(bytes.length + 1)) : bytes;
}

/** What stands before the content of an IPv6 packet, and what the first of it is. */
function extended(random: Random): [next: number, extensions: number[]] {
  if (random.chance(0.6)) return [17, []];
  return random.pick<[number, number[]]>([
    [0, [17, 0, 1, 4, 0, 0, 0, 0]],
    [60, [0, 0, 1, 4, 0, 0, 0, 0, 17, 0, 1, 4, 0, 0, 0, 0]],
    [44, [17, 0, 0, 0, 0, 0, 0, 9]],
  ]);
}

/** An IP packet in fragments, in any order, of which one may be missing or come again. */
function fragments(random: Random, packet: Uint8Array): Uint8Array[] {
  const size = 8 * random.between(1, 8);
  const id = random.below(4);
  const parts: Uint8Array[] = [];
  for (let offset = 0; offset < packet.length; offset += size) {
    const hasMore = offset + size < packet.length;
    parts.push(ipv4(packet.subarray(offset, offset + size), { id, offset, hasMore }));
  }
  if (random.chance(0.3)) parts.reverse();
  if (random.chance(0.1)) parts.splice(random.below(parts.length), 1);
  if (random.chance(0.1) && parts.length > 0) parts.push(random.pick(parts));
  return parts;
}

/** An IP packet as a link carries it. */
function wrap(random: Random, packet: Uint8Array, linkType: number): Uint8Array {
  const type = packet[0] >> 4 === 6 ? 0x86dd : 0x0800;
  const family = random.pick(
    type === 0x0800
      ? [
          [2, 0, 0, 0],
          [0, 0, 0, 2],
        ]
      : [
          [30, 0, 0, 0],
          [0, 0, 0, 10],
        ],
  );
  const snap = [0xaa, 0xaa, 3, 0, 0, 0, type >> 8, type & 255];
  const wireless = [0x88, 1, 0, 0, ...new Array(18).fill(1), 0, 0, 0, 0, ...snap];
  switch (linkType) {
    case 1:
      return random.pick([
        () => ethernet(packet, type),
        () => concat(ethernet(packet, type), new Uint8Array(6).fill(0xfd)),
        () => ethernet(packet, 0x8100, 5, type),
        () => ethernet(packet, 0x88a8, 5, 0x8100, 6, type),
        () => ethernet(concat(Uint8Array.of(0x11, 0, 0, 1, 0, 0, 0, type === 0x0800 ? 0x21 : 0x57), packet), 0x8864),
        () => ethernet(ipv4(packet, { protocol: type === 0x0800 ? 4 : 41 }), 0x0800),
        () =>
          ethernet(
            ipv4(concat(Uint8Array.of(0x20, 0, type >> 8, type & 255, 0, 0, 0, 7), packet), { protocol: 47 }),
            0x0800,
          ),
      ])();
    case 0:
      return concat(Uint8Array.from(family), packet);
    case 113:
      return concat(Uint8Array.of(0, 0, 0, 1, 0, 6, 1, 1, 1, 1, 1, 1, 0, 0, type >> 8, type & 255), packet);
    case 276:
      return concat(Uint8Array.of(type >> 8, type & 255, ...new Array(18).fill(0)), packet);
    case 9:
      return concat(Uint8Array.of(0xff, 3, 0, type === 0x0800 ? 0x21 : 0x57), packet);
    case 127:
      return concat(Uint8Array.of(0, 0, 9, 0, 2, 0, 0, 0, 0x10, ...wireless), packet);
    case 105:
      return concat(Uint8Array.from(wireless), packet);
    default:
      return packet;
  }
}
