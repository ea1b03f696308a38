import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encodeXbusBaudrate,
  encodeXbusFrame,
  encodeXbusMessage,
  encodeXbusOutputConfiguration,
  encodeXbusPacket,
} from './encode.ts';
import { FIXED_ITEMS, REAL_ITEMS } from './items.ts';
import { sizeOf } from './layout.ts';
import { BAUD_RATES, MESSAGES, messageName } from './messages.ts';
import { parseXbusFrame, type XbusFrame, type XbusParseOptions } from './parse.ts';
import { LOCAL_FRAMES, NUMBER_FORMATS, xdiOf } from './schema.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function parsed(bytes: Uint8Array, options: XbusParseOptions = {}): XbusFrame {
  const result = parseXbusFrame(bytes, { keepInvalid: true, ...options });
  if (!result.ok) expect.fail(result.reason);
  return result.frame;
}

describe('frames', () => {
  test.each([
    ['GoToConfig', {}, 'faff3000d1'],
    ['GoToMeasurement', {}, 'faff1000f1'],
    ['ReqDID', {}, 'faff000001'],
    ['Baudrate', {}, 'faff1800e9'],
    ['Error', { code: 4 }, 'faff420104ba'],
    ['GoToConfigAck', {}, 'faff3100d0'],
    ['LocationID', { id: 0x1234 }, 'faff8402123435'],
    ['OptionFlags', { set: 1, clear: 2 }, 'faff4808000000010000000 2ae'.replace(' ', '')],
  ])('%s', (name, values, expected) => {
    expect(hex(encodeXbusMessage(name, values))).toBe(expected);
  });

  test('any data come back, with any header and by both rules', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 700 }),
        fc.integer({ min: 0, max: 255 }),
        fc.constantFrom('protocol' as const, 'inverted' as const),
        (data, bus, checksum) => {
          const frame = encodeXbusFrame(0x91, data, { bus, checksum });
          expect(frame.length).toBe(data.length + (data.length > 254 ? 7 : 5));
          expect(parsed(frame, { checksum })).toMatchObject({ bus, checksum, length: frame.length });
          if (data.length > 0) expect(parsed(frame, { checksum }).data.data).toEqual(Uint8Array.from(data));
        },
      ),
    );
  });

  test('too much data is a mistake', () => {
    expect(() => encodeXbusFrame(0x91, new Uint8Array(8193))).toThrow('frame has 8193 bytes of data, at most 8192 fit');
  });
});

describe('items', () => {
  test.each([...REAL_ITEMS.values()].map(({ name, fields }) => ({ name, fields })))(
    '$name comes back in every number format and local frame',
    ({ name, fields }) => {
      for (const format of NUMBER_FORMATS) {
        for (const frame of LOCAL_FRAMES) {
          const data = Object.fromEntries(fields.map((field, k) => [field, k % 2 ? -1.25 - k : 3.5 + k]));
          const [item] = parsed(encodeXbusPacket([{ item: name, format, frame, data }])).items;
          expect(item.name).toBe(name);
          expect({ ...item.data }).toEqual(data);
          expect(item.xdi).toBe(xdiOf(name, format, frame));
        }
      }
    },
  );

  test('numbers of every format are as near as it allows', () => {
    fc.assert(
      fc.property(fc.double({ min: -2000, max: 2000, noNaN: true }), (value) => {
        for (const [format, step] of [
          ['fp12.20', 2 ** -20],
          ['fp16.32', 2 ** -32],
          ['float64', Number.EPSILON * 2000],
          ['float32', 2 ** -13],
        ] as const) {
          const [item] = parsed(encodeXbusPacket([{ item: 'Temperature', format, data: { value } }])).items;
          expect(Math.abs((item.data.value as number) - value)).toBeLessThanOrEqual(step / 2);
        }
      }),
    );
  });

  test.each([...FIXED_ITEMS.values()].filter(({ layouts }) => layouts.length > 0))(
    '$name comes back',
    ({ name, layouts }) => {
      for (const layout of layouts) {
        const item = xdiOf(name);
        const sent = Uint8Array.from({ length: sizeOf(layout) }, (_, k) => (k * 37 + 11) & 0xff);
        const [{ data }] = parsed(encodeXbusPacket([{ item, data: sent }])).items;
        const [again] = parsed(encodeXbusPacket([{ item, data }])).items;
        expect({ ...again.data }).toEqual({ ...data });
      }
    },
  );

  test.each([
    ['UtcTime', { ns: 250_000_000, year: 2024, month: 5, day: 17, hour: 12, minute: 34, second: 56, flags: 7 }],
    ['StatusByte', { value: 5 }],
    ['StatusWord', { value: 0x01800007 }],
    ['GnssPvtData', { itow: 5, lat: 57.6794453, lon: -11.8825704, hAcc: 2259, gdop: 1.54, headMot: 123.45678 }],
    ['GnssSatInfo', { itow: 9, numSVs: 2, gnssId: [0, 6], svId: [3, 4], cno: [40, 41], flags: [8, 15] }],
  ])('%s comes back', (item, data) => {
    const [found] = parsed(encodeXbusPacket([{ item, data }])).items;
    for (const [field, value] of Object.entries(data)) {
      expect(found.data[field]).toEqual(value);
    }
  });

  test('names of another specification are understood', () => {
    expect(xdiOf('ACCELERATION_NED')).toBe(0x4024);
    expect(xdiOf('QUATERNION_NED')).toBe(0x2014);
    expect(xdiOf('EULER_ANGLES', 'float64')).toBe(0x2033);
    expect(xdiOf('STATUS_WORD')).toBe(0xe020);
  });

  test.each([
    ['Nonsense', {}, 'unknown item Nonsense'],
    ['PacketCounter', { value: 65_536 }, 'field value is 65536, not 0 to 65535'],
    ['PacketCounter', { value: 1.5 }, 'field value is 1.5, not an integer'],
    ['PacketCounter', { counter: 1 }, 'item PacketCounter has no fields counter'],
  ])('%s with %j is a mistake', (item, data, message) => {
    expect(() => encodeXbusPacket([{ item, data }])).toThrow(message);
  });

  test('a number that a format cannot hold is a mistake', () => {
    const big = { item: 'AltitudeEllipsoid', data: { value: 5000 } } as const;
    expect(() => encodeXbusPacket([{ ...big, format: 'fp12.20' }])).toThrow(RangeError);
    expect(() => encodeXbusPacket([{ ...big, data: { value: 40_000 }, format: 'fp16.32' }])).toThrow(RangeError);
  });
});

