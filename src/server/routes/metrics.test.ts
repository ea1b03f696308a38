import { describe, expect, test } from 'vitest';
import type { LiveView } from '../view.ts';
import type { VehicleWire } from '../wire.ts';
import { metricsText } from './metrics.ts';

const COUNTERS = {
  ...{ connections: 1, evicted: 0, streams: 0, eventsSent: 0, eventsDropped: 0 },
  requests: new Map<number, number>(),
};

const AGE = { time: 1.5, age: 0, stale: false };

const vehicle = (id: string): VehicleWire => ({
  ...{
    id,
    system: 1,
    component: 1,
    link: 'l',
    links: ['l'],
    class: '',
    firmware: '',
    armed: null,
    mode: null,
    lost: true,
  },
  ...{
    lastHeartbeat: 1.5,
    lastActivity: null,
    rate: Number.POSITIVE_INFINITY,
    loss: null,
    position: null,
    speed: null,
  },
  ...{ conflict: null, heartbeat: AGE },
  batteries: [
    {
      ...{ id: 0, voltage: Number.NaN, current: -1.5, remaining: 50, consumed: null, energy: null, temperature: null },
      ...{ cells: [], timeRemaining: null, chargeState: null, faults: 0, ...AGE },
    },
  ],
});

const view = (ids: readonly string[], names: readonly string[]): LiveView => ({
  vehicles: () => ids.map(vehicle),
  vehicle: () => undefined,
  messages: () =>
    names.map((message) => ({
      component: 1,
      message,
      id: 1,
      count: 7,
      rate: 1,
      first: 0,
      last: 0,
      age: 0,
      stale: false,
    })),
  latest: () => undefined,
  links: () => [],
  statistics: () => ({}),
  recordings: () => [],
  subscribe: () => () => {},
});

describe('metrics', () => {
  test('names that try to end a line or a label stay inside it', () => {
    const text = metricsText(view(['1"} 9\nskein_evil 1\n\\'], ['X']), COUNTERS, 10);
    expect(text).toContain('skein_vehicle_up{vehicle="1\\"} 9\\nskein_evil 1\\n\\\\"} 0\n');
    expect(text.split('\n').some((line) => line.startsWith('skein_evil'))).toBe(false);
  });

  test('say how frames go to a bus, where they do', () => {
    const state = { collector: 'base-2', state: 'sending', error: '', batches: 1, spooled: 4 };
    const bus = { ...state, frames: 9, acknowledged: 8, dropped: 2 };
    const text = metricsText({ ...view([], []), bus: () => bus }, COUNTERS, 10);
    expect(text).toContain('skein_bus_up{collector="base-2"} 1\n');
    expect(text).toContain('skein_bus_dropped_frames_total{collector="base-2"} 2\n');
    expect(metricsText(view([], []), COUNTERS, 10)).not.toContain('skein_bus');
  });

  test('what is not known has no line, what is no number is written as Prometheus does', () => {
    const text = metricsText(view(['1'], []), COUNTERS, 10);
    expect(text).not.toMatch(/armed|latitude|loss_ratio/);
    expect(text).toContain('skein_vehicle_message_rate{vehicle="1"} +Inf\n');
    expect(text).toContain('skein_battery_volts{vehicle="1",battery="0"} NaN\n');
    expect(text).toContain('skein_battery_amperes{vehicle="1",battery="0"} -1.5\n');
    expect(text).toContain('skein_battery_remaining_ratio{vehicle="1",battery="0"} 0.5\n');
    expect(text).toContain('skein_vehicle_last_heartbeat_timestamp_seconds{vehicle="1"} 1.5\n');
    expect(text).toContain('skein_vehicle_conflict{vehicle="1"} 0\n');
    const inConflict = { ...view([], []), vehicles: () => [{ ...vehicle('1'), conflict: 'also sent from elsewhere' }] };
    expect(metricsText(inConflict, COUNTERS, 10)).toContain('skein_vehicle_conflict{vehicle="1"} 1\n');
  });

  test('what is old has no line, so that it is not taken for current', () => {
    const position = { latitude: 47, longitude: 8, altitude: 500, relativeAltitude: 20, heading: 90 };
    const old = { ...AGE, stale: true };
    const shown = (age: typeof AGE): string => {
      const [pack] = vehicle('1').batteries;
      const all = { ...vehicle('1'), armed: true, heartbeat: age, position: { ...position, ...age } };
      return metricsText(
        { ...view([], []), vehicles: () => [{ ...all, batteries: [{ ...pack, ...age }] }] },
        COUNTERS,
        10,
      );
    };
    const values = /^skein_(battery|vehicle_(armed|latitude|longitude|altitude))[^ ]* /gm;
    expect(shown(AGE).match(values)).toHaveLength(7);
    expect(shown(old)).not.toMatch(values);
    expect(shown(old)).toContain('skein_vehicle_up{vehicle="1"} 0\n');
  });

  test('beyond the limit kinds of messages are counted, not listed', () => {
    const text = metricsText(view(['1', '2'], ['A', 'B', 'C']), COUNTERS, 4);
    expect(text.match(/^skein_messages_total\{/gm)).toHaveLength(4);
    expect(text).toContain('skein_messages_not_listed 2\n');
  });

  test('without a view there are those of the server', () => {
    const text = metricsText(undefined, COUNTERS, 10);
    expect(text).toContain('skein_http_connections 1\n');
    expect(text).not.toContain('vehicle');
  });
});
