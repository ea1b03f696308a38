// The table of docs/live.md has every message that may be sent, and each way to switch one off exists.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import type { MessageName } from '../../src/formats/mavlink/dialect/messages.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { probe } from '../../src/links/device-probe.ts';
import { MessageReader, type ReadMessage } from '../../src/live/message.ts';
import { VehicleAnswers } from '../../src/live/vehicle/answers.ts';
import { HARMLESS_COMMANDS, HARMLESS_MESSAGES } from '../../src/live/vehicle/frame-sender.ts';
import { systemMicros } from '../../src/node/wall-clock.ts';
import { SimulatedVehicle } from '../vehicle/vehicle.ts';
import { readTree } from '../whole/layout.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Row {
  readonly message: string;
  readonly when: string;
  readonly whom: string;
  readonly off: string;
  /** The command, if it is not live. */
  readonly command: string;
}

/** The rows of the table under "What is sent", without its head. */
function rows(): Row[] {
  const section =
    read('docs/live.md')
      .split(/^## /m)
      .find((each) => each.startsWith('What is sent')) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => {
    const [message, when, whom, off, ...more] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    expect([line, more, message, when, whom, off].filter((cell) => cell === '' || cell === undefined)).toEqual([]);
    return { message, when, whom, off, command: /^`skein (\w+)`/.exec(when)?.[1] ?? 'live' };
  });
}

const messagesIn = (cells: readonly Row[]): string[] =>
  [...new Set(cells.flatMap(({ message }) => message.match(/`[A-Z_]+`/g) ?? []))]
    .map((name) => name.replaceAll('`', ''))
    .filter((name) => ids.has(name))
    .sort();
const commandsIn = (cells: readonly Row[]): number[] =>
  [
    ...new Set(cells.flatMap(({ message }) => [...message.matchAll(/\((\d+)\)/g)].map(([, number]) => Number(number)))),
  ].sort();
const ids = new Set([...builtinDialect().messages.values()].flat().map(({ name }) => name));

/** Collects messages. */
function collect(): { readonly got: ReadMessage[]; readonly push: (bytes: Uint8Array) => void } {
  const got: ReadMessage[] = [];
  const reader = new MessageReader(
    () => true,
    (message) => got.push(message),
  );
  return { got, push: (bytes) => reader.push(bytes) };
}

const namesOf = (got: readonly ReadMessage[]): string[] => [...new Set(got.map(({ name }) => name))].sort();

test('the table names all messages and commands that live can send, and no others', () => {
  const live = rows().filter(({ command }) => command === 'live');
  expect(messagesIn(live)).toEqual([...HARMLESS_MESSAGES].sort());
  expect(commandsIn(live)).toEqual([...HARMLESS_COMMANDS].sort());
});

test('what devices sends to a vehicle that it found is in the table, and goes to that vehicle', async () => {
  const { got, push } = collect();
  let vehicle: SimulatedVehicle;
  const found = await probe('/dev/a', {
    ...{ ask: true, patience: 1500, speeds: [57_600] },
    open: async (_path, _baud, hear) => {
      vehicle = new SimulatedVehicle(hear, { system: 12, up: 60 });
      const timer = setInterval(() => vehicle.tick(systemMicros()), 5);
      const write = (bytes: Uint8Array): void => {
        push(bytes);
        setTimeout(() => vehicle.receive(bytes));
      };
      return { write, close: async () => clearInterval(timer) };
    },
  });
  expect(found.identity).toMatchObject({ firmware: { version: '4.6.3' } });
  const devices = rows().filter(({ command }) => command === 'devices');
  expect(namesOf(got)).toEqual(messagesIn(devices));
  const commands = got.filter(({ name }) => name === 'COMMAND_LONG').map(({ data }) => data);
  expect(commands).toMatchObject([{ target_system: 12, target_component: 1, command: 512, param1: 148 }]);
  expect(commandsIn(devices)).toEqual([512]);
});

test('what replay answers in the place of a vehicle is in the table', () => {
  const { got, push } = collect();
  const answers = new VehicleAnswers((frame) => {
    push(frame);
    return true;
  });
  const vehicle = new SimulatedVehicle((bytes) => answers.learn(bytes), { up: 60 });
  const station = new Encoder(builtinDialect(), { system: 255, component: 190 });
  for (let i = 0; i < 200; i++) vehicle.tick(1.7e15 + i * 50_000);
  vehicle.receive(station.message('PARAM_REQUEST_LIST', { target_system: 1, target_component: 1 }));
  vehicle.tick(1.7e15 + 20e6);
  const target = { target_system: 1, target_component: 1 };
  // any message, and any command in either form
  for (const name of ids) {
    if (name.startsWith('COMMAND_')) continue;
    const fields = [...builtinDialect().messages.values()].flat().find((each) => each.name === name)?.fields ?? [];
    const given = Object.fromEntries(
      Object.entries(target).filter(([key]) => fields.some((field) => field.name === key)),
    );
    answers.receive(station.message(name as MessageName, given));
  }
  for (let command = 0; command < 1000; command++) {
    answers.receive(station.message('COMMAND_LONG', { ...target, command }));
    answers.receive(station.message('COMMAND_INT', { ...target, command }));
  }
  answers.sendWaiting(10_000);
  const recorded = ['HEARTBEAT', 'TIMESYNC'];
  const made = namesOf(got).filter((name) => !recorded.includes(name));
  expect(made).toEqual(messagesIn(rows().filter(({ command }) => command === 'replay')));
});

test('each way to switch something off is an option of its command', () => {
  for (const { message, when, off, command } of rows()) {
    const options = read(command === 'live' ? 'src/cli/live-options.ts' : `src/cli/commands/${command}.ts`);
    const named = [...`${when} ${off}`.matchAll(/`--([a-z-]+)/g)].map(([, name]) => name);
    if (message !== 'frames of a recording, unchanged') expect([message, named.length > 0]).toEqual([message, true]);
    for (const name of named)
      expect([name, options.includes(`'--${name} `) || options.includes(`'--${name}'`)]).toEqual([name, true]);
  }
});

test('nothing else in the source makes frames of MAVLink to send', () => {
  // the format itself, and what the package hands out
  const others = /^(formats\/|entry\/|browser\.ts|index\.ts)|\.test\.ts$/;
  const makers = [...readTree(new URL('../../src/', import.meta.url), '.ts')]
    .filter(([path]) => !others.test(path))
    .filter(([, text]) => /from '[./]*formats\/mavlink\/encode\.ts'/.test(text))
    .map(([path]) => path);
  // notes go into the recording, not to a link
  expect(makers.sort()).toEqual(['live/vehicle/answers.ts', 'live/vehicle/frame-sender.ts', 'session/notes.ts']);
});
