import { describe, expect, it, test } from 'vitest';
import { frameBytes } from '../../../test/formats/mavlink/stream.ts';
import { CaptureWriter, ethernet, ipv4, ipv6, tcp, udp } from '../../../test/formats/pcap/writer.ts';
import { decode, difference, type Found, uncovered } from '../../../test/suite/found.ts';
import { concat } from '../../../test/suite/random.ts';
import type { Log } from '../../core/log.ts';
import { SigningKey } from '../mavlink/key.ts';
import { Signer } from '../mavlink/signing.ts';
import { openInput } from '../open.ts';
import { pcap } from './index.ts';

const heartbeat = (sequence: number, flags = 0): Uint8Array =>
  frameBytes({ id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50, sequence, flags });
const eth = (packet: Uint8Array): Uint8Array => ethernet(packet, 0x0800);
const datagram = (payload: Uint8Array, port = 14550): Uint8Array => eth(ipv4(udp(payload, port)));
const segment = (payload: Uint8Array, sequence: number, flags = 16): Uint8Array =>
  eth(ipv4(tcp(payload, { sequence, flags }), { protocol: 6 }));

function read(writer: CaptureWriter): Found {
  const bytes = writer.bytes();
  const found = decode(pcap, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  return found;
}

async function open(writer: CaptureWriter, keys?: SigningKey[]): Promise<Log> {
  return openInput(writer.bytes(), keys ? { keys } : {});
}

async function timesOf(writer: CaptureWriter): Promise<number[]> {
  return [...((await (await open(writer)).table('HEARTBEAT')?.times()) ?? [])];
}

describe('a flow', () => {
  it('is a stream of bytes: a message may lie in two packets, and is complete with the second', async () => {
    const [frame, time] = [heartbeat(0), 1_700_000_000e6];
    const writer = new CaptureWriter()
      .at(time)
      .packet(datagram(frame.subarray(0, 9)))
      .packet(datagram(frame.subarray(9)));
    const found = read(writer);
    expect([found.offsets, found.sizes, found.faults]).toEqual([[24 + 16 + 42], [frame.length], []]);
    expect(await timesOf(writer)).toEqual([time + 1000]);
    const log = await open(writer);
    expect(log.tables.map(({ offsets }) => [log.placeOf(offsets.at(0)), log.packetOf(offsets.at(0))])).toEqual([
      [82, 2],
    ]);
  });

  it('that was replayed faster than it was recorded is told by the time since boot', async () => {
    const attitude = (seconds: number): Uint8Array => {
      const payload = new Uint8Array(28);
      new DataView(payload.buffer).setUint32(0, seconds * 1000, true);
      return frameBytes({ id: 30, payload: [...payload], extra: 39, sequence: seconds });
    };
    const [time, second] = [1_700_000_000e6, 1e6];
    const flown = async (step: number): Promise<readonly string[]> => {
      const writer = new CaptureWriter();
      for (let i = 0; i < 60; i++) writer.at(time + i * step).packet(datagram(attitude(i)));
      return (await open(writer)).clock.remarks;
    };
    expect(await flown(second)).toEqual([]);
    expect(await flown(1000)).toEqual([
      "ATTITUDE took 0.059 s by packets, 59.000 s by the vehicle's time since boot: a recording was replayed",
    ]);
  });

  it('may carry a single message among much else', () => {
    const text = new TextEncoder().encode('some text that is none of the protocols that we know, '.repeat(20));
    const found = read(
      new CaptureWriter()
        .packet(datagram(text))
        .packet(datagram(heartbeat(0)))
        .packet(datagram(text)),
    );
    expect(found.count).toBe(1);
  });

  it('is told from others by addresses, ports and direction, each with its own loss', async () => {
    const writer = new CaptureWriter();
    for (let n = 0; n < 10; n++) writer.packet(datagram(heartbeat(n))).packet(datagram(heartbeat(2 * n), 14551));
    const log = await open(writer);
    expect(log.tables.map(({ name, stream, rows }) => [name, stream, rows])).toEqual([['HEARTBEAT', '1:1', 20]]);
    expect(log.streams.map(({ flow, received, lost }) => [flow, received, lost])).toEqual([
      ['10.0.0.1:14550 > 10.0.0.2:14580', 10, 0],
      ['10.0.0.1:14551 > 10.0.0.2:14580', 10, 9],
    ]);
  });

  it('of other traffic is counted and nothing else', async () => {
    const log = await open(new CaptureWriter().packet(datagram(new Uint8Array(40).fill(7))));
    expect([log.records, log.faults.count]).toEqual([0, 0]);
    expect(log.capture?.flows).toMatchObject([{ carries: '', packets: 1, bytes: 40 }]);
  });

  it('ends where its header says: what fills a packet up is no part of it', () => {
    const padded = concat(datagram(heartbeat(0)), heartbeat(1));
    expect(read(new CaptureWriter().packet(padded)).count).toBe(1);
  });
});

test.each([
  ['little-endian', {}],
  ['big-endian', { little: false }],
  ['of nanoseconds', { nanoseconds: true }],
  ['modified', { modified: true }],
  ['pcapng', { kind: 'pcapng' as const }],
])('a capture that begins far inside a file, %s, is read with its places', (_, options) => {
  const before = new Uint8Array(70_000).fill(0x41);
  const capture = new CaptureWriter(options)
    .packet(datagram(heartbeat(0)))
    .packet(datagram(heartbeat(1)))
    .bytes();
  const [alone, bytes] = [decode(pcap, capture), concat(before, capture)];
  const found = decode(pcap, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  expect(found.offsets).toEqual(alone.offsets.map((offset) => before.length + offset));
  expect(found.faults.map(({ code, offset, length }) => [code, offset, length])).toEqual([['no-header', 0, 70_000]]);
  for (const cuts of [[1], [69_999], [70_001], [70_010, 70_020], [65_536]])
    expect(difference(found, decode(pcap, bytes, cuts)), `cut at ${cuts}`).toBeUndefined();
});

describe('a cut packet', () => {
  it('makes a fault of the message that is not all there, and no record', () => {
    const whole = datagram(heartbeat(1));
    const writer = new CaptureWriter().packet(datagram(heartbeat(0))).packet(whole, whole.length - 3);
    const found = read(writer.packet(datagram(heartbeat(2))));
    expect(found.count).toBe(2);
    expect(found.faults).toMatchObject([{ code: 'cut', length: heartbeat(1).length - 3, lost: true }]);
    expect(found.faults[0].text).toContain('3 bytes of packet 2');
  });

  it('keeps the messages before the cut', () => {
    const whole = datagram(concat(heartbeat(0), heartbeat(1)));
    const found = read(new CaptureWriter().packet(whole, whole.length - heartbeat(1).length));
    expect(found.count).toBe(1);
    expect(found.faults).toMatchObject([{ code: 'cut', length: 0, lost: true }]);
  });
});

describe('TCP', () => {
  const stream = concat(...Array.from({ length: 8 }, (_, n) => heartbeat(n)));
  const part = (from: number, to: number, sequence = 100): Uint8Array =>
    segment(stream.subarray(from, to), (sequence + from) >>> 0);

  it('is put in order, across the end of its numbers, without what came again', () => {
    const at = (from: number, to: number): Uint8Array => part(from, to, 0xffffffff - 50);
    const writer = new CaptureWriter().packet(segment(new Uint8Array(0), 0xffffffff - 51, 2));
    writer.packet(at(0, 40)).packet(at(80, 168)).packet(at(20, 60)).packet(at(40, 100)).packet(at(0, 168));
    const found = read(writer);
    expect([found.count, found.faults]).toEqual([8, []]);
    expect(found.container?.capture?.().bytes.repeated).toBe(20 + 20 + 20 + 168);
  });

  it('has a header of the length that it says, and none that says too much or too little', async () => {
    const flowsOf = async (...packets: Uint8Array[]): Promise<number | undefined> => {
      const writer = new CaptureWriter();
      for (const packet of packets) writer.packet(packet);
      return (await open(writer)).capture?.flows.length;
    };
    const packet = part(0, 20);
    const header = 14 + 20 + 12;
    const saying = (words: number): Uint8Array => packet.slice().fill(words << 4, header, header + 1);
    expect(await flowsOf(saying(5))).toBe(1);
    // 20 bytes of options, so that nothing is left of the packet
    expect(await flowsOf(saying(10))).toBe(1);
    for (const words of [0, 4, 11, 15]) expect(await flowsOf(saying(words)), `${words} words`).toBe(0);
  });

  it('may begin anywhere, with its first segments out of order', () => {
    const found = read(new CaptureWriter().packet(part(80, 168)).packet(part(0, 80)));
    expect([found.count, found.faults]).toEqual([8, []]);
  });

  it('says how many bytes are missing, and goes on behind them', () => {
    const found = read(new CaptureWriter().packet(part(0, 50)).packet(part(70, 168)));
    // the hole is in the third message, and ends in the fourth
    expect(found.count).toBe(6);
    const codes = found.faults.map(({ code }) => code);
    expect(codes).toContain('tcp-hole');
    expect(found.faults.find(({ code }) => code === 'tcp-hole')?.text).toContain('20 bytes before packet 2');
  });

  it('does not wait for what the other side has got', async () => {
    const writer = new CaptureWriter().packet(part(0, 42)).packet(part(63, 168));
    const back = tcp(new Uint8Array(0), { sequence: 1, acknowledged: 268, source: 40_000, destination: 5760 });
    writer.packet(eth(ipv4(back, { protocol: 6, source: [10, 0, 0, 2], destination: [10, 0, 0, 1] })));
    // a batch of other packets, then one more segment much later
    for (let n = 0; n < 5_000; n++) writer.packet(datagram(new Uint8Array(1), 9));
    const log = await open(writer.packet(segment(heartbeat(8), 268)));
    expect(log.records).toBe(8);
    expect(log.faults.byCode.get('tcp-hole')?.count).toBe(1);
  });
});

describe('fragments', () => {
  const packet = udp(concat(heartbeat(0), heartbeat(1), heartbeat(2)));
  const fragment = (offset: number, to: number): Uint8Array =>
    eth(ipv4(packet.subarray(offset, to), { id: 7, offset, hasMore: to < packet.length }));

  it('are put together in any order, with the place of each byte', () => {
    const writer = new CaptureWriter().packet(fragment(48, 71)).packet(fragment(16, 48)).packet(fragment(0, 24));
    const found = read(writer);
    expect([found.count, found.faults]).toEqual([3, []]);
    // the first message begins with the ninth byte of the fragment that came last, the third with one that came first
    const bytes = writer.bytes();
    expect(found.offsets.map((offset) => bytes[offset])).toEqual([0xfd, 0xfd, 0xfd]);
    expect(found.offsets.at(-1)).toBe(bytes.length - 16);
    expect(found.offsets[0]).toBe(24 + 16 + 34 + 2);
  });

  it('that never are whole are a fault', () => {
    const found = read(new CaptureWriter().packet(fragment(0, 24)).packet(datagram(heartbeat(3))));
    expect(found.count).toBe(1);
    expect(found.faults).toMatchObject([{ code: 'lost-fragments', length: 24, lost: true }]);
  });

  it('of IPv6 are told by their own header', () => {
    const six = (offset: number, to: number): Uint8Array => {
      const more = to < packet.length ? 1 : 0;
      return ethernet(ipv6(packet.subarray(offset, to), 44, [17, 0, 0, offset | more, 0, 0, 0, 5]), 0x86dd);
    };
    expect(read(new CaptureWriter().packet(six(40, 71)).packet(six(0, 40))).count).toBe(3);
  });
});

describe('pcapng', () => {
  it('has sections of either byte order, interfaces with their own times, and packets without any', async () => {
    const time = 1_700_000_000_123_456;
    const writer = new CaptureWriter({ kind: 'pcapng' }).at(time).packet(datagram(heartbeat(0)));
    const other = new CaptureWriter({ kind: 'pcapng', little: false });
    // nanoseconds, and 2^-10 s with an hour added
    other.describe(1, 0, [
      [9, Uint8Array.of(9)],
      [2, new TextEncoder().encode('wlan0')],
      // if_speed, as long as if_tsoffset
      [8, Uint8Array.of(0, 0, 0, 0, 0, 0, 0x0e, 0x10)],
    ]);
    other.describe(1, 0, [
      [9, Uint8Array.of(0x8a)],
      [14, Uint8Array.of(0, 0, 0, 0, 0, 0, 0x0e, 0x10)],
    ]);
    const nanoseconds = BigInt(time) * 1000n + 499n;
    const enhanced = (number: number, units: bigint, packet: Uint8Array): Uint8Array => {
      const head = new Uint8Array(20);
      const view = new DataView(head.buffer);
      view.setUint32(0, number);
      view.setBigUint64(4, units);
      view.setUint32(12, packet.length);
      view.setUint32(16, packet.length);
      return concat(head, packet);
    };
    other.block(6, enhanced(1, nanoseconds, datagram(heartbeat(1))));
    other.block(6, enhanced(2, 1_700_000_000n * 1024n + 512n, datagram(heartbeat(2))));
    const simple = datagram(heartbeat(3));
    other.block(3, concat(Uint8Array.of(0, 0, 0, simple.length), simple));
    const log = await openInput(concat(writer.bytes(), other.bytes()));
    expect(log.faults.count).toBe(0);
    const times = await log.table('HEARTBEAT')?.times();
    expect([...(times ?? [])]).toEqual([time, time, 1_700_003_600_500_000, Number.NaN]);
    expect(log.capture?.interfaces.map(({ name, section }) => [name, section])).toEqual([
      ['', 0],
      ['', 1],
      ['wlan0', 1],
      ['', 1],
    ]);
  });

  it('may have blocks whose lengths do not agree', () => {
    const good = new CaptureWriter({ kind: 'pcapng' }).packet(datagram(heartbeat(0))).bytes();
    const bad = good.slice();
    bad[good.length - 4] ^= 4;
    const next = new CaptureWriter({ kind: 'pcapng' }).packet(datagram(heartbeat(1))).bytes();
    const found = decode(pcap, concat(bad, next));
    expect(found.count).toBe(2);
    expect(found.faults).toMatchObject([{ code: 'bad-length', length: 0 }]);
  });
});

describe('signatures', () => {
  const key = SigningKey.fromPassphrase('a phrase');
  const signed = (sequence: number, signer: Signer): Uint8Array => signer.sign(heartbeat(sequence, 1).slice(0, -13));

  it('that are sent again by somebody else are pointed out', async () => {
    const signer = new Signer({ key, link: 1, now: () => Date.UTC(2024, 0, 1) });
    const frames = [0, 1, 2].map((n) => signed(n, signer));
    const writer = new CaptureWriter();
    for (const frame of frames) writer.packet(datagram(frame));
    writer.packet(eth(ipv4(udp(frames[1], 14550), { source: [10, 0, 0, 99] })));
    const log = await open(writer, [key]);
    expect(log.records).toBe(3);
    expect(log.capture?.flows.map(({ streams }) => streams[0].signatures)).toEqual([{ valid: 3 }, { replayed: 1 }]);
    expect(log.faults.byCode.get('replayed')?.count).toBe(1);
  });
});
