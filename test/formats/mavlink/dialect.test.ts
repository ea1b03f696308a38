import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtinDialect, builtinDialects } from '../../../src/formats/mavlink/dialect/builtin.ts';
import { compileDialect } from '../../../src/formats/mavlink/dialect/compile.ts';
import { compileTable } from '../../../src/formats/mavlink/dialect/compile-table.ts';
import type { Dialect, MessageDefinition } from '../../../src/formats/mavlink/dialect/definition.ts';
import { encodeMessage } from '../../../src/formats/mavlink/encode.ts';
import { many } from '../../helpers/long.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { roundTripDifference } from '../../suite/mavlink-round-trip.ts';
import { type PlainValue, plainMessage, plainSum } from './message.ts';

const all = builtinDialect();
const definitions = [...all.messages.values()].flat();
const byName = new Map(definitions.map((definition) => [definition.name, definition]));

/** A dialect as plain data: fields and names of values are made when they are asked for. */
function plain(dialect: Dialect): unknown {
  return {
    name: dialect.name,
    enums: [...dialect.enums.values()].map(({ name, bitmask, names }) => ({ name, bitmask, names: [...names] })),
    messages: [...dialect.messages].map(([id, list]) => [id, list.map(plainMessageDefinition)]),
  };
}

function plainMessageDefinition(definition: MessageDefinition): unknown {
  const { id, name, baseLength, length, crcExtra, wip, deprecation } = definition;
  const fields = definition.fields.map((field) => ({
    ...field,
    enumeration: field.enumeration && { name: field.enumeration.name, bitmask: field.enumeration.bitmask },
  }));
  return { id, name, baseLength, length, crcExtra, wip, deprecation, fields };
}

describe('the built-in dialects', () => {
  test('have the well-known checksums', () => {
    const known = {
      HEARTBEAT: 50,
      SYS_STATUS: 124,
      SYSTEM_TIME: 137,
      PARAM_VALUE: 220,
      PARAM_SET: 168,
      GPS_RAW_INT: 24,
      ATTITUDE: 39,
      ATTITUDE_QUATERNION: 246,
      GLOBAL_POSITION_INT: 104,
      RC_CHANNELS: 118,
      VFR_HUD: 20,
      COMMAND_LONG: 152,
      COMMAND_ACK: 143,
      BATTERY_STATUS: 154,
      STATUSTEXT: 83,
      SETUP_SIGNING: 71,
    };
    for (const [name, crcExtra] of Object.entries(known))
      expect([name, byName.get(name)?.crcExtra]).toEqual([name, crcExtra]);
  });

  test('hold what the official set holds, and both definitions where an id is used twice', () => {
    expect(all.messages.size).toBe(391);
    expect(all.enums.size).toBe(259);
    expect([...all.enums.values()].filter(({ bitmask }) => bitmask)).toHaveLength(64);
    expect([...all.enums.values()].reduce((sum, { names }) => sum + names.size, 0)).toBe(2325);
    expect(all.messages.get(180)?.map(({ name }) => name)).toEqual(['CAMERA_FEEDBACK', 'SCRIPT_ITEM']);
    expect(definitions).toHaveLength(396);
  });

  test('are known by the names of their files', () => {
    expect(builtinDialects()).toEqual(expect.arrayContaining(['minimal', 'standard', 'common', 'ardupilotmega']));
    expect([...builtinDialect('minimal').messages.keys()]).toEqual([0]);
    expect(builtinDialect('common').messages.size).toBe(234);
    expect(builtinDialect('ardupilotmega').messages.size).toBe(325);
    expect(
      builtinDialect('paparazzi')
        .messages.get(180)
        ?.map(({ name }) => name),
    ).toEqual(['SCRIPT_ITEM']);
    expect(() => builtinDialect('toString')).toThrow('no built-in dialect toString: there are ASLUAV, ');
  });

  test('say of fields what the definitions say', () => {
    const field = (message: string, name: string) => byName.get(message)?.fields.find((one) => one.name === name);
    expect(field('ATTITUDE', 'roll')).toMatchObject({ type: 'float32', unit: 'rad', offset: 4, count: 1 });
    expect(field('GPS_RAW_INT', 'eph')).toMatchObject({ invalid: 65535, multiplier: 0.01 });
    expect(field('BATTERY_STATUS', 'id')).toMatchObject({ instance: true });
    expect(field('BATTERY_STATUS', 'voltages')).toMatchObject({ invalid: 65535, invalidByFirst: false, count: 10 });
    expect(field('ODOMETRY', 'pose_covariance')).toMatchObject({ invalid: Number.NaN, invalidByFirst: true });
    expect(field('CONTROL_STATUS', 'gcs_secondary')).toMatchObject({
      invalid: undefined,
      invalidByElement: [0, undefined],
    });
    expect(field('AUTOPILOT_STATE_FOR_GIMBAL_DEVICE', 'landed_state')).toMatchObject({ invalid: 0 });
    expect(field('GPS_STATUS', 'satellite_azimuth')?.multiplier).toBe(360 / 255);
    expect(field('MANUAL_CONTROL', 'x')).toMatchObject({ minimum: -1000, maximum: 1000 });
    expect(field('HEARTBEAT', 'mavlink_version')?.constant).toBe(3);
    expect(field('HEARTBEAT', 'type')?.enumeration?.names.get(2)).toBe('MAV_TYPE_QUADROTOR');
    expect(field('HEARTBEAT', 'base_mode')?.enumeration).toMatchObject({ name: 'MAV_MODE_FLAG', bitmask: true });
    expect(field('SYS_STATUS', 'onboard_control_sensors_present_extended')).toMatchObject({ extension: true });
    expect(field('TEST_TYPES', 'c')).toMatchObject({ type: 'text', count: 1 });
    expect(byName.get('EVENT')?.wip).toBe(true);
    expect(byName.get('PING')?.deprecation).toEqual({ kind: 'superseded', since: '2011-08', replacedBy: 'TIMESYNC' });
    expect(byName.get('SYS_STATUS')).toMatchObject({ baseLength: 31, length: 43 });
  });
});

