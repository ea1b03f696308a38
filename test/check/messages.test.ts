import { describe, expect, test } from 'vitest';
import { Checker, type CheckOptions, type CheckResult, checkBytes } from '../../src/check/checker.ts';
import { sentenceOf, type Violation } from '../../src/check/violation.ts';
import { x25, x25Byte } from '../../src/core/checksum.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import type { MessageDefinition } from '../../src/formats/mavlink/dialect/definition.ts';
import { type EncodeOptions, encodeMessage } from '../../src/formats/mavlink/encode.ts';
import { SigningKey } from '../../src/formats/mavlink/key.ts';
import type { FieldValue } from '../../src/formats/mavlink/payload.ts';
import { Signer } from '../../src/formats/mavlink/signing.ts';
import { concat, Random } from '../suite/random.ts';

const definitions = [...builtinDialect().messages.values()].flat();

function message(
  name: string,
  values: Record<string, FieldValue> = {},
  options: Partial<EncodeOptions> = {},
): Uint8Array {
  const definition = definitions.find((each) => each.name === name) as MessageDefinition;
  return encodeMessage(definition, values, { sequence: 0, system: 1, component: 1, ...options });
}

/** With a time before it. */
function stamped(frame: Uint8Array, time = 1_700_000_000_000_000n): Uint8Array {
  const record = new Uint8Array(8 + frame.length);
  new DataView(record.buffer).setBigUint64(0, time);
  record.set(frame, 8);
  return record;
}

/** GPS_RAW_INT whose payload of a length is not cut; only its first bytes are given. */
function encodePlain(length: number, first: Uint8Array): Uint8Array {
  const { id, crcExtra } = definitions.find(({ name }) => name === 'GPS_RAW_INT') as MessageDefinition;
  const frame = new Uint8Array(10 + length + 2);
  frame.set([0xfd, length, 0, 0, 0, 1, 1, id]);
  frame.set(first, 10);
  const sum = x25Byte(x25(frame, 1, 10 + length), crcExtra);
  frame.set([sum & 0xff, sum >> 8], 10 + length);
  return frame;
}

const told = (bytes: Uint8Array, options: CheckOptions = {}): string[] =>
  checkBytes(bytes, { all: true, ...options }).violations.map(
    (violation) => `${violation.level}: ${sentenceOf(violation)}`,
  );

function inPieces(bytes: Uint8Array, options: CheckOptions, random: Random): CheckResult {
  const checker = new Checker(options);
  for (let at = 0; at < bytes.length; ) {
    const size = random.between(0, random.pick([1, 13, 200, 5000]));
    if (!checker.push(bytes.subarray(at, at + size))) break;
    at += size;
  }
  return checker.end();
}

const attitude = message('ATTITUDE', { time_boot_ms: 1000, roll: 0.5, yawspeed: 1 });
const position = message('GLOBAL_POSITION_INT', { time_boot_ms: 1000, lat: 473977420, hdg: 65535 });
const heartbeat = message('HEARTBEAT', { type: 2, autopilot: 3, base_mode: 81, system_status: 4 });
const five = [attitude, position, heartbeat, attitude, position];

