// What damage of each kind costs: only what it touches.
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { UnknownFormatError } from '../../../src/core/format.ts';
import { LIMITS } from '../../../src/core/limits.ts';
import { factsOf } from '../../../src/facts/facts.ts';
import { openInput } from '../../../src/formats/open.ts';
import { ulog } from '../../../src/formats/ulog/index.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { decode, type Found, uncovered } from '../../suite/found.ts';
import { concat, Random } from '../../suite/random.ts';
import { f32, i32, message, smallHead, smallLog, UlogWriter, u8, u16, u64 } from './writer.ts';

const HEAD = 3;

/** Records of the whole log that are not found as they were, those that follow shifted by what was put in. */
function lostOf(bytes: Uint8Array, damaged: Uint8Array): { lost: number; names: Set<string>; found: Found } {
  const whole = decode(ulog, bytes);
  const found = decode(ulog, damaged);
  expect(uncovered(found, damaged.length)).toBeUndefined();
  const left = new Map<string, number>();
  const keyOf = (from: Uint8Array, of: Found, i: number): string =>
    `${of.name(i)} ${of.streams[of.ids[i]]} ${Buffer.from(from.subarray(of.offsets[i], of.offsets[i] + of.sizes[i])).toString('latin1')}`;
  for (let i = 0; i < found.count; i++) {
    const key = keyOf(damaged, found, i);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  const names = new Set<string>();
  let lost = 0;
  for (let i = 0; i < whole.count; i++) {
    const key = keyOf(bytes, whole, i);
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    else {
      lost++;
      names.add(whole.name(i));
    }
  }
  return { lost, names, found };
}

/** Puts bytes in the place of those from `at` on. */
function put(bytes: Uint8Array, at: number, ...values: number[]): Uint8Array {
  const changed = bytes.slice();
  changed.set(values, at);
  return changed;
}

function without(bytes: Uint8Array, from: number, to: number): Uint8Array {
  return concat(bytes.subarray(0, from), bytes.subarray(to));
}

/** Where the text of a message begins that holds these words. */
function placeOf(bytes: Uint8Array, words: string): number {
  const at = Buffer.from(bytes).indexOf(words, 0, 'latin1');
  expect(at).toBeGreaterThan(0);
  return at;
}

/** A message in the middle of the data, by its topic. */
function middle(bytes: Uint8Array, name: string): { at: number; size: number } {
  const found = decode(ulog, bytes);
  const rows = found.offsets.map((_, i) => i).filter((i) => found.name(i) === name);
  const i = rows[rows.length >> 1];
  return { at: found.offsets[i], size: found.sizes[i] };
}

interface Log {
  readonly bytes: Uint8Array;
  /** A topic with many records and one that is text, the beginning of a format and of a subscription. */
  readonly topic: string;
}

/** Damages in the data: what each does to the bytes of a message there. */
const IN_DATA: readonly (readonly [
  title: string,
  damage: (bytes: Uint8Array, at: number, size: number) => Uint8Array,
])[] = [
  ['length + 1', (bytes, at, size) => put(bytes, at, (size - HEAD + 1) & 0xff, (size - HEAD + 1) >> 8)],
  ['length - 1', (bytes, at, size) => put(bytes, at, (size - HEAD - 1) & 0xff, (size - HEAD - 1) >> 8)],
  ['high byte of the length', (bytes, at) => put(bytes, at + 1, 7)],
  ['length 65535', (bytes, at) => put(bytes, at, 0xff, 0xff)],
  ['length 0', (bytes, at) => put(bytes, at, 0, 0)],
  ['an unknown type', (bytes, at) => put(bytes, at + 2, 0x7a)],
  ['type 0', (bytes, at) => put(bytes, at + 2, 0)],
  ...[...'ABCFILMOPQRS'].map((type): [string, (bytes: Uint8Array, at: number) => Uint8Array] => [
    `data turned into ${type}`,
    (bytes, at) => put(bytes, at + 2, type.charCodeAt(0)),
  ]),
  ['an unknown number', (bytes, at) => put(bytes, at + 3, 0xee, 0xee)],
];

/** Damages of the definition of a topic: all of its records may go, and no other. */
const IN_FORMAT: readonly (readonly [
  title: string,
  damage: (bytes: Uint8Array, at: number, topic: string) => Uint8Array,
])[] = [
  ['name', (bytes, at) => put(bytes, at + 1, 0x58)],
  ['colon', (bytes, at, topic) => put(bytes, at + topic.length, 0x20)],
  ['space', (bytes, at, topic) => put(bytes, at + topic.length + 1 + 'uint64_t'.length, 0x5f)],
  ['type', (bytes, at, topic) => put(bytes, at + topic.length + 2, 0x58)],
  ['UTF-8', (bytes, at, topic) => put(bytes, at + topic.length + 2, 0xff)],
  ['length of the message', (bytes, at) => put(bytes, at - HEAD, bytes[at - HEAD] - 9)],
  ['longer length of the message', (bytes, at) => put(bytes, at - HEAD, bytes[at - HEAD] + 9)],
  ['type of the message', (bytes, at) => put(bytes, at - 1, 0x7a)],
  ['all of it', (bytes, at) => without(bytes, at - HEAD, at + bytes[at - HEAD] + bytes[at - HEAD + 1] * 256)],
];

function damages({ bytes, topic }: Log): void {
  const isSound = (damaged: Uint8Array, most: number, allowed: readonly string[] = []): void => {
    const { lost, names } = lostOf(bytes, damaged);
    if (allowed.length > 0) expect([...names].filter((name) => !allowed.includes(name))).toEqual([]);
    else expect(lost).toBeLessThanOrEqual(most);
  };

  test.each(IN_DATA)('data with %s: one record is lost', (_, damage) => {
    const { at, size } = middle(bytes, topic);
    isSound(damage(bytes, at, size), 1);
  });

  test.each(IN_FORMAT)('a format with a damaged %s: records of its topic alone are lost', (_, damage) => {
    isSound(damage(bytes, placeOf(bytes, `${topic}:`), topic), 0, ['FORMAT', topic]);
  });

  test('cut in data, in definitions, behind the header', () => {
    const found = decode(ulog, bytes);
    const { at } = middle(bytes, topic);
    for (const cut of [at + 7, 16, 40, placeOf(bytes, `${topic}:`) + 5]) {
      const before = found.offsets.filter((offset, i) => offset + found.sizes[i] <= cut).length;
      expect(decode(ulog, bytes.subarray(0, cut)).count).toBe(before);
    }
  });

  test('zeros, garbage and a gap of 4 KiB: what they touch, and what the damage makes of the message around them', () => {
    const { at } = middle(bytes, topic);
    const random = new Random(4).bytes(4096);
    const touched = decode(ulog, bytes).offsets.filter((offset) => offset > at - 300 && offset < at + 4096).length;
    const [zeros, noise] = [bytes.slice(), bytes.slice()];
    zeros.fill(0, at + 5, at + 5 + 4096);
    noise.set(random.subarray(0, Math.min(4096, bytes.length - at - 5)), at + 5);
    isSound(zeros, touched + 1);
    isSound(noise, touched + 1);
    isSound(without(bytes, at + 5, at + 5 + 4096), touched + 1);
  });

  test('zeros or ones at the end: one fault', () => {
    for (const fill of [0, 0xff]) {
      const { lost, found } = lostOf(bytes, concat(bytes, new Uint8Array(71_000).fill(fill)));
      const plain = decode(ulog, bytes).faults.length;
      expect([lost, found.faults.length - plain, found.faults.at(-1)?.code]).toEqual([0, 1, 'padding']);
    }
  });

  test('two logs in one file: both whole', () => {
    const twice = decode(ulog, concat(bytes, bytes));
    const once = decode(ulog, bytes);
    expect(twice.count).toBe(2 * once.count);
    expect(twice.faults.filter(({ code }) => code === 'another-log')).toHaveLength(1);
  });

  test(
    'a thousand random damages: nothing throws, every byte is accounted for, little is lost',
    {
      timeout: 120_000,
    },
    () => randomDamages(bytes.subarray(0, SMALL)),
  );
}

function randomDamages(piece: Uint8Array): void {
  const random = new Random(29);
  const all = decode(ulog, piece).count;
  const lost: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const damaged = piece.slice();
    const at = random.below(piece.length);
    if (random.chance(0.5)) damaged[at] ^= 1 << random.below(8);
    else damaged.set(random.bytes(Math.min(random.between(1, 40), piece.length - at)), at);
    const found = decode(ulog, damaged);
    expect(uncovered(found, damaged.length)).toBeUndefined();
    lost.push(all - found.count);
  }
  lost.sort((a, b) => a - b);
  expect(lost).toHaveLength(RUNS);
  // damage of definitions costs their topic, that of the flags the log; most damage is of data
  expect(lost[Math.floor(RUNS * 0.9)]).toBeLessThanOrEqual(all * 0.1);
  expect(lost[RUNS >> 1]).toBeLessThanOrEqual(3);
}

