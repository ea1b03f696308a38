import { describe, expect, it } from 'vitest';
import { plainMessage } from '../../../test/formats/mavlink/message.ts';
import { hexOf } from '../../core/text.ts';
import { builtinDialect } from './dialect/builtin.ts';
import { compileDialect } from './dialect/compile.ts';
import type { MessageDefinition } from './dialect/definition.ts';
import { type EncodeOptions, Encoder, encodeMessage } from './encode.ts';
import type { FieldValue } from './payload.ts';

const dialect = builtinDialect();
const from = { sequence: 0, system: 1, component: 1 };

function definition(name: string): MessageDefinition {
  for (const list of dialect.messages.values()) for (const one of list) if (one.name === name) return one;
  throw new Error(`no message ${name}`);
}

function encode(name: string, values: Record<string, FieldValue>, options: Partial<EncodeOptions> = {}): Uint8Array {
  return encodeMessage(definition(name), values, { ...from, ...options });
}

/** The values of a frame as the plain decoder sees them. */
function decoded(name: string, frame: Uint8Array): Record<string, unknown> {
  const found = plainMessage(frame, definition(name));
  if (typeof found === 'string') throw new Error(found);
  return found.values;
}

describe('a frame', () => {
  it('of version 2 is what an autopilot sends', () => {
    const values = { type: 2, autopilot: 3, base_mode: 81, system_status: 4 };
    const frame = encode('HEARTBEAT', values, { sequence: 1 });
    expect(hexOf(frame)).toBe('fd090000010101000000000000000203510403f790');
  });

  it('has all three bytes of the number of its message', () => {
    const xml =
      '<mavlink><messages><message id="74565" name="FAR"><field type="uint8_t" name="a">b</field></message></messages></mavlink>';
    const [far] = compileDialect(new Map([['my.xml', xml]]), 'my.xml').messages.get(0x012345) ?? [];
    expect([...encodeMessage(far, { a: 5 }, from).subarray(0, 11)]).toEqual([0xfd, 1, 0, 0, 0, 1, 1, 0x45, 0x23, 1, 5]);
  });

  it('of version 1 is what an autopilot sends', () => {
    const values = { type: 1, autopilot: 3, base_mode: 89, custom_mode: 11, system_status: 5 };
    const frame = encode('HEARTBEAT', values, { version: 1, sequence: 6 });
    expect(hexOf(frame)).toBe('fe09060101000b0000000103590503297d');
  });

  it('keeps the first byte of a payload of zeros', () => {
    const frame = encode('ATTITUDE', {});
    expect(frame[1]).toBe(1);
    expect(frame).toHaveLength(13);
    expect(decoded('ATTITUDE', frame)).toMatchObject({ time_boot_ms: 0, yawspeed: 0 });
  });

  it('loses only the zeros at its end', () => {
    expect(encode('ATTITUDE', { time_boot_ms: 0x0100 })[1]).toBe(2);
    expect(encode('ATTITUDE', { yawspeed: 1 })[1]).toBe(28);
  });

  it('has extensions in version 2 only', () => {
    const values = { load: 7, onboard_control_sensors_health_extended: 1 };
    expect(encode('SYS_STATUS', values)[1]).toBe(40);
    expect(encode('SYS_STATUS', values, { version: 1 })[1]).toBe(31);
  });

  it('of a message without fields has no payload', () => {
    const files = new Map([['a.xml', '<mavlink><messages><message id="5" name="A"/></messages></mavlink>']]);
    const [empty] = compileDialect(files, 'a.xml').messages.get(5) ?? [];
    expect(encodeMessage(empty, {}, from)).toHaveLength(12);
    expect(encodeMessage(empty, {}, { ...from, version: 1 })).toHaveLength(8);
    expect(() => encodeMessage(empty, { a: 1 }, from)).toThrow('message A has no field a: it has none');
  });

  it('has ids of 24 bits in version 2, of 8 in version 1', () => {
    expect([...encode('OPEN_DRONE_ID_BASIC_ID', {}).subarray(7, 10)]).toEqual([0x64, 0x32, 0]);
    expect(() => encode('OPEN_DRONE_ID_BASIC_ID', {}, { version: 1 })).toThrow(
      'message OPEN_DRONE_ID_BASIC_ID has id 12900, MAVLink 1 has no ids above 255',
    );
  });

  it('is handed over to be signed, marked and summed', () => {
    const seen: Uint8Array[] = [];
    const sign = (frame: Uint8Array): Uint8Array => {
      seen.push(frame.slice());
      const signed = new Uint8Array(frame.length + 13).fill(7);
      signed.set(frame);
      return signed;
    };
    const frame = encode('HEARTBEAT', { type: 2 }, { sign });
    expect(seen[0][2]).toBe(1);
    expect(typeof plainMessage(seen[0], definition('HEARTBEAT'))).toBe('object');
    expect(frame).toHaveLength(seen[0].length + 13);
    expect(frame.subarray(0, seen[0].length)).toEqual(seen[0]);
  });

  it('cannot be signed in version 1, nor by something else than a signature', () => {
    const sign = (frame: Uint8Array): Uint8Array => frame;
    expect(() => encode('HEARTBEAT', {}, { sign, version: 1 })).toThrow('MAVLink 1 has no signatures');
    expect(() => encode('HEARTBEAT', {}, { sign })).toThrow('signed frame has 21 bytes, not 34');
  });

  it.each(['sequence', 'system', 'component'])('needs a byte for its %s', (what) => {
    for (const value of [-1, 256, 1.5, Number.NaN]) {
      expect(() => encode('HEARTBEAT', {}, { [what]: value })).toThrow(`${what} is ${value}, not 0 to 255`);
    }
  });
});