describe('a stream of messages', () => {
  test('passes as it is, of both versions', () => {
    const first = message('ATTITUDE', { roll: 1 }, { version: 1 });
    const result = checkBytes(concat(...five, first));
    expect(result).toMatchObject({ verdict: 'pass', violations: [] });
    expect(result.levels.map(({ level, checked }) => [level, checked])).toEqual([
      ['structure', 6],
      ['crc', 6],
    ]);
  });

  test('a wrong checksum is told with both, where it stands', () => {
    const bytes = concat(...five);
    const at = attitude.length + position.length - 2;
    bytes[at] ^= 0xff;
    const right = position.subarray(-2);
    const hex = (pair: readonly number[]): string => pair.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    expect(told(bytes)).toEqual([
      `crc: offset ${at} (0x${at.toString(16)}), record 2, GLOBAL_POSITION_INT, crc: expected ${hex([...right])}, found ${hex([right[0] ^ 0xff, right[1]])}`,
    ]);
  });

  test('a changed byte of the payload is a wrong checksum, every byte of it', () => {
    const bytes = concat(...five);
    for (let at = attitude.length + 10; at < attitude.length + position.length; at++) {
      bytes[at] ^= 0x40;
      const { levels, violations } = checkBytes(bytes, { all: true });
      expect(levels.map(({ level, verdict }) => [level, verdict])).toEqual([
        ['structure', 'pass'],
        ['crc', 'fail'],
      ]);
      expect(violations).toHaveLength(1);
      expect(violations[0]).toMatchObject({ record: 2, offset: attitude.length + position.length - 2 });
      bytes[at] ^= 0x40;
    }
  });

  test('no byte can change without a violation', () => {
    const bytes = concat(...five);
    for (let at = 0; at < bytes.length; at++) {
      const right = bytes[at];
      for (const byte of [right ^ 1, right ^ 0x80, 0xfd, 0xfe, 0]) {
        bytes[at] = byte;
        expect(checkBytes(bytes).verdict).toBe(byte === right ? 'pass' : 'fail');
      }
      bytes[at] = right;
    }
  });

  test('a message that ends where none follows is a violation of crc too', () => {
    const bytes = concat(...five);
    bytes[attitude.length + 1] += 3;
    expect(told(bytes).map((text) => text.split(':')[0])).toEqual(['structure', 'crc']);
    bytes[attitude.length] = 0x20;
    expect(told(bytes).map((text) => text.split(':')[0])).toEqual(['structure']);
  });

  test('a checksum of the payload without zeros that came or went is explained', () => {
    const cut = message('GPS_RAW_INT', { time_usec: 1, fix_type: 3, satellites_visible: 9 });
    const longer = concat(cut.subarray(0, -2), new Uint8Array(15), cut.subarray(-2));
    longer[1] += 15;
    expect(told(concat(attitude, longer, attitude))[0]).toContain(
      `, which is right for the first ${cut[1]} bytes of the payload: zeros were added after them`,
    );
    const whole = message('GPS_RAW_INT', { time_usec: 1, yaw: 7 });
    const early = message('GPS_RAW_INT', { time_usec: 1 });
    // the checksum of all bytes with the length that they had, then cut
    const full = encodePlain(52, whole.subarray(10, 18));
    const shorter = concat(early.subarray(0, -2), full.subarray(-2));
    expect(told(concat(attitude, shorter, attitude))[0]).toContain(
      ', which is right for 52 bytes of payload: zeros were cut off after them',
    );
    const damaged = attitude.slice();
    damaged[20] ^= 1;
    expect(told(concat(attitude, damaged, attitude))[0]).toMatch(/found [0-9a-f]{2} [0-9a-f]{2}$/);
  });

  test('bytes between messages, an unknown id, unknown flags and a cut are told', () => {
    const unknown = attitude.slice();
    unknown.set([0xff, 0xff, 0x7f], 7);
    const odd = attitude.slice();
    odd[2] = 0x82;
    const bytes = concat(attitude, Uint8Array.of(1, 2, 3), position, unknown, odd, heartbeat, position.subarray(0, 20));
    const lengths = [attitude.length, attitude.length + 3 + position.length];
    expect(told(bytes)).toEqual([
      `structure: offset ${lengths[0]} (0x${lengths[0].toString(16)}), record 2, mavlink: expected a message, found 01, 3 bytes outside any message`,
      `crc: offset ${lengths[1] + 7} (0x${(lengths[1] + 7).toString(16)}), record 3, mavlink header, message id: expected an id that has a definition, found 8388607, whose crc cannot be verified`,
      `structure: offset ${lengths[1] + 42} (0x${(lengths[1] + 42).toString(16)}), record 4, mavlink header, incompatibility flags: expected 00 or 01, found 82`,
      `structure: offset ${bytes.length} (0x${bytes.length.toString(16)}), record 6, mavlink: expected the rest of a message, found the end`,
    ]);
  });

  test('cut after every byte, the missing one is told', () => {
    const bytes = concat(...five);
    const ends = new Set<number>();
    let end = 0;
    for (const each of five) {
      end += each.length;
      ends.add(end);
    }
    for (let cut = attitude.length; cut <= bytes.length; cut++) {
      const { levels } = checkBytes(bytes.subarray(0, cut), { levels: ['structure'] });
      expect(levels[0].first?.offset ?? -1).toBe(ends.has(cut) ? -1 : cut);
    }
  });

  test('in a telemetry log the times are part of it', () => {
    const records = five.map((frame) => stamped(frame));
    expect(checkBytes(concat(...records)).verdict).toBe('pass');
    const without = concat(...records.slice(0, 2), heartbeat, ...records.slice(3));
    const at = records[0].length + records[1].length;
    expect(told(without)).toEqual([
      `structure: offset ${at} (0x${at.toString(16)}), record 3, mavlink: expected a time and a message, found fd, a message without a time`,
    ]);
    const torn = concat(...records.slice(0, 2), records[2].subarray(3), ...records.slice(3));
    expect(told(torn)).toEqual([expect.stringContaining(`structure: offset ${at} `) as unknown as string]);
  });
});