const RUNS = 1000;
/** Bytes of a log that are damaged at random. */
const SMALL = 60_000;
/** Bytes in which the definitions of a real log end, and bytes of its data that are damaged too. */
const DEFINITIONS = 400_000;
const DATA = 10_000;

describe('a log with messages of every kind', () => {
  damages({ bytes: smallLog(120).bytes(), topic: 'attitude' });
});

describe('a log without sync messages', () => {
  damages({ bytes: smallLog(120, false).bytes(), topic: 'esc_status' });
});

needShared(
  describe,
  '..',
  'field',
  'ulog',
)('a log of PX4 1.12', () => {
  damages({
    bytes: new Uint8Array(readFileSync(sharedData('..', 'field', 'ulog', 'roboto-fmuv5-1.12.ulg'))),
    topic: 'sensor_combined',
  });
});

needShared(
  describe,
  '..',
  'field',
  'ulog',
)('other real logs', () => {
  const names = readdirSync(sharedData('..', 'field', 'ulog')).filter((name) => /\.ulo?g(\.gz)?$/.test(name));

  test.each(names)(
    '%s: a thousand random damages of its definitions and its first data',
    { timeout: 120_000 },
    (name) => {
      const packed = readFileSync(sharedData('..', 'field', 'ulog', name));
      const bytes = new Uint8Array(name.endsWith('.gz') ? gunzipSync(packed) : packed);
      const whole = decode(ulog, bytes.subarray(0, DEFINITIONS));
      const data = whole.offsets.find((_, i) => whole.name(i) === 'SUBSCRIPTION') ?? 0;
      randomDamages(bytes.subarray(0, data + DATA));
    },
  );
});

