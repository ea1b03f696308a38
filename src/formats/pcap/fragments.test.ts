import { describe, expect, it } from 'vitest';
import { ipv4, ipv6 } from '../../../test/formats/pcap/writer.ts';
import { Random } from '../../../test/suite/random.ts';
import { Fragments, piecesOf, type Whole } from './fragments.ts';
import { FRAGMENT, Layers } from './layers.ts';

const LINK_RAW = 101;
/** What fragments carry: no byte comes twice. */
const CONTENT = Uint8Array.from({ length: 200 }, (_, i) => i);

/** Fragments as they are in packets, and what was given up. */
class Received {
  readonly lost: string[] = [];
  readonly fragments = new Fragments((bytes, { file }) => this.lost.push(`${bytes} bytes at ${file}`));
  private readonly layers = new Layers();

  /** Bytes [offset, to) of a packet, the last of `end`. The first of them is at `file`. */
  add(offset: number, to: number, end: number, file = 0, id = 1, from = 0, missing = 0): Whole | undefined {
    return this.take(ipv4(CONTENT.subarray(offset, to), { id, offset, hasMore: to < end }), file, from, missing);
  }

  take(packet: Uint8Array, file: number, from = 0, missing = 0): Whole | undefined {
    const { layers } = this;
    expect(layers.read(packet, 0, packet.length - missing, LINK_RAW, packet.length)).toBe(FRAGMENT);
    const carried = { bytes: packet, from: layers.from, to: layers.to, file, packet: file, time: file };
    return this.fragments.add(layers, carried, from);
  }
}

describe('fragments', () => {
  it('become the packet, each byte of which is the one that came first', () => {
    for (let seed = 0; seed < 2000; seed++) {
      const random = new Random(seed);
      const received = new Received();
      const end = random.pick([16, 21, 40, 64]);
      const places = new Map<number, number>();
      let [given, whole]: [number, Whole | undefined] = [0, undefined];
      for (let file = 1000; !whole && file < 1e6; file += 1000) {
        const offset = 8 * random.below(end / 8);
        const to = Math.min(end, offset + 8 * random.between(1, 3));
        if (offset === 0 && to === end) continue;
        whole = received.add(offset, to, end, file);
        given += to - offset;
        for (let i = offset; i < to; i++) if (!places.has(i)) places.set(i, file + i - offset);
        expect(whole === undefined).toBe(places.size < end);
      }
      if (!whole) throw new Error(`no packet from seed ${seed}`);
      expect([whole.addressBytes, whole.protocol, received.fragments.repeated]).toEqual([4, 17, given - end]);
      expect([...whole.bytes]).toEqual([10, 0, 0, 1, 10, 0, 0, 2, ...CONTENT.subarray(0, end)]);
      const [from, stop] = [random.below(end), random.below(end + 1)];
      const found = piecesOf(whole, 8 + from, 8 + stop).flatMap(({ from: first, to, file, packet }) =>
        Array.from({ length: to - first }, (_, i) => [first + i - 8, file + i, packet]),
      );
      const expected = Array.from({ length: Math.max(0, stop - from) }, (_, i) => [
        from + i,
        places.get(from + i),
        1000 * Math.floor((places.get(from + i) as number) / 1000),
      ]);
      expect(found).toEqual(expected);
      received.fragments.finish();
      expect(received.lost).toEqual([]);
    }
  });

  it('of different packets are kept apart', () => {
    const received = new Received();
    const half = CONTENT.subarray(0, 8);
    const first = ipv4(half, { id: 1, hasMore: true });
    expect(received.take(first, 0)).toBeUndefined();
    const others = [
      { id: 2 },
      { protocol: 6 },
      { source: [10, 0, 0, 9] },
      { source: [9, 0, 0, 1] },
      { destination: [10, 0, 0, 9] },
    ];
    for (const other of others) expect(received.take(ipv4(half, { id: 1, offset: 8, ...other }), 0)).toBeUndefined();
    expect(received.take(ipv4(half, { id: 1, offset: 8 }), 0, 1)).toBeUndefined();
    expect(received.take(ipv6(half, 44, [17, 0, 0, 8, 0, 0, 0, 1]), 0)).toBeUndefined();
    expect(received.take(ipv4(half, { id: 1, offset: 8 }), 0)).toBeDefined();
    received.fragments.finish();
    expect(received.lost.length).toBe(others.length + 2);
  });

  it('that are cut, or of which there are too many, are given up', () => {
    const received = new Received();
    // the end of the packet was not captured, so that its length is not known
    received.add(0, 16, 24, 100);
    expect(received.add(16, 24, 24, 200, 1, 0, 1)).toBeUndefined();
    received.fragments.finish();
    expect(received.lost).toEqual(['23 bytes at 100']);
    received.fragments.finish();
    expect(received.lost.length).toBe(1);
    // the oldest of more than 256, and a packet of more than 1,024 pieces
    for (let id = 1; id <= 257; id++) received.add(0, 8, 24, id, id);
    expect(received.lost.slice(1)).toEqual(['8 bytes at 1']);
    for (let i = 0; i < 1025; i++)
      received.take(ipv4(CONTENT.subarray(0, 8), { id: 257, offset: 16 * i + 16, hasMore: true }), i);
    expect(received.lost.slice(2)).toEqual([`${8 * 1025} bytes at 257`]);
  });

  it('of more than 4 MiB are given up, the oldest first', () => {
    const received = new Received();
    const content = new Uint8Array(65_000);
    const most = Math.floor((4 << 20) / content.length);
    for (let id = 0; id < most; id++) received.take(ipv4(content, { id, hasMore: true }), id);
    expect(received.lost).toEqual([]);
    received.take(ipv4(content, { id: most, hasMore: true }), most);
    expect(received.lost).toEqual(['65000 bytes at 0']);
  });
});
