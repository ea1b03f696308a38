import { expect, expectTypeOf, it } from 'vitest';
import { Encoder } from '../encode.ts';
import { builtinDialect } from './builtin.ts';
import type { MessageName, Messages, SendValues } from './messages.ts';

interface Mine extends Messages {
  MY_MESSAGE: { value: number; text: string };
}

it('are typed: fields, 64-bit integers, text and arrays', () => {
  expectTypeOf<Messages['ATTITUDE']>().toEqualTypeOf<{
    time_boot_ms: number;
    roll: number;
    pitch: number;
    yaw: number;
    rollspeed: number;
    pitchspeed: number;
    yawspeed: number;
  }>();
  expectTypeOf<Messages['SYSTEM_TIME']['time_unix_usec']>().toEqualTypeOf<number | bigint>();
  expectTypeOf<Messages['STATUSTEXT']['text']>().toEqualTypeOf<string>();
  expectTypeOf<Messages['BATTERY_STATUS']['voltages']>().toEqualTypeOf<readonly number[]>();
  expectTypeOf<Messages['TEST_TYPES']['u64_array']>().toEqualTypeOf<readonly (number | bigint)[]>();
  expectTypeOf<'HEARTBEAT'>().toExtend<MessageName>();
  expectTypeOf<'HEART_BEAT'>().not.toExtend<MessageName>();
});

it('check what is to be sent when it is compiled', () => {
  const encoder = new Encoder(builtinDialect(), { system: 255, component: 190 });
  expectTypeOf<SendValues<Messages['SYSTEM_TIME']>>().toEqualTypeOf<{
    readonly time_unix_usec?: number | bigint | null;
    readonly time_boot_ms?: number | null;
  }>();
  expect(encoder.message('BATTERY_STATUS', { voltages: Uint16Array.of(1, 2), id: 0 })[7]).toBe(147);
  // @ts-expect-error no such message
  expect(() => encoder.message('ATITUDE', {})).toThrow('no message ATITUDE');
  // @ts-expect-error no such field
  expect(() => encoder.message('ATTITUDE', { rol: 1 })).toThrow('no field rol');
  // @ts-expect-error a text is no number
  expect(() => encoder.message('ATTITUDE', { roll: '1' })).toThrow('is a text');
  // @ts-expect-error a bigint only where 64 bits are
  encoder.message('ATTITUDE', { time_boot_ms: 1n });
  // @ts-expect-error one number is no array
  expect(() => encoder.message('BATTERY_STATUS', { voltages: 1 })).toThrow('not an array');
});

it('can be added to by users', () => {
  const encoder = new Encoder<Mine>(builtinDialect(), { system: 255, component: 190 });
  expectTypeOf(encoder.message<'MY_MESSAGE'>)
    .parameter(1)
    .toEqualTypeOf<SendValues<Mine['MY_MESSAGE']>>();
  expect(() => encoder.message('MY_MESSAGE', { value: 1, text: 'a' })).toThrow('no message MY_MESSAGE in dialect all');
  expect(encoder.message('HEARTBEAT', { type: 1 })[0]).toBe(0xfd);
});
