import { describe, expect, test } from 'vitest';
import { Px4EventDefinitions, Px4HealthReader } from './px4-events.ts';

const ID = 2 ** 24 + 1;
const ALL = new Uint8Array(25).fill(255);

interface Made {
  readonly types?: readonly string[];
  readonly enums?: object;
}

/** Definitions of one event. */
function definitionsWith(message: string, { types = [], enums = {} }: Made = {}): Px4EventDefinitions {
  const event = { name: 'made', message, arguments: types.map((type) => ({ type })) };
  const component = { namespace: 'px4', enums, event_groups: { default: { events: { 1: event } } } };
  return new Px4EventDefinitions(JSON.stringify({ components: { 1: component } }));
}

const textOf = (message: string, made?: Made): string | undefined => definitionsWith(message, made).read(ID, ALL)?.text;

test('arguments, tags and escapes of a text', () => {
  const types = ['uint8_t', 'float'];
  const bytes = Uint8Array.of(7, 0, 0, 0x80, 0x3f);
  const read = (message: string): string | undefined => definitionsWith(message, { types }).read(ID, bytes)?.text;
  expect(read('{1} at {2:.2m} and {3}')).toBe('7 at 1.00 m and {3}');
  expect(read('see <a>the <param>MIS_{1}</param> docs</a> <b>not this</b> <c>but this')).toBe(
    'see the MIS_7 docs  but this',
  );
  expect(read('<profile name="dev">for developers</profile><profile name="normal">for users</profile>')).toBe(
    'for developers',
  );
  expect(read('\\{1\\} \\<b>')).toBe('{1} <b>');
});

test('names of enums and bits', () => {
  const entries = { 1: { description: 'low' }, 4: { name: 'high' }, 0: { description: 'none' } };
  const enums = { word: { type: 'uint8_t', entries }, bits: { type: 'uint8_t', is_bitfield: true, entries } };
  const read = (byte: number, type: string): string | undefined =>
    definitionsWith('{1}', { types: [type], enums }).read(ID, Uint8Array.of(byte))?.text;
  expect([read(4, 'word'), read(3, 'word')]).toEqual(['high', '(unknown: 3)']);
  expect([read(5, 'bits'), read(9, 'bits'), read(0, 'bits')]).toEqual(['low|high', 'low|(unknown: 8)', '']);
});

describe('definitions from a vehicle that means harm take little time, and texts stay short', () => {
  const long = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [2n ** BigInt(i % 64) + BigInt(i >> 6), 'x']));
  const wide = Object.fromEntries(
    Array.from({ length: 64 }, (_, i) => [String(2n ** BigInt(i)), { description: 'y'.repeat(4000) }]),
  );
  const bits = (entries: object): Made => ({
    types: Array.from({ length: 8 }, () => 'bits'),
    enums: { bits: { type: 'uint64_t', is_bitfield: true, entries } },
  });
  test.each<[string, string, Made | undefined]>([
    ['one argument again and again', '{1}'.repeat(1300), bits(wide)],
    ['a hundred thousand bits', 'x', bits(long(100_000))],
    ['tags that nothing closes', '<a>'.repeat(1300), undefined],
    ['tags in tags', `${'<a><param>'.repeat(300)}x${'</param></a>'.repeat(300)}`, undefined],
    ['a hundred thousand arguments', '{99999}', { types: Array.from({ length: 100_000 }, () => 'uint8_t') }],
  ])('%s', (_, message, made) => {
    const definitions = definitionsWith(message, made);
    const { user } = process.cpuUsage();
    for (let i = 0; i < 1000; i++) expect(definitions.read(ID, ALL)?.text.length).toBeLessThanOrEqual(500);
    expect((process.cpuUsage().user - user) / 1e6, 'seconds for 1,000 events').toBeLessThan(1);
  });

  test('a report of health that never ends keeps some checks only', () => {
    const reader = new Px4HealthReader();
    const check = { id: ID, name: 'made', text: 'check', description: '', values: [0] };
    reader.push({ ...check, group: 'arming_check', type: 'summary' }, 0, 0);
    for (let i = 1; i < 2000; i++) reader.push({ ...check, group: 'health', type: '' }, i, 0);
    expect(reader.push({ ...check, group: 'health', type: 'summary' }, 2000, 0)).toBe(true);
    expect(reader.health?.checks.length).toBe(256);
  });

  test('a long text is cut', () => {
    expect(textOf('z'.repeat(4000))?.length).toBe(500);
  });
});
