import { describe, expect, it } from 'vitest';
import { frameBytes } from '../../../test/formats/mavlink/stream.ts';
import { concat, Random } from '../../../test/suite/random.ts';
import { MavlinkParser } from './parser.ts';

const heartbeat = { id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50 };
const attitude1 = frameBytes({ version: 1, id: 30, payload: new Uint8Array(28), extra: 39, system: 7, component: 9 });

describe('MavlinkParser', () => {
  it('knows the bytes that begin a frame', () => {
    const magic = Array.from({ length: 256 }, (_, byte) => byte).filter(MavlinkParser.isMagicByte);
    expect(magic).toEqual([0xfd, 0xfe]);
  });

  it('gives who speaks, what and in which version', () => {
    const parser = new MavlinkParser();
    expect(parser.parse(frameBytes({ ...heartbeat, sequence: 5 }))).toEqual({
      valid: true,
      verified: true,
      system: 1,
      component: 1,
      messageId: 0,
      version: 2,
      name: 'HEARTBEAT',
      sequence: 5,
    });
    expect(parser.parse(attitude1)).toMatchObject({
      valid: true,
      system: 7,
      component: 9,
      version: 1,
      name: 'ATTITUDE',
    });
  });

  it('gives a packet of nobody where there is none', () => {
    expect(new MavlinkParser().parse(Uint8Array.of(1, 2, 3))).toEqual({
      valid: false,
      verified: false,
      system: 0,
      component: 0,
      messageId: 0,
      version: 0,
      name: '',
      sequence: 0,
    });
  });

  it('gives all 24 bits of an id', () => {
    const parser = new MavlinkParser();
    const unknown = frameBytes({ id: 7_000_000, payload: [1, 2, 3], extra: 17 });
    parser.parse(concat(unknown, frameBytes(heartbeat)));
    expect(parser.packets.map(({ messageId, name }) => [messageId, name])).toEqual([
      [7_000_000, 'UNKNOWN_7000000'],
      [0, 'HEARTBEAT'],
    ]);
    // EVENT, whose id of 410 would be 154 in eight bits
    const event = frameBytes({ id: 410, payload: [1], extra: 160 });
    expect(new MavlinkParser().parse(event)).toMatchObject({ messageId: 410, name: 'EVENT' });
  });

  it('takes bytes in any pieces, and several frames in one', () => {
    const parser = new MavlinkParser();
    const frame = frameBytes(heartbeat);
    for (const byte of frame.subarray(0, -1)) expect(parser.parse(Uint8Array.of(byte)).valid).toBe(false);
    expect(parser.parse(frame.subarray(-1)).valid).toBe(true);
    expect(parser.parse(concat(frame, attitude1, frame)).name).toBe('HEARTBEAT');
    expect(parser.packets.map(({ name }) => name)).toEqual(['HEARTBEAT', 'ATTITUDE', 'HEARTBEAT']);
    expect(parser.parse(new Uint8Array(0))).toMatchObject({ valid: false, name: '' });
  });

  it('gives nothing for a wrong checksum, and goes on behind it', () => {
    const parser = new MavlinkParser();
    const wrong = frameBytes(heartbeat).map((byte, i) => (i === 12 ? byte ^ 1 : byte));
    expect(parser.parse(concat(wrong, frameBytes(heartbeat))).valid).toBe(true);
    expect(parser.packets).toHaveLength(1);
    expect([...parser.faults.byCode.keys()]).toEqual(['bad-crc']);
  });

  it('counts what was lost', () => {
    const parser = new MavlinkParser();
    for (const sequence of [1, 2, 5, 4, 6, 6]) parser.parse(frameBytes({ ...heartbeat, sequence }));
    expect(parser.statistics()).toEqual([
      { stream: '1:1', received: 6, lost: 1, duplicated: 1, reordered: 1, restarted: 0 },
    ]);
  });
});

describe('a stray byte before a frame', () => {
  const frames = [
    frameBytes(heartbeat),
    frameBytes({ ...heartbeat, version: 1 }),
    attitude1,
    frameBytes({ ...heartbeat, sequence: 255, system: 250, component: 190 }),
    // of one byte: what stands in the place of the flags is one that there can be
    frameBytes({ id: 30, payload: [1], extra: 39, sequence: 3 }),
  ];

  it.each([0xfd, 0xfe])('%d holds it back in no chunking', (stray) => {
    for (const frame of frames) {
      const bytes = concat(Uint8Array.of(stray), frame);
      expect(new MavlinkParser().parse(bytes)).toMatchObject({ valid: true, system: expect.any(Number) });
      const parser = new MavlinkParser();
      const found = [...bytes].map((byte) => parser.parse(Uint8Array.of(byte)).valid);
      expect(found.lastIndexOf(true)).toBe(bytes.length - 1);
      expect(found.filter(Boolean)).toHaveLength(1);
    }
  });

  it('nor do any two bytes, or what another frame lost its end of, longer than until the end', () => {
    const random = new Random(5);
    for (let i = 0; i < 500; i++) {
      const begun = i % 2 === 0 ? random.bytes(2) : attitude1.subarray(0, 1 + random.below(30));
      const parser = new MavlinkParser();
      parser.parse(concat(Uint8Array.of(0xfd + (i % 2)), begun, frames[i % frames.length]));
      const found = parser.packets.length;
      parser.end();
      expect(found + parser.packets.length).toBeGreaterThan(0);
    }
  });

  it('and what is plausible but unfinished is decided by the end', () => {
    const parser = new MavlinkParser();
    const begun = frameBytes({ id: 30, payload: Array.from({ length: 28 }, (_, i) => i + 1), extra: 39 }).subarray(
      0,
      12,
    );
    expect(parser.parse(concat(begun, frames[0])).valid).toBe(false);
    expect(parser.end()).toMatchObject({ valid: true, verified: true, name: 'HEARTBEAT' });
    expect(parser.faults.byCode.get('cut-frame')).toMatchObject({ count: 1, bytes: 12 });
  });
});

describe('frames whose checksum cannot be verified', () => {
  it('are there, but not valid, also once their CRC_EXTRA seems to be known', () => {
    const unknown = (sequence: number): Uint8Array =>
      frameBytes({ id: 7_000_000, payload: [1, 2, 3], extra: 17, sequence });
    const parser = new MavlinkParser();
    expect(parser.parse(concat(...[0, 1, 2, 3, 4].map(unknown)))).toMatchObject({
      valid: false,
      verified: false,
      messageId: 7_000_000,
      name: 'UNKNOWN_7000000',
    });
    parser.end();
    expect(parser.statistics()[0].received).toBe(5);
    expect(parser.parse(concat(unknown(5), frameBytes(heartbeat)))).toMatchObject({ valid: true, verified: true });
    expect(parser.packets.map(({ valid }) => valid)).toEqual([false, true]);
  });
});