describe('signatures', () => {
  const key = SigningKey.fromPassphrase('correct horse battery staple');
  const signer = (): Signer => new Signer({ key, link: 1, now: () => 1_700_000_000_000 });

  test('each verdict has its violation', () => {
    const sign = signer();
    const signed = (name: string, by = sign): Uint8Array =>
      message(name, { roll: 1 }, { sign: (frame) => by.sign(frame) });
    const first = signed('ATTITUDE');
    const second = signed('ATTITUDE');
    const foreign = signed(
      'ATTITUDE',
      new Signer({ key: SigningKey.fromPassphrase('other'), link: 1, now: () => 1.8e12 }),
    );
    expect(
      checkBytes(concat(first, second), { keys: [key] }).levels.map(({ level, verdict }) => [level, verdict]),
    ).toEqual([
      ['structure', 'pass'],
      ['crc', 'pass'],
      ['signature', 'pass'],
    ]);
    const bytes = concat(first, second, first, attitude, foreign);
    const found = checkBytes(bytes, { levels: ['signature'], keys: [key], all: true }).violations;
    const size = first.length;
    expect(found.map(({ offset, record, found: what }) => [offset, record, what.split(':')[0]])).toEqual([
      [3 * size - 13, 3, 'replayed'],
      [3 * size + 2, 4, 'unsigned'],
      [4 * size + attitude.length - 13, 5, 'bad-signature'],
    ]);
  });

  test('need a key', () => {
    expect(() => new Checker({ levels: ['signature'] })).toThrow('level signature needs a key');
  });
});

describe('messages that may occur', () => {
  const only = ['ATTITUDE', 'GLOBAL_POSITION_INT'];

  test('pass alone, and invalid values with them', () => {
    expect(checkBytes(concat(attitude, position), { only })).toMatchObject({ verdict: 'pass' });
    // hdg of 65535 is "unknown", beyond 35999
    expect(checkBytes(position, { only })).toMatchObject({ verdict: 'pass' });
  });

  test('others are violations with their place', () => {
    expect(told(concat(attitude, heartbeat, position), { only })).toEqual([
      'messages: offset 47 (0x2f), record 2, mavlink header, message id: expected ATTITUDE (30) or GLOBAL_POSITION_INT (33), found HEARTBEAT (0)',
    ]);
  });

  test('an enum must have the value, flags the bits', () => {
    const heart = (values: Record<string, FieldValue>): string[] =>
      told(message('HEARTBEAT', { type: 2, autopilot: 3, system_status: 4, ...values }), { only: ['HEARTBEAT'] });
    expect(heart({})).toEqual([]);
    expect(heart({ base_mode: 255 })).toEqual([]);
    expect(heart({ autopilot: 200 })).toEqual([
      expect.stringMatching(
        /^messages: offset 15 \(0xf\), record 1, HEARTBEAT, autopilot: expected a value of MAV_AUTOPILOT \(0 MAV_AUTOPILOT_GENERIC, .* and \d+ more\), found 200$/,
      ) as unknown as string,
    ]);
    const mask = (type_mask: number): string[] =>
      told(message('POSITION_TARGET_LOCAL_NED', { coordinate_frame: 1, type_mask }), {
        only: ['POSITION_TARGET_LOCAL_NED'],
      });
    expect(mask(0x0fff)).toEqual([]);
    expect(mask(0xf000)[0]).toContain(
      'POSITION_TARGET_LOCAL_NED, type_mask: expected flags of POSITION_TARGET_TYPEMASK, found 61440',
    );
  });

  test('bounds hold, for every message that has some', () => {
    const bounded = definitions.flatMap((definition) =>
      definition.fields
        .filter(
          ({ maximum, enumeration, type, count, extension, invalid }) =>
            maximum !== undefined &&
            !enumeration &&
            type === 'uint8' &&
            count === 1 &&
            !extension &&
            maximum < 254 &&
            invalid === undefined,
        )
        .map((field) => ({ definition, field })),
    );
    expect(bounded.length).toBeGreaterThan(0);
    for (const { definition, field } of bounded) {
      const most = field.maximum as number;
      const values = (value: number): Uint8Array => message(definition.name, { [field.name]: value });
      const found = (value: number): (Violation | undefined)[] =>
        checkBytes(values(value), { only: [definition.name], all: true }).violations.filter(
          ({ field: name }) => name === field.name,
        );
      expect(found(most)).toEqual([]);
      expect(found(most + 1)).toHaveLength(1);
      expect(found(most + 1)[0]).toMatchObject({ offset: 10 + field.offset, found: String(most + 1) });
    }
  });

  test('a payload longer than its definition, or empty, is refused', () => {
    const { id, crcExtra } = definitions.find(({ name }) => name === 'ATTITUDE') as MessageDefinition;
    const framed = (length: number): Uint8Array => {
      const frame = new Uint8Array(12 + length);
      frame.set([0xfd, length, 0, 0, 0, 1, 1, id]);
      const sum = x25Byte(x25(frame, 1, 10 + length), crcExtra);
      frame.set([sum & 0xff, sum >> 8], 10 + length);
      return frame;
    };
    const lengthOf = (length: number): string[] => told(concat(attitude, framed(length), attitude), { only });
    expect(lengthOf(28)).toEqual([]);
    expect(lengthOf(1)).toEqual([]);
    for (const length of [0, 29, 40])
      expect(lengthOf(length)).toEqual([
        `messages: offset 41 (0x29), record 2, ATTITUDE, payload length: expected 1 to 28, found ${length}`,
      ]);
  });

  test('a name that nobody knows is a mistake', () => {
    expect(() => new Checker({ only: ['NOTHING'] })).toThrow('no definition has the name NOTHING');
  });
});

