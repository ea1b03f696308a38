import { describe, expect, it } from 'vitest';
import { datagrams, needRecordings } from '../../../test/live/recorded.ts';
import { Random } from '../../../test/suite/random.ts';
import { MavlinkParser } from './parser.ts';
import { Sequences } from './sequence.ts';

/** What the numbers of one sender tell. The quick way is taken where the decoder would take it. */
function tell(numbers: readonly number[], quick = true): ReturnType<Sequences['statistics']> {
  const sequences = new Sequences(2);
  const sender = 1;
  for (const number of numbers) {
    const wrapped = number & 0xff;
    if (quick && sequences.next[sender] === wrapped) sequences.next[sender] = wrapped + 1;
    else sequences.pass(sender, wrapped);
  }
  const told = sequences.statistics(sender, '1:1');
  expect(quick ? tell(numbers, false) : told).toEqual(told);
  return told;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const clean = { stream: '1:1', lost: 0, duplicated: 0, reordered: 0, restarted: 0 };

describe('one sender', () => {
  it.each<[string, number[], Partial<ReturnType<Sequences['statistics']>>]>([
    ['nothing', [], { received: 0 }],
    ['in turn, around the end of the numbers', range(200, 1000), { received: 800 }],
    ['one lost', [1, 2, 4, 5], { received: 4, lost: 1 }],
    ['lost where the numbers begin again', [254, 1, 2], { received: 3, lost: 2 }],
    ['64 lost in one go', [...range(0, 10), ...range(73, 80)], { received: 17, lost: 63 }],
    ['100 lost in one go', [...range(0, 10), ...range(110, 120)], { received: 20, lost: 100 }],
    ['repeated at once', [1, 2, 2, 3], { received: 4, duplicated: 1 }],
    ['repeated later', [...range(0, 50), 3, ...range(50, 60)], { received: 61, duplicated: 1 }],
    ['a datagram repeated', [...range(0, 50), ...range(38, 50), ...range(50, 60)], { received: 72, duplicated: 12 }],
    ['two in the wrong order', [1, 3, 2, 4], { received: 4, reordered: 1 }],
    ['one late by 40', [0, ...range(2, 42), 1, 42], { received: 43, reordered: 1 }],
    [
      'one so late that it may be a repetition',
      [...range(0, 100), 5, ...range(100, 110)],
      { received: 111, duplicated: 1 },
    ],
    ['started again at 0', [...range(0, 100), ...range(0, 50)], { received: 150, restarted: 1 }],
    ['started again at 0 soon after 0', [...range(0, 30), ...range(0, 50)], { received: 80, restarted: 1 }],
    ['started again near the end of the numbers', [...range(0, 230), ...range(0, 50)], { received: 280, restarted: 1 }],
    ['started again, the first three lost', [...range(0, 100), ...range(3, 50)], { received: 147, restarted: 1 }],
    ['started again and again', [0, 1, 2, 3, 4].flatMap(() => range(0, 77)), { received: 385, restarted: 4 }],
    ['started again, every second lost', [...range(0, 100), 0, 2, 4, 6, 8], { received: 105, restarted: 1, lost: 4 }],
    [
      'back after an outage, to numbers that were had before',
      [...range(0, 100), ...range(60, 160)],
      { received: 200, lost: 216 },
    ],
    ['a jump to numbers from before the first', [0, 1, 2, ...range(200, 400)], { received: 203, lost: 197 }],
    ['the same after some more', [...range(0, 30), ...range(215, 260)], { received: 75, lost: 185 }],
    ['late frames from before the first', [9, 5, 6, 7, 8, 10, 11], { received: 7, reordered: 4 }],
    ['rebooted after 244', [...range(0, 245), ...range(0, 50)], { received: 295, restarted: 1 }],
    [
      '11 lost up to 255, on a link that lost 6 before',
      [...range(0, 90), ...range(96, 245), ...range(256, 300)],
      {
        received: 283,
        lost: 17,
      },
    ],
    ['11 lost, and then 2', [...range(0, 245), ...range(258, 300)], { received: 287, lost: 13 }],
    ['3 lost up to 255', [...range(0, 253), ...range(256, 300)], { received: 297, lost: 3 }],
    ['11 lost, and 0 alone', [...range(0, 245), 256, ...range(270, 300)], { received: 276, lost: 24 }],
    ['started again at 7', [...range(0, 100), ...range(7, 50)], { received: 143, restarted: 1 }],
    ['back at 8, which is no start', [...range(0, 100), ...range(8, 50)], { received: 142, lost: 256 - 99 + 8 - 1 }],
    ['one 64 ahead', [...range(0, 10), 73, ...range(10, 20)], { received: 21, lost: 63 - 10, reordered: 10 }],
    ['one 65 ahead, which is no loss', [...range(0, 10), 74, ...range(10, 20)], { received: 21, duplicated: 1 }],
    ['a single stray number', [...range(10, 110), 0, ...range(110, 120)], { received: 111, duplicated: 1 }],
  ])('%s', (_, numbers, told) => {
    expect(tell(numbers)).toEqual({ ...clean, ...told });
  });
});

/** Numbers of frames as a bad link delivers them, and how many of them are gone for good. */
function badLink(random: Random, count: number, loss: number, repeat: number, late: number): [number[], number] {
  const arrivals: { at: number; number: number }[] = [];
  let gone = 0;
  for (let number = 0; number < count; number++) {
    if (random.chance(loss)) {
      gone++;
      continue;
    }
    const delay = random.chance(late) ? random.between(1, 20) + 0.5 : 0;
    arrivals.push({ at: number + delay, number });
    if (random.chance(repeat)) arrivals.push({ at: number + delay + random.between(0, 10) + 0.25, number });
  }
  return [arrivals.sort((a, b) => a.at - b.at).map(({ number }) => number), gone];
}

describe('loss is reported truly', () => {
  const rates = [0, 0.01, 0.1, 0.3, 0.5];
  const cases = rates.flatMap((loss) => rates.flatMap((repeat) => rates.map((late) => [loss, repeat, late] as const)));

  it.each(cases)('with %d lost, %d repeated and %d late', (loss, repeat, late) => {
    const [numbers, gone] = badLink(new Random(7), 20_000, loss, repeat, late);
    const { received, lost, duplicated, restarted } = tell(numbers);
    expect(received).toBe(numbers.length);
    const sent = lost + received - duplicated;
    expect(Math.abs(lost / sent - gone / 20_000)).toBeLessThan(0.01);
    expect(Math.abs(duplicated - (numbers.length - (20_000 - gone)))).toBeLessThan(0.01 * numbers.length);
    expect(restarted).toBeLessThan(2);
  });

  it('with reboots, which lose nothing', () => {
    const random = new Random(8);
    for (const loss of [0, 0.1, 0.3]) {
      let sent = 0;
      let gone = 0;
      const numbers: number[] = [];
      for (let boot = 0; boot < 20; boot++) {
        const count = random.between(500, 1500);
        const [part, lost] = badLink(random, count, loss, 0, 0);
        numbers.push(...part);
        sent += count;
        gone += lost;
      }
      const told = tell(numbers);
      expect(Math.abs(told.lost / (told.lost + told.received) - gone / sent)).toBeLessThan(0.01);
      // a start at a number that was about to come, or had just come, cannot be told from the old numbering
      if (loss === 0) expect(told.restarted).toBeGreaterThanOrEqual(15);
      expect(told.restarted).toBeLessThanOrEqual(19);
    }
  });
});

describe('a reboot that the time since boot shows', () => {
  const counted = (numbers: readonly number[], rebooted: boolean): ReturnType<Sequences['statistics']> => {
    const sequences = new Sequences(1);
    for (const number of numbers) sequences.pass(0, number & 0xff);
    if (rebooted) sequences.rebooted(0);
    return sequences.statistics(0, '1:1');
  };

  it('takes back the loss that the numbers seemed to show', () => {
    const numbers = [...range(0, 90), ...range(96, 245), ...range(0, 100)];
    expect(counted(numbers, false)).toMatchObject({ lost: 17, restarted: 0 });
    expect(counted(numbers, true)).toMatchObject({ lost: 6, restarted: 1 });
  });

  it('is counted once where the numbers show it too', () => {
    const numbers = [...range(0, 245), ...range(0, 100)];
    expect(counted(numbers, true)).toEqual(counted(numbers, false));
  });

  it('is counted where the numbers show nothing, and takes back no loss from long before', () => {
    expect(counted(range(0, 300), true)).toMatchObject({ lost: 0, restarted: 1 });
    expect(counted([...range(0, 90), ...range(96, 253), ...range(256, 900)], true)).toMatchObject({
      lost: 9,
      restarted: 1,
    });
  });
});

needRecordings('a PX4 that was killed and booted', () => {
  const sent = datagrams('px4/boot.pcapng').filter(({ from }) => from === 18570);
  const pause = (i: number): number => sent[i].time - sent[i - 1].time;
  const restart = sent.findIndex((_, i) => i > 0 && pause(i) > 5e6);
  const statistics = (frames: typeof sent): ReturnType<MavlinkParser['statistics']> => {
    const parser = new MavlinkParser();
    for (const { bytes } of frames) parser.parse(bytes);
    return parser.statistics();
  };

  it('lost nothing, and one frame came late', () => {
    expect(sent[restart].bytes[4]).toBe(0);
    expect(statistics(sent)).toEqual([{ ...clean, received: 5495, reordered: 1, restarted: 1 }]);
  });

  it('lost nothing either where its last number was 244', () => {
    const last = sent.findLastIndex(({ bytes }, i) => i < restart && bytes[4] === 244);
    const kept = [...sent.slice(0, last + 1), ...sent.slice(restart)];
    expect(statistics(kept)).toEqual([{ ...clean, received: kept.length, reordered: 1, restarted: 1 }]);
  });
});
