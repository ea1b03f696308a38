import { expect, test } from 'vitest';
import { COMMANDS, commandFields, fieldsIn } from './commands.ts';

test('a form makes the fields of COMMAND_LONG, all seven parameters among them', () => {
  const arm = COMMANDS.find(({ label }) => label === 'Arm');
  expect(commandFields(arm?.command ?? 0, arm?.params ?? [])).toEqual({
    ...{ command: 400, confirmation: 0 },
    ...{ param1: 1, param2: 0, param3: 0, param4: 0, param5: 0, param6: 0, param7: 0 },
  });
  for (const { params, asked } of COMMANDS) {
    expect(params).toHaveLength(7);
    for (const { param } of asked) expect(params[param]).toBeDefined();
  }
});

test('fields are JSON, and what is none is said', () => {
  expect(fieldsIn('{"a": [1, 2]}')).toEqual({ a: [1, 2] });
  expect(fieldsIn(' ')).toEqual({});
  expect(() => fieldsIn('{a')).toThrow('the fields are not valid JSON');
  for (const text of ['3', 'null', '[1]', '"x"']) expect(() => fieldsIn(text)).toThrow('the fields must be an object');
});
