import { describe, expect, it } from 'vitest';
import { frameBytes } from '../../../test/formats/mavlink/stream.ts';
import { CaptureWriter, ethernet, ipv4, tcp, udp } from '../../../test/formats/pcap/writer.ts';
import { decode, type Found, uncovered } from '../../../test/suite/found.ts';
import { concat, Random } from '../../../test/suite/random.ts';
import { pcap } from './index.ts';

const LINK_RAW = 101;
const RECORD_HEADER = 16;
const heartbeat = (sequence: number): Uint8Array =>
  frameBytes({ id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50, sequence: sequence & 255 });
const FRAME = heartbeat(0).length;
const noise = (length: number): Uint8Array => new Random(length).bytes(length).map((byte) => byte & 0x7f);

function read(writer: CaptureWriter): Found {
  const bytes = writer.bytes();
  const found = decode(pcap, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  return found;
}

describe('a capture', () => {
  it('says of each byte what it is, and of each flow what it carried and when', () => {
    const writer = new CaptureWriter({ linkType: LINK_RAW }).at(1e9);
    const segment = (from: number, to: number): Uint8Array => {
      const stream = concat(heartbeat(0), heartbeat(1));
      return ipv4(tcp(stream.subarray(from, to), { sequence: 7 + from }), { protocol: 6 });
    };
    const fragment = (from: number, to: number, id: number): Uint8Array =>
      ipv4(udp(heartbeat(2)).subarray(from, to), { id, offset: from, hasMore: to < 8 + FRAME });
    writer
      .packet(segment(0, 10))
      .packet(segment(5, 30))
      .packet(segment(30, 2 * FRAME));
    writer
      .packet(fragment(0, 16, 1))
      .packet(fragment(8, 8 + FRAME, 1))
      .packet(fragment(0, 8, 2));
    writer.packet(ipv4(udp(noise(30), 9, 9))).packet(ipv4(noise(12), { protocol: 2 }));
    writer.packet(ipv4(udp(concat(noise(5), heartbeat(3)), 1, 2))).raw([1, 2, 3]);
    const capture = read(writer).container?.capture?.();
    expect(capture?.bytes).toEqual({
      file: 24,
      headers: 9 * RECORD_HEADER + 3 * 40 + 2 * 20 + 8 + 20 + 28 + 28,
      other: 30 + 20 + 12,
      repeated: 5 + 8,
      records: 4 * FRAME,
      faults: 8 + 5 + 3,
    });
    expect(capture).toMatchObject({
      kind: 'pcap',
      isHeadless: false,
      packets: 9,
      start: 1e9,
      end: 1e9 + 8000,
      encrypted: 0,
    });
    const flow = {
      interface: 0,
      source: '10.0.0.1:14550',
      destination: '10.0.0.2:14580',
      missing: 0,
      faults: 0,
      carries: 'mavlink',
    };
    expect(capture?.flows).toMatchObject([
      {
        ...flow,
        protocol: 'TCP',
        source: '10.0.0.1:5760',
        destination: '10.0.0.2:40000',
        packets: 3,
        bytes: 10 + 25 + 12,
        start: 1e9,
        end: 1e9 + 2000,
        records: 2,
      },
      { ...flow, protocol: 'UDP', packets: 1, bytes: FRAME, start: 1e9 + 3000, end: 1e9 + 3000, records: 1 },
      {
        ...flow,
        protocol: 'UDP',
        source: '10.0.0.1:9',
        destination: '10.0.0.2:9',
        packets: 1,
        bytes: 30,
        carries: '',
        records: 0,
      },
      {
        ...flow,
        protocol: 'UDP',
        source: '10.0.0.1:1',
        destination: '10.0.0.2:2',
        packets: 1,
        bytes: 5 + FRAME,
        records: 1,
        faults: 1,
      },
    ]);
  });

  it('has 256 decoders, and one for all other flows', () => {
    const writer = new CaptureWriter();
    const expected: number[] = [];
    let at = 24;
    for (let n = 0; n < 2; n++)
      for (let port = 0; port < 258; port++) {
        // a frame in two packets
        for (const part of [heartbeat(n).subarray(0, 7), heartbeat(n).subarray(7)]) {
          const packet = ethernet(ipv4(udp(part, port)), 0x0800);
          if (part.length === 7) expected.push(at + RECORD_HEADER + 42);
          at += RECORD_HEADER + packet.length;
          writer.packet(packet);
        }
      }
    const found = read(writer);
    expect([...found.offsets].sort((a, b) => a - b)).toEqual(expected);
    const flows = found.container?.capture?.().flows ?? [];
    expect(flows.length).toBe(259);
    expect(flows.map(({ records }) => records)).toEqual([...new Array(256).fill(2), 0, 0, 4]);
    expect(flows.at(-1)).toMatchObject({ source: '', destination: 'other flows', interface: -1, packets: 0 });
  });

  it('keeps of a flow that nothing is known of the last 2 KiB', () => {
    const writer = new CaptureWriter();
    const packet = (payload: Uint8Array, port: number): CaptureWriter =>
      writer.packet(ethernet(ipv4(udp(payload, port)), 0x0800));
    const batch = (): void => {
      for (let n = 0; n < 2048; n++) packet(Uint8Array.of(1), 9);
    };
    // the frame begins 2,047 bytes before the end of what is looked at first
    for (const part of [noise(7000), heartbeat(0).subarray(0, 1), noise(2047)]) packet(part, 1);
    batch();
    const frames = concat(...Array.from({ length: 400 }, (_, n) => heartbeat(n)));
    packet(frames, 1);
    const capture = read(writer).container?.capture?.();
    const flow = capture?.flows[0];
    expect(flow).toMatchObject({ carries: 'mavlink', records: 400, faults: 1 });
    expect(capture?.bytes.faults).toBe(2048);
    expect(capture?.bytes.other).toBe(7000 + 2048);
  });

  it.each([
    [3600, true],
    [3601, false],
    [-1, true],
    [-2, false],
  ])('whose next packet is %i s away is steady: %s', (seconds, isSteady) => {
    const found = read(
      new CaptureWriter()
        .packet(noise(20))
        .at(1_700_000_000e6 + seconds * 1e6)
        .packet(noise(20)),
    );
    expect(found.container?.isSteady?.()).toBe(isSteady);
  });

  it.each([
    [0, []],
    [61, [1]],
    [-61, [1]],
  ])('of several files %i s apart has the seams %j', (seconds, seams) => {
    const packet = ethernet(ipv4(udp(heartbeat(0))), 0x0800);
    const time = 1_700_000_000e6;
    const first = new CaptureWriter().at(time).packet(packet).bytes();
    const next = new CaptureWriter()
      .at(time + seconds * 1e6)
      .packet(packet)
      .bytes();
    const found = decode(pcap, concat(first, next));
    expect(found.container?.seams?.()).toEqual(seams.map((n) => n * FRAME));
  });
});
