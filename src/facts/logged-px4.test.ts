import { describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { openLog } from '../node/open.ts';
import { factsOf } from './facts.ts';
import { px4StateName } from './mode-names.ts';

test('states of PX4 are named by its version', () => {
  expect([0, 2, 3, 4, 5, 17, 18].map((state) => px4StateName(state, '1.17.0'))).toEqual([
    'MANUAL',
    'POSCTL',
    'AUTO_MISSION',
    'AUTO_LOITER',
    'AUTO_RTL',
    'AUTO_TAKEOFF',
    'AUTO_LAND',
  ]);
  expect([px4StateName(6, '1.9.0'), px4StateName(6, '1.15.2'), px4StateName(16, '1.11.3')]).toEqual([
    'AUTO_RCRECOVER',
    'Position Slow',
    'RATTITUDE',
  ]);
  expect([px4StateName(16, '1.12.0'), px4StateName(99, null), px4StateName(8, null)]).toEqual([
    'MODE(16)',
    'MODE(99)',
    'ALTITUDE_CRUISE',
  ]);
});

needShared(
  describe,
  '..',
  'field',
  'ulog',
)('the facts of PX4', () => {
  const factsIn = async (name: string) => factsOf(await openLog(sharedData('..', 'field', 'ulog', name)));

  test('a sample of another boot makes no log longer', async () => {
    const { start, end } = await (await factsIn('pyulog-vtol-1.11.ulg.gz')).span();
    expect(((end ?? 0) - (start ?? 0)) / 1e6).toBeLessThan(10);
  });

  test('a rocket is no multicopter, a quad of 2019 is one, and its whole positions are degrees', async () => {
    expect((await (await factsIn('tv3-rocket-1.16.1.ulg.gz')).vehicle()).kind).toBeNull();
    const facts = await factsIn('frs-motor_failure-1.9.ulg');
    expect(await facts.vehicle()).toMatchObject({ kind: 'Copter', board: 'PX4_FMU_V3', firmware: { name: 'PX4' } });
    const { lat, alt, points } = await facts.track();
    expect([points, Math.round(lat[0] * 1e4), Math.round(alt[0])]).toEqual([179, 473_566, 429]);
  });

  test('events have the texts that the log carries, without checks among them', async () => {
    const events = await (await factsIn('pyulog-events-1.14.ulg.gz')).events();
    // as pyulog has it: the colours of the console are in the log
    expect(events.map(({ text }) => text)).toContain('[commander] \u001b[32mReady for takeoff!\u001b[0m');
    const texts = events.filter(({ table }) => table === 'event').map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(['Takeoff detected', 'Disarmed by landing']));
    expect(events.some(({ kind, text }) => kind === 'takeoff' && text === 'took off')).toBe(true);
  });
});