/** A log of one topic. */
function topicLog(...formats: readonly string[]): UlogWriter {
  const writer = new UlogWriter().header().flags();
  for (const format of formats) writer.format(format);
  return writer;
}

const rowsOf = (bytes: Uint8Array): Record<string, number> => {
  const found = decode(ulog, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  const rows: Record<string, number> = {};
  for (let i = 0; i < found.count; i++) {
    const stream = found.streams[found.ids[i]];
    if (stream !== '') rows[`${found.name(i)}/${stream}`] = (rows[`${found.name(i)}/${stream}`] ?? 0) + 1;
  }
  return rows;
};
const codesOf = (bytes: Uint8Array): string[] => decode(ulog, bytes).faults.map(({ code }) => code);

describe('definitions that are wrong, late or missing', () => {
  test.each([
    ['an array of a letter', 'a:uint64_t timestamp;float[x] q;'],
    ['an array of 999,999,999', 'a:uint64_t timestamp;float[999999999] q;'],
    ['an array of none', 'a:uint64_t timestamp;float[0] q;'],
    ['itself', 'a:uint64_t timestamp;a a;'],
    ['a type that is not defined', 'a:uint64_t timestamp;b b;'],
    ['999,999,999 of what has no fields', 'a:uint64_t timestamp;none[999999999] b;'],
  ])('a format of %s: its records are counted, all else is whole', (_, format) => {
    const writer = topicLog(format, 'none:', 'other:uint64_t timestamp;int32_t x;')
      .subscribe(0, 'a')
      .subscribe(1, 'other');
    for (let i = 1; i < 20; i++)
      writer.data(0, u64(i * 1000), f32(i)).data(1, u64(i * 1000), i32(i), new Uint8Array(0));
    const rows = rowsOf(writer.bytes());
    expect(rows['other/0']).toBeGreaterThanOrEqual(19);
    expect(rows['a/0']).toBeUndefined();
  });

  test('a hundred types in a hundred, six deep: refused at the bound, at once', () => {
    const formats = Array.from({ length: 6 }, (_, i) => `t${i}:t${i + 1}[100] x;`);
    const writer = topicLog(...formats, 't6:uint8_t x;').subscribe(0, 't0');
    for (let i = 1; i < 20; i++) writer.data(0, u64(i * 1000), f32(i));
    const start = performance.now();
    expect(rowsOf(writer.bytes())).toEqual({});
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test('types up to thirty deep are read, and a circle of three is not', () => {
    const deep = Array.from({ length: 30 }, (_, i) => `t${i}:t${i + 1} x;`);
    const writer = topicLog(...deep, 't30:uint64_t timestamp;int8_t last;').subscribe(0, 't0');
    expect(rowsOf(writer.data(0, u64(1000), u8(5)).bytes())).toEqual({ 't0/0': 1 });
    const circle = topicLog('a:uint64_t timestamp;b x;', 'b:c x;', 'c:a x;').subscribe(0, 'a');
    expect(rowsOf(circle.data(0, u64(1000), u8(5)).bytes())).toEqual({});
  });

  test('a format that comes twice: the one whose size fits', () => {
    const writer = topicLog('a:uint64_t timestamp;float x;', 'a:uint64_t timestamp;double x;').subscribe(0, 'a');
    for (let i = 1; i < 9; i++) writer.data(0, u64(i * 1000), u64(i));
    const found = decode(ulog, writer.bytes());
    expect(rowsOf(writer.bytes())).toEqual({ 'a/0': 8 });
    expect(found.schemas[found.ids.at(-1) as number].fields[1].type).toBe('float64');
  });

  test('a format without a time: records without one', async () => {
    const writer = topicLog('a:float x;').subscribe(0, 'a');
    for (let i = 1; i < 9; i++) writer.data(0, f32(i));
    const log = await openInput(writer.bytes());
    expect(log.table('a')?.rows).toBe(8);
    expect(await factsOf(log).span()).toEqual({ start: null, end: null });
  });

  test('data before their subscription, and formats behind it, are read', () => {
    const writer = topicLog().data(3, u64(1000), f32(1)).data(3, u64(2000), f32(2)).subscribe(3, 'late');
    writer.data(3, u64(3000), f32(3)).format('late:uint64_t timestamp;float x;').data(3, u64(4000), f32(4));
    expect(rowsOf(writer.bytes())).toEqual({ 'late/0': 4 });
  });

  test('a subscription that comes again changes nothing', () => {
    const writer = topicLog('a:uint64_t timestamp;float x;').subscribe(0, 'a').data(0, u64(1000), f32(1));
    expect(rowsOf(writer.subscribe(0, 'a').data(0, u64(2000), f32(2)).bytes())).toEqual({ 'a/0': 2 });
  });

  test('a lost subscription is found again where size and time fit one topic alone', () => {
    const write = (extra: string): Uint8Array => {
      const writer = topicLog('a:uint64_t timestamp;float x;', 'b:uint64_t timestamp;float[5] x;', extra).subscribe(
        0,
        'a',
      );
      for (let i = 1; i < 9; i++) writer.data(0, u64(i * 1000), f32(i)).data(1, u64(i * 1000 + 1), new Uint8Array(20));
      return writer.bytes();
    };
    expect(rowsOf(write('c:uint64_t timestamp;'))).toEqual({ 'a/0': 8, 'b/0': 8 });
    expect(codesOf(write('c:uint64_t timestamp;'))).toContain('guessed-topic');
    // of two that fit, neither is believed
    expect(rowsOf(write('c:uint64_t timestamp;int32_t[5] x;'))).toEqual({ 'a/0': 8 });
  });

  test('a number that is used again: what its data are is told by the subscription before them', () => {
    const writer = topicLog('a:uint64_t timestamp;float x;', 'b:uint64_t timestamp;float y;').subscribe(0, 'a');
    const data = (id: number): UlogWriter => writer.data(id, u64(1000), f32(1));
    data(0).subscribe(0, 'b');
    data(0).subscribe(0, 'a');
    data(0);
    expect(rowsOf(writer.bytes())).toEqual({ 'a/0': 2, 'b/0': 1 });
    // and also where the log has to be read twice, for a format behind its data
    writer.subscribe(1, 'late');
    data(1).unsubscribe(0).subscribe(0, 'b');
    data(0);
    const late = writer.format('late:uint64_t timestamp;float x;').bytes();
    expect(rowsOf(late)).toEqual({ 'a/0': 2, 'b/0': 2, 'late/0': 1 });
  });

  test('names with other letters than those of PX4', () => {
    const writer = topicLog('my.topic@2:uint64_t timestamp;geo+Vec v-1;float größe;', 'geo+Vec:float x.y;');
    writer.subscribe(0, 'my.topic@2').data(0, u64(1000), f32(1), f32(2));
    const found = decode(ulog, writer.bytes());
    expect(rowsOf(writer.bytes())).toEqual({ 'my.topic@2/0': 1 });
    expect(found.schemas[found.ids.at(-1) as number].fields.map(({ name }) => name)).toEqual([
      'timestamp',
      'v-1.x.y',
      'größe',
    ]);
    expect(found.faults).toEqual([]);
  });

  test('a number that is taken by another subscription: the size tells', () => {
    const writer = topicLog('a:uint64_t timestamp;float x;', 'b:uint64_t timestamp;double x;');
    writer.subscribe(0, 'a').subscribe(0, 'b');
    for (let i = 1; i < 9; i++) writer.data(0, u64(i * 1000), f32(i));
    expect(rowsOf(writer.bytes())).toEqual({ 'a/0': 8 });
  });
});

describe('logs that ask for more time than they have bytes', () => {
  const secondsFor = async (bytes: Uint8Array): Promise<[number, Awaited<ReturnType<typeof openInput>>]> => {
    const { user: before } = process.cpuUsage();
    const log = await openInput(bytes);
    return [(process.cpuUsage().user - before) / 1e6, log];
  };

  test('types of hidden fields in types, for thousands of topics', async () => {
    const nested = Array.from({ length: 28 }, (_, i) => `n${i + 1}:n${i} x;`);
    const names = Array.from({ length: 3000 }, (_, i) => `t${i}`);
    const topics = names.map((name) => `${name}:uint64_t timestamp;n28[60000] _padding0;`);
    const writer = topicLog('n0:uint8_t _padding0;', ...nested, ...topics);
    for (const [id, name] of names.entries()) writer.subscribe(id, name).data(id, u64(1000 + id));
    const [seconds] = await secondsFor(writer.bytes());
    expect(seconds).toBeLessThan(2);
  });

  test('a topic that could be read with one more format, again and again', async () => {
    const wide = (name: string, from: number): string =>
      `${name}:${Array.from({ length: 8000 }, (_, i) => `int8_t a${from + i}`).join(';')};`;
    const parts = Array.from({ length: 7 }, (_, i) => `w${i}`);
    const top = `top:uint64_t timestamp;${parts.map((name) => `${name} ${name};`).join('')}missing x;`;
    const writer = topicLog(top, ...parts.map(wide)).subscribe(0, 'top');
    for (let i = 0; i < 2000; i++) writer.format(`f${i}:int8_t a;`).data(0, u64(1000 + i), f32(1));
    const [seconds] = await secondsFor(writer.bytes());
    expect(seconds).toBeLessThan(2);
  });

  test('thousands of numbers whose subscriptions are lost', async () => {
    const writer = topicLog('a:uint64_t timestamp;');
    for (let id = 0; id < 2000; id++) writer.data(id, u64(1000 + id));
    const [seconds, log] = await secondsFor(writer.bytes());
    expect(log.tables.filter(({ name }) => name === 'a').length).toBe(2000);
    expect(seconds).toBeLessThan(2);
  });

  test('hundreds of logs in a file with much information', async () => {
    const writer = topicLog();
    for (let i = 0; i < 20_000; i++) writer.info('uint8_t a', u8(1));
    for (let i = 0; i < 256; i++) writer.header();
    const [seconds, log] = await secondsFor(writer.bytes());
    expect(log.table('HEADER')?.rows).toBe(257);
    expect(seconds).toBeLessThan(2);
  });

  test('topics for all tables that there may be, then a text', async () => {
    const names = Array.from({ length: 4000 }, (_, i) => `t${i}`);
    const writer = topicLog(...names.map((name) => `${name}:uint64_t timestamp;`));
    for (let id = 0; id < 5 * names.length; id++)
      writer.subscribe(id, names[id % names.length], Math.floor(id / names.length)).data(id, u64(1000 + id));
    const log = await openInput(writer.text(6, 2000, 'still here').bytes());
    expect(log.table('LOG')?.rows).toBe(1);
    expect(log.tables.length).toBeLessThanOrEqual(LIMITS.tables);
  });
});

describe('messages with wrong content', () => {
  test.each<[string, Uint8Array]>([
    ['a parameter whose key is longer than it', message('P', u8(200), Buffer.from('float A'), f32(1))],
    ['a parameter with a short value', message('P', u8(7), Buffer.from('float A'), u16(1))],
    ['an empty information', message('I')],
    ['a parameter of several numbers', message('P', u8(10), Buffer.from('float[2] A'), u64(1))],
    ['a text of level 9', message('L', u8(0x39), u64(1000), Buffer.from('text'))],
  ])('%s: it alone is lost', (_, bytes) => {
    const writer = smallHead();
    const before = writer.starts.length;
    const whole = decode(ulog, writer.raw(bytes).data(0, u64(1000), new Uint8Array(17)).bytes());
    expect(whole.count).toBe(before + 1);
    expect(whole.faults.map(({ length }) => length)).toEqual([bytes.length]);
  });

  test('an unknown type is passed over by its size', () => {
    const bytes = smallHead()
      .raw(message('Z', u8(1, 2, 3)))
      .data(0, u64(1000), new Uint8Array(17))
      .bytes();
    expect(codesOf(bytes)).toEqual(['unknown-type']);
  });
});

describe('flags', () => {
  test('that are not known and incompatible: refused, by byte and bit', async () => {
    const bytes = smallHead(new UlogWriter()).bytes();
    const refused = put(bytes, 16 + HEAD + 8 + 2, 0x10);
    await expect(openInput(refused)).rejects.toThrow(UnknownFormatError);
    await expect(openInput(refused)).rejects.toThrow('bit 4 of byte 2 of the incompatible flags');
    // who says that it is a ULog gets a log that says so
    const forced = await openInput(refused, { format: ulog });
    expect([forced.records, [...forced.faults.byCode.keys()]]).toEqual([2, ['incompatible']]);
  });

  test('longer than they were, and shorter', () => {
    const rest = smallLog(10).bytes().subarray(59);
    const longer = concat(new UlogWriter().header().bytes(), message('B', new Uint8Array(52)), rest);
    const shorter = concat(new UlogWriter().header().bytes(), message('B', new Uint8Array(20)), rest);
    const plain = decode(ulog, smallLog(10).bytes());
    expect(decode(ulog, longer).count).toBe(plain.count);
    expect(decode(ulog, shorter).count).toBe(plain.count - 1);
    expect(codesOf(shorter)).toContain('short-flags');
  });

  /** A log whose last message is cut, and a part behind it. */
  function appended(offset: (end: number) => number[], incompat = 1): Uint8Array {
    const build = (places: number[]): Uint8Array => {
      const writer = topicLog('a:uint64_t timestamp;float[8] x;').subscribe(0, 'a');
      for (let i = 1; i < 9; i++) writer.data(0, u64(i * 1000), new Uint8Array(32));
      const head = put(writer.bytes(), 16 + HEAD + 8, incompat);
      places.forEach((place, i) => {
        head.set(u64(place), 16 + HEAD + 16 + 8 * i);
      });
      const cut = message('D', u16(0), u64(9000), new Uint8Array(32)).subarray(0, 20);
      const part = new UlogWriter().data(0, u64(10_000), new Uint8Array(32)).data(0, u64(11_000), new Uint8Array(32));
      part.multi(0, 'char[5] hardfault_plain', Buffer.from('fault'));
      return concat(head, cut, part.bytes());
    };
    const end = build([]).length - (2 * 45 + HEAD + 2 + 23 + 5);
    return build(offset(end));
  }

  test('with a part that was appended: its data are read too, and what was cut before it is one fault', () => {
    const bytes = appended((end) => [end]);
    expect(rowsOf(bytes)).toEqual({ 'a/0': 10 });
    expect(codesOf(bytes)).toEqual(['truncated']);
  });

  test.each<[string, (end: number) => number[], number]>([
    ['in the middle of a message', (end) => [end - 60], 1],
    ['in the definitions', () => [70], 1],
    ['descending', (end) => [end, end - 5], 1],
    ['beyond the end', () => [1e6], 1],
    ['set, and the flag is not', (end) => [end], 0],
  ])('offsets %s: all is read by what follows', (_, offset, incompat) => {
    const bytes = appended(offset, incompat);
    expect(rowsOf(bytes)['a/0']).toBe(10);
    if (incompat === 1) expect(codesOf(bytes)).toContain('bad-offset');
  });
});

describe('times', () => {
  test('of 0, back, and of all ones are kept; the span is that of the others', async () => {
    const writer = topicLog('a:uint64_t timestamp;float x;').subscribe(0, 'a');
    for (const time of [0, 5_000_000, 6_000_000, 4_000_000, 2n ** 64n - 1n, 7_000_000])
      writer.data(0, u64(time), f32(1));
    const log = await openInput(writer.bytes());
    expect([...((await log.table('a')?.times()) ?? [])]).toEqual([Number.NaN, 5e6, 6e6, 4e6, Number.NaN, 7e6]);
    expect(await factsOf(log).span()).toEqual({ start: 5e6, end: 7e6 });
    expect(log.faults.byCode.get('no-time')?.count).toBe(1);
  });

  test('records may end before the padding at the end of their format, or behind it', () => {
    const writer = topicLog('a:uint64_t timestamp;bool x;uint8_t[7] _padding0;').subscribe(0, 'a').subscribe(1, 'a', 1);
    writer.data(0, u64(1000), u8(0xa2)).data(1, u64(1000), u8(1, 9, 9, 9, 9, 9, 9, 9));
    expect(rowsOf(writer.bytes())).toEqual({ 'a/0': 1, 'a/1': 1 });
  });
});

describe('a head that is gone', () => {
  test('the header of the file: all else is read', async () => {
    const bytes = smallLog(20).bytes();
    const log = await openInput(put(bytes, 2, 0x58));
    expect([log.format, log.records]).toEqual(['ulog', decode(ulog, bytes).count - 1]);
  });

  test('the header alone is an empty log', async () => {
    const log = await openInput(new UlogWriter().header().bytes());
    expect([log.records, log.faults.count]).toEqual([1, 0]);
  });
});
