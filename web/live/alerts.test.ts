import { describe, expect, test } from 'vitest';
import type { VehicleWire, WireRow } from '../../src/server/wire.ts';
import { type Alert, alertNews, alertsOf, nextAlerts, rulesOf, USUAL_RULES } from './alerts.ts';
import { VehicleMessages } from './vehicle-messages.ts';

const NOW = 1000;
const FENCE = 1 << 20;
const age = { time: NOW, age: 0, stale: false };
const pack = { id: 0, voltage: 12, current: 1, remaining: 80, consumed: null, timeRemaining: null, temperature: null };

const vehicle = (changes: Partial<VehicleWire> = {}): VehicleWire =>
  ({
    ...{ id: '1', system: 1, component: 1, link: 'a', links: ['a'], class: 'Copter', firmware: '' },
    ...{ armed: true, mode: 'GUIDED', heartbeat: age, lost: false, lastHeartbeat: NOW, lastActivity: NOW },
    ...{ rate: 10, loss: 0, conflict: null, position: null, speed: null, batteries: [] },
    ...changes,
  }) as VehicleWire;
const battery = (remaining: number | null, stale = false) => ({ ...pack, ...age, remaining, stale }) as never;

/** A vehicle that sent these messages so many seconds ago. */
function feedOf(messages: Readonly<Record<string, WireRow>>, seconds = 1): VehicleMessages {
  const feed = new VehicleMessages('1');
  for (const [type, data] of Object.entries(messages)) {
    const head = { event: 'message', id: '', vehicle: '1', component: 1 } as const;
    feed.add({ ...head, time: NOW - seconds, type, data }, 1, 60);
  }
  return feed;
}
const status = (health: number) => ({
  SYS_STATUS: {
    onboard_control_sensors_present: FENCE,
    onboard_control_sensors_enabled: FENCE,
    onboard_control_sensors_health: health,
  },
});
const texts = (one: VehicleWire, feed?: VehicleMessages, rules = USUAL_RULES): string[] =>
  alertsOf(one, feed, rules, NOW).map(({ text }) => text);

describe('the rules of alerts', () => {
  test('say nothing of a vehicle that is well, or of which nothing is known', () => {
    const well = { ...status(FENCE), EKF_STATUS_REPORT: { velocity_variance: 0.2, compass_variance: 0.8 } };
    expect(texts(vehicle({ batteries: [battery(25), battery(null)], loss: 0.1 }), feedOf(well))).toEqual([]);
    expect(texts(vehicle({ loss: null, mode: null, armed: null }))).toEqual([]);
  });

  test('say which limit was passed, with both numbers', () => {
    const feed = feedOf({ ...status(0), EKF_STATUS_REPORT: { velocity_variance: 0.2, compass_variance: 1.25 } });
    const bad = vehicle({ batteries: [battery(80), battery(12)], loss: 0.34, mode: 'RTL' });
    expect(texts(bad, feed)).toEqual([
      'battery 2 at 12 %, limit 25 %',
      '34 % of its frames lost, limit 10 %',
      'EKF test ratio 1.25, limit 0.8',
      'fence broken',
      'mode RTL while armed',
    ]);
    expect(texts(vehicle({ mode: 'RTL', armed: false }))).toEqual([]);
    expect(texts(vehicle(), feedOf({ ESTIMATOR_STATUS: { vel_ratio: 0.1, mag_ratio: 0.9 } }))).toEqual([
      'EKF test ratio 0.90, limit 0.8',
    ]);
    expect(texts(vehicle(), feedOf({ FENCE_STATUS: { breach_status: 1 } }))).toEqual(['fence broken']);
  });

  test('take nothing that is old for what is so now; a lost heartbeat is all that is known', () => {
    const old = feedOf({ ...status(0), EKF_STATUS_REPORT: { velocity_variance: 3 } }, 20);
    expect(texts(vehicle({ batteries: [battery(3, true)] }), old)).toEqual([]);
    const lost = vehicle({ lost: true, lastHeartbeat: NOW - 12, mode: 'RTL', batteries: [battery(3)] });
    expect(texts(lost)).toEqual(['heartbeat lost, last 12 s ago']);
  });

  test('can each be switched off', () => {
    const none = { battery: null, ekf: null, link: null, fence: false, modes: '', sound: false, webhook: '' };
    const feed = feedOf({ ...status(0), EKF_STATUS_REPORT: { velocity_variance: 3 } });
    expect(texts(vehicle({ batteries: [battery(1)], loss: 1, mode: 'RTL' }), feed, none)).toEqual([]);
    expect(texts(vehicle({ mode: 'Position Hold' }), undefined, { ...none, modes: 'x' })).toEqual([]);
  });

  test('of what a browser kept, only what is understood is taken', () => {
    expect(rulesOf(null)).toEqual(USUAL_RULES);
    expect(rulesOf({ webhook: 'http://gcs.local:1880/a' }).webhook).toBe('http://gcs.local:1880/a');
    for (const webhook of ['http://evil.example/a', 'http://127.0.0.1.evil.example', 'https://localhost', 'x', 7])
      expect(rulesOf({ webhook }).webhook, String(webhook)).toBe('');
    expect(rulesOf({ battery: '9', ekf: null, link: Number.NaN, fence: 1, modes: 4, sound: true })).toEqual({
      ...{ ...USUAL_RULES, ekf: null, sound: true },
    });
  });
});

test('an alert keeps its beginning while it lasts, even if its numbers change, and then tells its end', () => {
  const one = vehicle();
  const look = (before: readonly Alert[], text: string, now: number): readonly Alert[] =>
    nextAlerts(before, [{ vehicle: one, found: text === '' ? [] : [{ rule: 'battery', text }] }], now);
  const first = look([], 'battery at 20 %, limit 25 %', 5);
  const second = look(first, 'battery at 19 %, limit 25 %', 6);
  expect(second).toEqual([{ ...first[0], text: 'battery at 19 %, limit 25 %', since: 5, until: null }]);
  const over = look(second, '', 9);
  expect(over).toEqual([{ ...second[0], until: 9 }]);
  // a webhook gets what is new and what is over, once
  expect([alertNews([], first), alertNews(first, second), alertNews(second, over)]).toEqual([first, [], over]);
  const again = look(over, 'battery at 10 %, limit 25 %', 12);
  expect(again.map(({ since, until }) => [since, until])).toEqual([
    [12, null],
    [5, 9],
  ]);
});
