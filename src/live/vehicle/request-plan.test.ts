import { describe, expect, test } from 'vitest';
import { RequestPlan } from './request-plan.ts';

const SECOND = 1e6;
const [SET_MESSAGE_INTERVAL, REQUEST_MESSAGE] = [511, 512];
const [ACCEPTED, DENIED, ARDUPILOT] = [0, 2, 3];
const IDS: Readonly<Record<string, number>> = { ATTITUDE: 30, VFR_HUD: 74, GPS2_RAW: 124 };

/** A plan for a vehicle that sends nothing, and the commands that it got. */
function planFor(rates: Readonly<Record<string, number>>) {
  const sent: { command: number; message: number; time: number }[] = [];
  let now = 0;
  const plan = new RequestPlan(
    {
      ...{ autopilot: ARDUPILOT, kind: 'Copter', hasFix: false, countOf: () => 0 },
      target: { link: 'a', system: 1, component: 1, components: [1], address: undefined },
    },
    {
      idOf: (message) => IDS[message],
      command: (_, command, [message]) => sent.push({ command, message, time: now }),
      dataStream: () => undefined,
    },
    { once: [], rates },
    'never',
    0,
  );
  const states = (): Record<string, string> =>
    Object.fromEntries(plan.requests.map((each) => [each.message, each.state]));
  return {
    ...{ plan, sent, states },
    /** Lets time go by until a time, in seconds, or until one more command is sent. */
    until(seconds: number, stop = (): boolean => false): void {
      for (; now <= seconds * SECOND && !stop(); now += 0.1 * SECOND) plan.tick(now, () => true);
    },
    answer: (command: number, result: number) => plan.answer(command, result, now),
  };
}

describe('an answer to a command that was given up', () => {
  test('is not taken for one to the next command', () => {
    const { sent, states, until, answer } = planFor({ ATTITUDE: 4, VFR_HUD: 2 });
    until(10, () => sent.length === 2);
    expect(sent.map(({ message }) => message)).toEqual([IDS.ATTITUDE, IDS.VFR_HUD]);
    expect(sent[1].time - sent[0].time).toBeGreaterThanOrEqual(2 * SECOND);
    answer(SET_MESSAGE_INTERVAL, DENIED);
    expect(Object.values(states())).not.toContain('refused');
    // the second one can only be meant for the second command
    answer(SET_MESSAGE_INTERVAL, ACCEPTED);
    expect(states().VFR_HUD).toBe('accepted');
  });

  test('keeps no later command from being answered', () => {
    const { sent, states, until, answer } = planFor({ ATTITUDE: 4, VFR_HUD: 2 });
    until(10, () => sent.length === 2);
    // the first one was lost, and this is for the second
    answer(SET_MESSAGE_INTERVAL, ACCEPTED);
    until(30, () => sent.length === 3);
    answer(SET_MESSAGE_INTERVAL, DENIED);
    const [, , { message }] = sent;
    expect(states()[message === IDS.ATTITUDE ? 'ATTITUDE' : 'VFR_HUD']).toBe('refused');
  });
});

test('what is accepted and never comes is asked for ever more seldom, and at last no more', () => {
  const { plan, sent, until, answer } = planFor({ GPS2_RAW: 1 });
  for (let second = 0; second < 7200; second++) {
    const before = sent.length;
    until(second);
    if (sent.length > before) answer(sent[before].command, ACCEPTED);
  }
  expect(sent.every(({ command }) => command === REQUEST_MESSAGE || command === SET_MESSAGE_INTERVAL)).toBe(true);
  const pauses = sent.slice(1).map(({ time }, i) => time - sent[i].time);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  expect(sent.length).toBeGreaterThan(3);
  expect(sent.length).toBeLessThanOrEqual(8);
  expect(plan.requests[0].nextAt).toBeNull();
});