describe('values', () => {
  it('that are left out are 0, but for the version', () => {
    expect(decoded('HEARTBEAT', encode('HEARTBEAT', { type: undefined, mavlink_version: undefined }))).toEqual({
      type: 0,
      autopilot: 0,
      base_mode: 0,
      custom_mode: 0,
      system_status: 0,
      mavlink_version: 3,
    });
  });

  it('that are null are the number that means missing, where there is one', () => {
    const { eph, satellites_visible, lat } = decoded(
      'GPS_RAW_INT',
      encode('GPS_RAW_INT', { eph: null, satellites_visible: null, lat: null }),
    );
    expect([eph, satellites_visible, lat]).toEqual([65535, 255, 0]);
    const { voltages } = decoded('BATTERY_STATUS', encode('BATTERY_STATUS', { voltages: null }));
    expect(voltages).toEqual(Array(10).fill(65535));
    const some = decoded('BATTERY_STATUS', encode('BATTERY_STATUS', { voltages: [1, null, 3] }));
    expect(some.voltages).toEqual([1, 65535, 3, 0, 0, 0, 0, 0, 0, 0]);
    const { pose_covariance } = decoded('ODOMETRY', encode('ODOMETRY', { pose_covariance: null }));
    expect(pose_covariance).toEqual([Number.NaN, ...Array(20).fill(0)]);
    const { gcs_secondary } = decoded('CONTROL_STATUS', encode('CONTROL_STATUS', { gcs_secondary: [null, null] }));
    expect(gcs_secondary).toEqual(Array(10).fill(0));
    expect(decoded('STATUSTEXT', encode('STATUSTEXT', { text: null })).text).toBe('');
  });

  it('of 64 bits are numbers or bigint', () => {
    const time = (value: number | bigint): unknown =>
      decoded('SYSTEM_TIME', encode('SYSTEM_TIME', { time_unix_usec: value })).time_unix_usec;
    expect(time(1_600_000_000_123_456)).toBe(1_600_000_000_123_456n);
    expect(time(2 ** 60)).toBe(2n ** 60n);
    expect(time(2n ** 64n - 1n)).toBe(2n ** 64n - 1n);
    expect(decoded('TIMESYNC', encode('TIMESYNC', { tc1: -5 })).tc1).toBe(-5n);
  });

  it('may be typed arrays, text and bytes', () => {
    const { controls } = decoded(
      'SET_ACTUATOR_CONTROL_TARGET',
      encode('SET_ACTUATOR_CONTROL_TARGET', { controls: Float32Array.of(0.5, -1) }),
    );
    expect(controls).toEqual([0.5, -1, 0, 0, 0, 0, 0, 0]);
    expect(decoded('PARAM_SET', encode('PARAM_SET', { param_id: 'SIXTEEN_LETTERS_' })).param_id).toBe(
      'SIXTEEN_LETTERS_',
    );
    expect(decoded('STATUSTEXT', encode('STATUSTEXT', { text: Uint8Array.of(72, 105) })).text).toBe('Hi');
    expect(decoded('TEST_TYPES', encode('TEST_TYPES', { c: 'x', s8: 5n, f: 2n })).c).toBe('x');
  });

  const REFUSED: readonly [string, Record<string, FieldValue>, string][] = [
    ['HEARTBEAT', { type: 256 }, 'HEARTBEAT.type is 256, uint8 holds 0 to 255'],
    ['HEARTBEAT', { type: -1 }, 'HEARTBEAT.type is -1, uint8 holds 0 to 255'],
    ['HEARTBEAT', { type: 1.5 }, 'HEARTBEAT.type is 1.5, uint8 holds integers'],
    ['HEARTBEAT', { type: Number.NaN }, 'HEARTBEAT.type is NaN, uint8 holds 0 to 255'],
    ['ATTITUDE', { time_boot_ms: 2 ** 32 }, 'ATTITUDE.time_boot_ms is 4294967296, uint32 holds 0 to 4294967295'],
    [
      'GLOBAL_POSITION_INT',
      { lat: 2 ** 31 },
      'GLOBAL_POSITION_INT.lat is 2147483648, int32 holds -2147483648 to 2147483647',
    ],
    [
      'SYSTEM_TIME',
      { time_unix_usec: 2n ** 64n },
      'SYSTEM_TIME.time_unix_usec is 18446744073709551616, uint64 holds 0 to',
    ],
    ['SYSTEM_TIME', { time_unix_usec: 0.5 }, 'SYSTEM_TIME.time_unix_usec is 0.5, uint64 holds integers'],
    ['ATTITUDE', { roll: 1e39 }, 'ATTITUDE.roll is 1e+39, float32 holds at most 3.4028234663852886e38'],
    ['ATTITUDE', { roll: 'much' }, 'ATTITUDE.roll is a text, float32 holds a number'],
    ['ATTITUDE', { roll: [1] }, 'ATTITUDE.roll is an array, float32 holds one number'],
    ['ATTITUDE', { roll: true as unknown as number }, 'ATTITUDE.roll is not a number'],
    ['ATTITUDE', { rol: 1 }, 'message ATTITUDE has no field rol: it has time_boot_ms, roll, pitch, yaw, rollspeed'],
    ['BATTERY_STATUS', { voltages: 3 }, 'BATTERY_STATUS.voltages is 3, not an array of 10'],
    ['BATTERY_STATUS', { voltages: Array(11).fill(0) }, 'BATTERY_STATUS.voltages has 11 elements, at most 10 fit'],
    ['STATUSTEXT', { text: 'ä'.repeat(26) }, 'STATUSTEXT.text has 52 bytes, at most 50 fit'],
    ['STATUSTEXT', { text: 5 }, 'STATUSTEXT.text is not a text'],
  ];

  it.each(REFUSED)('of %s that do not fit are refused: %o', (name, values, reason) => {
    expect(() => encode(name, values)).toThrow(reason);
  });

  it('may have any name', () => {
    const text =
      '<mavlink><messages><message id="5" name="A"><field type="int8_t" name="__proto__"/></message></messages></mavlink>';
    const [odd] = compileDialect(new Map([['a.xml', text]]), 'a.xml').messages.get(5) ?? [];
    expect(encodeMessage(odd, Object.fromEntries([['__proto__', 9]]), from)[10]).toBe(9);
    expect(encodeMessage(odd, {}, from)[10]).toBe(0);
  });
});