needShared(
  describe,
  'mavlink',
  'definitions',
)('compiled anew from the official definitions', () => {
  const folder = sharedData('mavlink', 'definitions');
  const files = new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.xml'))
      .map((file) => [file, readFileSync(`${folder}/${file}`, 'utf8')] as const),
  );

  test('the table and the types are what they were', () => {
    // in whatever order the files are found
    const { table, messages } = compileTable(new Map([...files].reverse()));
    const built = (name: string): string =>
      readFileSync(new URL(`../../../src/formats/mavlink/dialect/built-in-${name}.ts`, import.meta.url), 'utf8');
    expect(table === built('table'), 'npm run dialects').toBe(true);
    expect(messages === built('messages'), 'npm run dialects').toBe(true);
  });

  test.each([...files.keys()])('%s gives the built-in dialect', (file) => {
    const name = file.replace('.xml', '');
    const compiled = plain(compileDialect(files, file)) as { messages: [number, unknown[]][] };
    const builtin = plain(builtinDialect(name)) as typeof compiled;
    // the built-in `all` holds what the file leaves out because of ids that are used twice, behind the rest
    if (name === 'all') for (const [id, list] of builtin.messages) if (id >= 180 && id <= 184) list.length = 1;
    expect(compiled).toEqual(builtin);
  });

  test('every message has the checksum that its text gives', () => {
    const expected = new Map<string, number>();
    for (const text of files.values()) {
      for (const [, head, body] of text.replace(/<!--.*?-->/gs, '').matchAll(/<message\s([^>]*)>(.*?)<\/message>/gs)) {
        const name = /name="(.*?)"/.exec(head)?.[1] ?? '';
        expected.set(name, plainExtra(name, body.split(/<extensions\s*\/>/)[0]));
      }
    }
    expect(expected.size).toBe(396);
    expect(new Map(definitions.map(({ name, crcExtra }) => [name, crcExtra]))).toEqual(
      new Map([...expected].sort(([a], [b]) => (byName.get(a)?.id ?? 0) - (byName.get(b)?.id ?? 0))),
    );
  });

  test('no prose of theirs is in the table', () => {
    const { table } = compileTable(files);
    let texts = 0;
    for (const text of files.values()) {
      for (const [, prose] of text.matchAll(/<(?:description|field[^>]*)>([^<]{25,})</g)) {
        texts++;
        expect(table).not.toContain(prose.trim().slice(0, 40));
      }
    }
    expect(texts).toBeGreaterThan(3000);
  });
});

