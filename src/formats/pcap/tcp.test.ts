import { describe, expect, it } from 'vitest';
import { type PlainByte, PlainStream, PlainTcp } from '../../../test/formats/pcap/tcp.ts';
import { Random } from '../../../test/suite/random.ts';
import { type Carried, TcpOrder, type Waits } from './tcp.ts';

const SYN = 2;

/** What comes out of one direction of a connection: bytes with their places, and holes. */
class Heard {
  readonly said: string[] = [];
  readonly waits: Waits = { bytes: 0 };
  readonly order = new TcpOrder(this, this.waits);

  deliver({ bytes, from, to, file, packet }: Carried): void {
    for (let i = from; i < to; i++) this.said.push(`${bytes[i]} at ${file + i - from} of ${packet}`);
  }

  hole(missing: number | undefined, before: Carried | undefined): void {
    this.said.push(`${missing} missing before ${before?.file ?? 0}`);
  }

  /** A segment of bytes that are 0, 1, ... at `file`, from index 3 of a chunk on. */
  segment(sequence: number, length: number, flags = 0, missing = 0, file = 1000, packet = 1): void {
    const bytes = Uint8Array.from({ length: length + 5 }, (_, i) => i - 3);
    this.order.segment(sequence >>> 0, flags, missing, { bytes, from: 3, to: 3 + length, file, packet, time: 0 });
  }
}

describe('segments', () => {
  it('are put in order as plainly, whatever comes', () => {
    for (let seed = 0; seed < 4000; seed++) {
      const random = new Random(seed);
      const heard = new Heard();
      const stream = new PlainStream();
      const plain = new PlainTcp(stream);
      const first = random.pick([0, 0xfffffff0, 2 ** 31 - 10]);
      let given = 0;
      for (let packet = 1; packet < 30; packet++) {
        const far = random.chance(0.03) ? random.pick([2 ** 26, 2 ** 26 + 60, -(2 ** 26) - 60]) : 0;
        const sequence = (first + random.below(60) + far) >>> 0;
        const length = random.below(9);
        const flags = random.chance(0.05) ? SYN : 0;
        const missing = random.chance(0.1) ? random.below(5) : 0;
        heard.segment(sequence, length, flags, missing, packet * 100, packet);
        const bytes = Array.from({ length }, (_, i): PlainByte => ({ value: i, file: packet * 100 + i, packet }));
        plain.segment(sequence, flags, missing, bytes, packet * 100);
        given += length;
      }
      heard.order.finish();
      plain.finish();
      const { bytes, breaks } = stream;
      const expected: string[] = [];
      for (let at = 0; at <= bytes.length; at++) {
        for (const each of breaks) if (each.at === at) expected.push(`${each.missing} missing before ${each.file}`);
        if (at < bytes.length) expected.push(`${bytes[at].value} at ${bytes[at].file} of ${bytes[at].packet}`);
      }
      expect(heard.said.join(), `seed ${seed}`).toBe(expected.join());
      expect([heard.order.repeated, heard.waits.bytes]).toEqual([given - bytes.length, 0]);
    }
  });

  it('behind a hole come when the other side has got them, and no sooner', () => {
    const heard = new Heard();
    heard.segment(100, 2);
    heard.order.settle();
    heard.segment(110, 1, 0, 0, 7);
    heard.segment(120, 1, 0, 0, 8);
    for (const [acknowledged, said] of [
      [109, 2],
      [110, 4],
      [119, 4],
      [120, 6],
    ]) {
      heard.order.acknowledge(acknowledged);
      heard.order.settle();
      expect(heard.said.length).toBe(said);
    }
    expect(heard.said.slice(2)).toEqual(['8 missing before 7', '0 at 7 of 1', '9 missing before 8', '0 at 8 of 1']);
  });

  it('wait until there are 1,024 of them, or 256 KiB, or 8 MiB in all streams', () => {
    const behind = (count: number, length: number, elsewhere = 0): number => {
      const heard = new Heard();
      heard.waits.bytes = elsewhere;
      heard.segment(100, 1);
      heard.order.settle();
      for (let i = 0; i < count; i++) heard.segment(200 + 2 * length * i, length);
      return heard.said.filter((each) => each.includes('missing')).length;
    };
    expect([behind(1024, 1), behind(1025, 1)]).toEqual([0, 1]);
    expect([behind(4, 1 << 16), behind(5, 1 << 16)]).toEqual([0, 1]);
    expect([behind(1, 10, (8 << 20) - 10), behind(1, 10, (8 << 20) - 9)]).toEqual([0, 1]);
  });
});
