import { expect, test } from 'vitest';
import { FrameLoop } from './frame-loop.ts';

/** How often a painter draws in two seconds. @param cost milliseconds that a frame takes in which it drew */
function drawn(cost: number, interval: number, hasNews = true): { drawn: number; frames: number } {
  const loop = new FrameLoop(() => undefined);
  let count = 0;
  let drewAt = -1;
  loop.paint(
    (time) => {
      if (!hasNews) return false;
      count++;
      drewAt = time;
      return true;
    },
    () => interval,
  );
  let frames = 0;
  for (let time = 0; time < 2000; frames++) {
    loop.draw(time);
    time += drewAt === time ? cost : 16;
  }
  return { drawn: count, frames };
}

test('a painter draws as often as it wants to, and not more', () => {
  expect(drawn(16, 0).drawn).toBe(125);
  expect(drawn(16, 100).drawn).toBe(18);
  expect(drawn(16, 0, false).drawn).toBe(0);
});

test('who draws slowly draws less often, so that two thirds of the time are free', () => {
  const { drawn: pictures, frames } = drawn(100, 0);
  // one each 308 ms
  expect(pictures).toBe(7);
  expect(frames).toBeGreaterThan(80);
  // never so seldom that it seems to stand
  expect(drawn(900, 0).drawn).toBe(2);
});

test('who has ended is not called again, and others are not kept waiting by it', () => {
  const loop = new FrameLoop(() => undefined);
  const calls: string[] = [];
  const note = (name: string) => () => {
    calls.push(name);
    return name === 'slow';
  };
  const end = loop.paint(note('slow'), () => 0);
  loop.paint(note('idle'), () => 0);
  loop.draw(0);
  loop.draw(200);
  loop.draw(220);
  end();
  loop.draw(900);
  // the one that drew rests after the long frame, the one that did not is called each time
  expect(calls).toEqual(['slow', 'idle', 'idle', 'idle', 'idle']);
});
