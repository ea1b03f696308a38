import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { LiveCollector } from '../live/collector.ts';
import { statusOf } from './status.ts';

const DIALECT = builtinDialect('common');
const NOW = Date.UTC(2025, 9, 9, 14, 45, 20) * 1000;

describe('the status', () => {
  const collector = new LiveCollector({ send: () => undefined });
  const px4 = new Encoder(DIALECT, { system: 1, component: 1 });

  test('without vehicles is the time', () => {
    expect(statusOf(collector, NOW)).toEqual({ last_update: '2025-10-09 14:45:20' });
  });

  test('has what is known, and no key for what is not', () => {
    collector.receive('a', px4.message('HEARTBEAT', { type: 2, autopilot: 12, custom_mode: 0x03040000 }), NOW - 8e5);
    expect(statusOf(collector, NOW)).toEqual({
      system_id: 1,
      component_id: 1,
      armed: false,
      flight_mode: 'AUTO_LOITER',
      firmware: 'PX4',
      heartbeat: '0.8s ago',
      last_activity: '0.8s ago',
      messages_per_sec: 0,
      last_update: '2025-10-09 14:45:20',
    });
  });

  test('has battery and firmware once they were told', () => {
    collector.receive('a', px4.message('SYS_STATUS', { voltage_battery: 65535 }), NOW - 3e5);
    collector.receive('a', px4.message('AUTOPILOT_VERSION', { flight_sw_version: 0x010d02ff }), NOW - 2e5);
    expect(statusOf(collector, NOW)).toMatchObject({ firmware: 'PX4 1.13.2', last_activity: '0.2s ago' });
    expect(statusOf(collector, NOW)).not.toHaveProperty('battery_voltage');
    collector.receive('a', px4.message('SYS_STATUS', { voltage_battery: 12_400 }), NOW - 1e5);
    expect(statusOf(collector, NOW)).toMatchObject({
      battery_voltage: 12.4,
      battery: '0.1s ago',
      heartbeat: '0.8s ago',
    });
    expect(statusOf(collector, NOW + 9e6)).toMatchObject({ battery_voltage: 12.4, battery: '9.1s ago' });
  });

  test('of several vehicles has each by its key beside the first', () => {
    const rover = new Encoder(DIALECT, { system: 1, component: 1 });
    collector.receive('b', rover.message('HEARTBEAT', { type: 10, autopilot: 3, base_mode: 128 }), NOW);
    const status = statusOf(collector, NOW);
    expect(status).toMatchObject({ flight_mode: 'AUTO_LOITER', firmware: 'PX4 1.13.2' });
    expect(Object.keys(status.vehicles ?? {})).toEqual(['1', '1@b']);
    expect(status.vehicles?.['1@b']).toMatchObject({ armed: true, flight_mode: 'MANUAL', heartbeat: '0.0s ago' });
    expect(status.vehicles?.['1@b']).toHaveProperty('firmware', 'ArduPilot');
  });

  test.each([
    [0, 'generic autopilot'],
    [3, 'ArduPilot'],
    [12, 'PX4'],
    [200, undefined],
  ])('names autopilot %i by its first heartbeat', (autopilot, name) => {
    const fresh = new LiveCollector({ send: () => undefined });
    fresh.receive('a', px4.message('HEARTBEAT', { type: 2, autopilot }), NOW);
    expect(statusOf(fresh, NOW).firmware).toBe(name);
  });
});
