import { describe, expect, test } from 'vitest';
import { encodeXbusFrame, encodeXbusMessage, encodeXbusPacket } from './encode.ts';
import { parseXbusFrame, type XbusParseOptions } from './parse.ts';

const packet = encodeXbusPacket([
  { item: 'PacketCounter', data: { value: 5 } },
  { item: 'SampleTimeFine', data: { value: 4_294_967_295 } },
  { item: 'Acceleration', data: { x: 1, y: 2, z: 9.5 } },
  { item: 'EulerAngles', format: 'float64', data: { roll: 90, pitch: 0, yaw: -90 } },
  { item: 'StatusWord', data: { value: 2 } },
]);

describe('a frame', () => {
  test('is its items and a row of IMU data', () => {
    const parsed = parseXbusFrame(packet);
    if (!parsed.ok) expect.fail(parsed.reason);
    const { frame, imu, valid } = parsed;
    expect(frame).toMatchObject({
      bus: 255,
      message: 0x36,
      name: 'MTData2',
      checksum: 'protocol',
      length: packet.length,
    });
    expect(frame.items.map(({ name, xdi, frame: local }) => [name, xdi, local])).toEqual([
      ['PacketCounter', 0x1020, undefined],
      ['SampleTimeFine', 0x1060, undefined],
      ['Acceleration', 0x4020, undefined],
      ['EulerAngles', 0x2033, 'ENU'],
      ['StatusWord', 0xe020, undefined],
    ]);
    expect(imu).toMatchObject({ packet_counter: 5, timestamp_us: 429_496_729_500, accel_z: 9.5, flags: 0xe1 });
    expect(imu?.euler_yaw).toBeCloseTo(-Math.PI / 2, 12);
    expect(imu?.data_quality).toBe(35);
    expect(valid).toBe(true);
  });

  test('without motion is not valid data', () => {
    const parsed = parseXbusFrame(encodeXbusPacket([{ item: 'PacketCounter', data: { value: 5 } }]));
    expect(parsed).toMatchObject({ ok: true, valid: false });
  });

  test('of another message is its fields', () => {
    const parsed = parseXbusFrame(encodeXbusMessage('Error', { code: 0x29 }));
    expect(parsed).toMatchObject({
      ok: true,
      imu: undefined,
      valid: false,
      frame: { name: 'Error', data: { code: 0x29 } },
    });
  });

  test('may have the checksum by the other rule if that is asked for', () => {
    const inverted = encodeXbusMessage('GoToConfig', {}, { checksum: 'inverted' });
    expect([...inverted]).toEqual([0xfa, 0xff, 0x30, 0, 0xd0]);
    expect(parseXbusFrame(inverted, { checksum: 'inverted' })).toMatchObject({
      ok: true,
      frame: { checksum: 'inverted' },
    });
    expect(parseXbusFrame(inverted)).toEqual({
      ok: false,
      reason: 'frame GoToConfig has the checksum 0xd0, expected 0xd1',
    });
    expect(parseXbusFrame(encodeXbusMessage('GoToConfig'), { checksum: 'inverted' })).toEqual({
      ok: false,
      reason: 'frame GoToConfig has the checksum 0xd1, expected 0xd0',
    });
  });

  test('of an old device is read by its set-up', () => {
    const data = new Uint8Array(12);
    new DataView(data.buffer).setFloat32(8, 30);
    const frame = encodeXbusFrame(0x32, data);
    const parsed = parseXbusFrame(frame, { setup: { mode: 4, settings: 4 } });
    if (!parsed.ok) expect.fail(parsed.reason);
    expect(parsed.frame.items).toMatchObject([{ name: 'EulerAngles', frame: 'NWU', xdi: undefined }]);
    expect(parsed.imu?.euler_yaw).toBeCloseTo(Math.PI / 6, 12);
    expect(parseXbusFrame(frame)).toMatchObject({ ok: true, frame: { items: [], data: { data } } });
    expect(parseXbusFrame(frame, { setup: { mode: 2, settings: 0 } })).toEqual({
      ok: false,
      reason: 'frame MTData has 12 bytes of data, its set-up gives 36',
    });
  });
});

describe('what is no frame says why', () => {
  const wrong = packet.map((byte, k) => (k === 30 ? byte ^ 1 : byte));

  test.each([
    [new Uint8Array(0), 'frame is empty'],
    [Uint8Array.of(0xfb, 1), 'frame begins with 0xfb, not with 0xfa'],
    [packet.subarray(0, 3), 'frame has 3 bytes, its header alone has more'],
    [packet.subarray(0, 20), `frame states ${packet.length} bytes, there are 20`],
    [Uint8Array.of(0xfa, 0xff, 0x36, 0xff, 0xff, 0xff), 'frame states 65535 bytes of data: must be at most 8192'],
    [encodeXbusFrame(0x36, [0x10, 0x20]), 'item at byte 4 has 2 bytes left, its header alone has 3'],
    [encodeXbusFrame(0x36, [0x10, 0x20, 2, 1]), 'item at byte 4 states 2 bytes of data, 1 are left'],
  ])('case %#', (bytes, reason) => {
    expect(parseXbusFrame(bytes)).toEqual({ ok: false, reason });
  });

  test('a wrong checksum says both', () => {
    expect(parseXbusFrame(wrong)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^frame MTData2 has the checksum 0x\w\w, expected 0x\w\w$/),
    });
  });

  test('one wrong byte is always seen', () => {
    for (let k = 0; k < packet.length; k++) {
      for (let wrong = 1; wrong < 256; wrong++) {
        const parsed = parseXbusFrame(packet.map((byte, n) => (n === k ? byte ^ wrong : byte)));
        expect(parsed.ok, `byte ${k}`).toBe(false);
      }
    }
  });
});

test('a position that the receiver calls invalid is missing, or kept on request', () => {
  const frame = encodeXbusPacket([{ item: 'GnssPvtData', data: { lat: 47, lon: 8, flags: 0 } }]);
  const latOf = (options?: XbusParseOptions): unknown => {
    const parsed = parseXbusFrame(frame, options);
    return parsed.ok && parsed.frame.items[0].data.lat;
  };
  expect([latOf(), latOf({ keepInvalid: false }), latOf({ keepInvalid: true })]).toEqual([null, null, 47]);
});