describe('messages', () => {
  test.each([...MESSAGES].map(([id, { layouts }]) => ({ name: messageName(id), id, layouts })))(
    '$name comes back',
    ({ name, id, layouts }) => {
      for (const layout of layouts) {
        const sent = Uint8Array.from({ length: sizeOf(layout) }, (_, k) => (k * 29 + 5) & 0x7f);
        const { data } = parsed(encodeXbusFrame(id, sent));
        expect({ ...parsed(encodeXbusMessage(name, data)).data }).toEqual({ ...data });
      }
    },
  );

  test('a device id takes 32 bits, or 64 where it does not fit', () => {
    for (const [id, length] of [
      [0x1234_5678, 4],
      [0xffff_ffff, 4],
      [0x1_0000_0000n, 8],
      [2n ** 63n, 8],
    ] as const) {
      const frame = encodeXbusMessage('DeviceID', { id });
      expect([frame.length, BigInt(parsed(frame).data.id as number)]).toEqual([5 + length, BigInt(id)]);
    }
  });

  test('lists come back', () => {
    const one = encodeXbusMessage('AvailableFilterProfiles', { type: 1, version: 4, label: 'General' });
    expect(parsed(one).data).toMatchObject({ type_1: 1, version_1: 4, label_1: 'General' });
    expect(parsed(one).data).not.toHaveProperty('type_2');
    const profiles = encodeXbusMessage('AvailableFilterProfiles', {
      type: [1, 2],
      version: [4, 4],
      label: ['General', 'High_mag'],
    });
    expect(parsed(profiles).data).toMatchObject({ type_1: 1, label_1: 'General', type_2: 2, label_2: 'High_mag' });
    expect(parsed(encodeXbusMessage('ProductCode', { text: 'MTi-3' })).data).toMatchObject({ text: 'MTi-3' });
    expect(parsed(encodeXbusMessage('EMTS', { data: Uint8Array.of(1, 2) })).data).toMatchObject({
      data: Uint8Array.of(1, 2),
    });
  });

  test('the output of a device is configured by name', () => {
    const frame = encodeXbusOutputConfiguration([
      { item: 'PacketCounter' },
      { item: 'SampleTimeFine' },
      { item: 'Quaternion', frequency: 100 },
      { item: 'Acceleration', frequency: 400 },
      { item: 'RateOfTurn', frequency: 400 },
      { item: 'MagneticField', frequency: 100 },
      { item: 'StatusWord' },
      { item: 'LatLon', format: 'fp16.32', frequency: 100 },
      { item: 'AltitudeEllipsoid', format: 'fp16.32', frequency: 100 },
      { item: 'VelocityXYZ', format: 'fp16.32', frequency: 100 },
    ]);
    expect(hex(frame)).toBe(
      'faffc0281020ffff1060ffff201000644020019080200190c0200064e020ffff5042006450220064d012006473',
    );
  });

  test('baud rates have the numbers of the manual', () => {
    const rates = '00=460800 01=230400 02=115200 03=76800 04=57600 05=38400 06=28800 07=19200 08=14400 09=9600';
    const more = '0a=921600 0b=4800 0c=2000000 0d=4000000 0e=3686400 80=921600';
    const list = [...BAUD_RATES].map(([id, rate]) => `${id.toString(16).padStart(2, '0')}=${rate}`);
    expect(list.sort().join(' ')).toBe(`${rates} ${more}`);
  });

  test('baud rates are set by their number', () => {
    expect(parsed(encodeXbusBaudrate(115_200)).data).toEqual(expect.objectContaining({ rate: 2 }));
    expect(parsed(encodeXbusBaudrate(921_600)).data.rate).toBe(0x80);
    expect(() => encodeXbusBaudrate(12_345)).toThrow(/^baud rate 12345: must be one of 4000000/);
  });

  test.each([
    ['Nonsense', {}, 'unknown message Nonsense'],
    ['LocationID', { location: 1 }, 'message LocationID has no fields location'],
    ['Warning', { code: 1, text: 'x'.repeat(129) }, 'field text has 129 bytes, at most 128 fit'],
  ])('%s with %j is a mistake', (name, values, message) => {
    expect(() => encodeXbusMessage(name, values)).toThrow(message);
  });
});
