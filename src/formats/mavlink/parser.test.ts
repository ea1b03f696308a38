import { describe, expect, it } from 'vitest';
import { frameBytes } from '../../../test/reference/mavlink-stream.ts';
import { concat } from '../../../test/suite/random.ts';
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