/** CRC_EXTRA from the text of the fields before the extensions. */
function plainExtra(message: string, body: string): number {
  const sizes: Record<string, number> = { char: 1, float: 4, double: 8 };
  const fields = [...body.matchAll(/<field\s([^>]*)>/g)].map(([, attributes]) => {
    const [, full, length] = /type="(\w+?)(?:\[(\d+)\])?"/.exec(attributes) ?? [];
    const type = full.replace('_mavlink_version', '');
    const size = sizes[type] ?? Number(/\d+/.exec(type)) / 8;
    return { type, length, size, name: /\bname="(.*?)"/.exec(attributes)?.[1] };
  });
  const bytes = [...`${message} `].map((char) => char.charCodeAt(0));
  for (const size of [8, 4, 2, 1]) {
    for (const field of fields.filter((one) => one.size === size)) {
      bytes.push(...[...`${field.type} ${field.name} `].map((char) => char.charCodeAt(0)));
      if (field.length) bytes.push(Number(field.length));
    }
  }
  const sum = plainSum(bytes);
  return (sum & 255) ^ (sum >> 8);
}

interface Sample {
  readonly msgid: number;
  readonly hex: string;
  readonly fields: Record<string, unknown>;
}

needShared(
  describe,
  'mavlink',
  'ref',
)('real frames', () => {
  const folder = sharedData('mavlink', 'ref');
  const files = readdirSync(folder).filter((file) => !file.startsWith('synthetic'));

  test.each(files)('%s: decoded and encoded again', (file) => {
    const { samples } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as { samples: Record<string, Sample[]> };
    for (const [name, list] of Object.entries(samples)) {
      const definition = byName.get(name);
      for (const sample of definition ? list : []) check(definition as MessageDefinition, sample);
    }
  });

  function check(definition: MessageDefinition, { hex, fields }: Sample): void {
    const frame = Uint8Array.from(Buffer.from(hex, 'hex'));
    const found = plainMessage(frame, definition);
    if (typeof found === 'string') throw new Error(`${definition.name} ${hex}: ${found}`);
    for (const [name, value] of Object.entries(fields))
      expect([name, wanted(value)]).toEqual([name, shown(found.values[name])]);
    const { version, sequence, system, component, values } = found;
    const again = encodeMessage(definition, texts(definition, frame, values), { version, sequence, system, component });
    expect(Buffer.from(again).toString('hex')).toBe(hex);
  }

  /** Text that has something behind its first NUL, or is not UTF-8, only makes the round trip as bytes. */
  function texts(definition: MessageDefinition, frame: Uint8Array, values: Record<string, PlainValue>) {
    const header = frame[0] === 0xfd ? 10 : 6;
    const payload = new Uint8Array(255);
    payload.set(frame.slice(header, header + frame[1]));
    const entries = definition.fields.map(({ name, type, offset, count }) =>
      type === 'text' ? [name, payload.slice(offset, offset + count)] : [name, values[name]],
    );
    return Object.fromEntries(entries) as Record<string, PlainValue>;
  }

  /** Both sides in one shape: all integers as numbers, NaN and infinities as such. */
  function shown(value: PlainValue): unknown {
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value === 'bigint') return Number(value);
    return value;
  }

  function wanted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(wanted);
    if (typeof value === 'string' && /^-?(nan|inf|infinity)$/i.test(value))
      return /nan/i.test(value)
        ? Number.NaN
        : value.startsWith('-')
          ? Number.NEGATIVE_INFINITY
          : Number.POSITIVE_INFINITY;
    if (value !== null && typeof value === 'object' && 'int' in value) return Number(value.int);
    return value;
  }
});

const MESSAGES = many(50_000, 10_000);
test(`${MESSAGES} random messages over all definitions make the round trip`, () => {
  expect(roundTripDifference(all, MESSAGES, 1)).toBeUndefined();
});
