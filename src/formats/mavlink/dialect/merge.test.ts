import { expect, it } from 'vitest';
import { builtinDialect } from './builtin.ts';
import { compileDialect } from './compile.ts';
import type { Dialect } from './definition.ts';
import { mergeDialects } from './merge.ts';

function dialect(body: string): Dialect {
  return compileDialect(new Map([['mine.xml', `<mavlink>${body}</mavlink>`]]), 'mine.xml');
}

const message = (id: number, name: string, fields: string): string =>
  `<messages><message id="${id}" name="${name}">${fields}</message></messages>`;

const base = builtinDialect();

it('adds what is new, and finds no conflict in it', () => {
  const user = dialect(message(50_000, 'MINE', '<field type="float" name="a"/>'));
  const { dialect: merged, conflicts } = mergeDialects(base, user);
  expect(conflicts).toEqual([]);
  expect(merged.name).toBe('mine');
  expect(merged.messages.size).toBe(392);
  expect(merged.messages.get(50_000)?.[0].name).toBe('MINE');
  expect(merged.messages.get(30)?.[0]).toMatchObject({ name: 'ATTITUDE', crcExtra: 39 });
});

it('finds no conflict in a file that includes the built-in ones', () => {
  const { dialect: merged, conflicts } = mergeDialects(base, dialect('<include>common.xml</include>'));
  expect(conflicts).toEqual([]);
  expect(merged.messages.get(0)?.map(({ name }) => name)).toEqual(['HEARTBEAT']);
});

it("puts the user's definition first where an id is taken, and says so", () => {
  const user = dialect(message(30, 'MY_ATTITUDE', '<field type="float" name="roll"/>'));
  const { dialect: merged, conflicts } = mergeDialects(base, user);
  expect(merged.messages.get(30)?.map(({ name }) => name)).toEqual(['MY_ATTITUDE', 'ATTITUDE']);
  expect(conflicts).toEqual([
    {
      id: 30,
      name: 'MY_ATTITUDE',
      baseId: 30,
      baseName: 'ATTITUDE',
      text: 'message id 30 is MY_ATTITUDE, not ATTITUDE as before',
    },
  ]);
});

it('replaces a definition that the checksum cannot tell apart', () => {
  const fields = '<field type="uint64_t" name="time_unix_usec" units="s"/><field type="uint32_t" name="time_boot_ms"/>';
  const same = mergeDialects(base, dialect(message(2, 'SYSTEM_TIME', fields)));
  expect(same.conflicts).toEqual([]);
  expect(same.dialect.messages.get(2)?.map(({ fields: [first] }) => first.unit)).toEqual(['s']);
  const longer = dialect(message(2, 'SYSTEM_TIME', `${fields}<extensions/><field type="int8_t" name="more"/>`));
  const { dialect: merged, conflicts } = mergeDialects(base, longer);
  expect(merged.messages.get(2)?.map(({ length }) => length)).toEqual([13]);
  expect(conflicts.map(({ text }) => text)).toEqual(['message SYSTEM_TIME (id 2) has other fields than before']);
});

it('finds extensions that have only their length in common', () => {
  const with_ = (name: string): Dialect =>
    dialect(message(7, 'A', `<field type="int8_t" name="a"/><extensions/><field type="int8_t" name="${name}"/>`));
  expect(mergeDialects(with_('b'), with_('c')).conflicts.map(({ text }) => text)).toEqual([
    'message A (id 7) has other fields than before',
  ]);
  const two = '<field type="int8_t" name="b"/><field type="int8_t" name="c"/>';
  const one = '<field type="int8_t[2]" name="b"/>';
  const make = (extensions: string): Dialect => dialect(message(7, 'A', `<extensions/>${extensions}`));
  expect(mergeDialects(make(one), make(two)).conflicts).toHaveLength(1);
  expect(mergeDialects(make(two), make(one)).conflicts).toHaveLength(1);
});

it('says where a name has moved to another id', () => {
  const { conflicts } = mergeDialects(base, dialect(message(50_000, 'ATTITUDE', '')));
  expect(conflicts.map(({ text }) => text)).toEqual(['message ATTITUDE has id 50000, not 30 as before']);
});

it("puts enums together, and the fields of both use the user's names", () => {
  const user = dialect(`<enums><enum name="MAV_TYPE"><entry name="MY_QUAD" value="2"/><entry name="KITE" value="200"/>
    </enum></enums>${message(50_000, 'MINE', '<field type="uint8_t" name="kind" enum="MAV_TYPE" display="bitmask"/>')}`);
  const { enums, messages } = mergeDialects(base, user).dialect;
  const heartbeat = messages.get(0)?.[0].fields.find(({ name }) => name === 'type');
  expect(heartbeat?.enumeration).toBe(enums.get('MAV_TYPE'));
  expect(heartbeat?.enumeration?.names.get(2)).toBe('MY_QUAD');
  expect(heartbeat?.enumeration?.names.get(13)).toBe('MAV_TYPE_HEXAROTOR');
  const mine = messages.get(50_000)?.[0].fields[0].enumeration;
  expect(mine?.bitmask).toBe(true);
  expect(mine?.names.get(200)).toBe('KITE');
});