describe('an encoder', () => {
  it('counts its own frames, and only those that it made', () => {
    const encoder = new Encoder(dialect, { system: 255, component: 190 });
    const other = new Encoder(dialect, { system: 1, component: 1, version: 1 });
    for (let i = 0; i < 300; i++) {
      expect(encoder.sequence).toBe(i & 0xff);
      expect(encoder.message('HEARTBEAT', { type: 6 })[4]).toBe(i & 0xff);
    }
    expect(() => encoder.message('HEARTBEAT', { type: 600 })).toThrow('HEARTBEAT.type');
    expect(encoder.sequence).toBe(44);
    expect(other.message('HEARTBEAT', {})[2]).toBe(0);
  });

  it('knows the messages of its dialect', () => {
    const encoder = new Encoder(builtinDialect('minimal'), { system: 1, component: 1 });
    expect(() => encoder.message('ATTITUDE', {})).toThrow('no message ATTITUDE in dialect minimal');
    const both = new Encoder(dialect, { system: 1, component: 1 });
    expect(both.message('SCRIPT_COUNT', { count: 1 })[7]).toBe(183);
    expect(both.message('AUTOPILOT_VERSION_REQUEST', { target_system: 1 })[7]).toBe(183);
  });

  it('takes the first of two definitions with one name', () => {
    const [mine, other] = [definition('HEARTBEAT'), { ...definition('ATTITUDE'), name: 'HEARTBEAT' }];
    const messages = new Map([mine, other].map((one) => [one.id, [one]] as const));
    const encoder = new Encoder({ name: 'two', messages, enums: new Map() }, { system: 1, component: 1 });
    expect(encoder.message('HEARTBEAT', { type: 1 })[7]).toBe(0);
  });
});
