import { expect, test } from 'vitest';
import { builtinDialect } from './builtin.ts';
import { plainDialect } from './definition.ts';
import { mergeDialects } from './merge.ts';

test('a dialect of two can be sent to another process, and says the same there', () => {
  const { dialect } = mergeDialects(builtinDialect('common'), builtinDialect('ardupilotmega'));
  const sent = structuredClone(plainDialect(dialect));
  expect([...sent.messages.keys()]).toEqual([...dialect.messages.keys()]);
  for (const [id, definitions] of dialect.messages) {
    const others = sent.messages.get(id) ?? [];
    expect(others.length).toBe(definitions.length);
    definitions.forEach(({ name, crcExtra, length, fields }, i) => {
      expect([others[i].name, others[i].crcExtra, others[i].length]).toEqual([name, crcExtra, length]);
      expect(others[i].fields.map((field) => [field.name, field.offset, field.unit])).toEqual(
        fields.map((field) => [field.name, field.offset, field.unit]),
      );
      expect(others[i].fields.map(({ enumeration }) => enumeration?.names)).toEqual(
        fields.map(({ enumeration }) => enumeration?.names),
      );
    });
  }
  expect(sent.enums.get('MAV_TYPE')?.names.get(2)).toBe('MAV_TYPE_QUADROTOR');
});