describe('any pieces give the same', () => {
  const options: CheckOptions = { levels: ['structure', 'crc'], only: ['ATTITUDE', 'GLOBAL_POSITION_INT'], all: true };

  test.each(['raw', 'stamped'])('%s', (kind) => {
    const random = new Random(11);
    for (let round = 0; round < 150; round++) {
      const parts = Array.from({ length: random.between(2, 30) }, () => {
        const frame = random.pick(five).slice();
        if (random.chance(0.1)) frame[random.below(frame.length)] = random.bits();
        const part = kind === 'raw' ? frame : stamped(frame);
        if (random.chance(0.05)) return part.subarray(random.below(part.length));
        return random.chance(0.05) ? concat(part, random.bytes(random.below(40))) : part;
      });
      const bytes = concat(stamped(attitude).subarray(kind === 'raw' ? 8 : 0), ...parts);
      const whole = checkBytes(bytes, options);
      expect(inPieces(bytes, options, random)).toEqual(whole);
      const first = { ...options, all: false };
      expect(inPieces(bytes, first, random)).toEqual(checkBytes(bytes, first));
    }
  });

  test('random bytes neither throw nor pass', () => {
    const random = new Random(12);
    for (let round = 0; round < 400; round++) {
      const bytes = random.bytes(random.between(1, 3000));
      for (let i = random.below(40); i > 0; i--) bytes[random.below(bytes.length)] = random.pick([0xfd, 0xfe, 0, 0x0a]);
      if (round % 3 === 0) bytes.set([0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0].slice(0, bytes.length));
      const whole = checkBytes(bytes, { all: true });
      expect(whole.verdict).toBe('fail');
      expect(inPieces(bytes, { all: true }, random)).toEqual(whole);
    }
  });

  test('garbage that is full of beginnings takes no more than linear time', () => {
    const dense = new Uint8Array(1 << 20).fill(0xfd);
    const headers = concat(...Array.from({ length: 20_000 }, () => attitude.subarray(0, 10)));
    for (const bytes of [dense, headers]) {
      const began = performance.now();
      checkBytes(concat(attitude, attitude, bytes), { levels: ['structure', 'crc'], all: true });
      expect(performance.now() - began).toBeLessThan(5000);
    }
  });
});
