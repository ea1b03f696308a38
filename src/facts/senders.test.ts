import { expect, test } from 'vitest';
import { Random } from '../../test/suite/random.ts';
import type { StreamStatistics } from '../core/decoder.ts';
import { Sequences } from '../formats/mavlink/sequence.ts';
import { isMixed } from './senders.ts';

function statisticsOf(numbers: readonly number[]): StreamStatistics {
  const sequences = new Sequences(1);
  for (const number of numbers) sequences.pass(0, number & 0xff);
  return sequences.statistics(0, '1:1');
}

test('two programs that number as one sender lose nothing that is known', () => {
  for (const times of [2, 3, 5, 10]) {
    const random = new Random(times);
    let [one, two] = [random.below(256), random.below(256)];
    const numbers = Array.from({ length: 20_000 }, () => (random.below(times) === 0 ? one++ : two++));
    expect([times, isMixed(statisticsOf(numbers))]).toEqual([times, true]);
  }
});

test('one that loses most of what it sends is one, also over a way that delays and repeats some', () => {
  for (const kept of [2, 5, 10]) {
    const random = new Random(kept);
    const numbers = Array.from({ length: 50_000 }, (_, i) => i).filter(() => random.below(kept) === 0);
    const shuffled = numbers.flatMap((number, i) => (i % 50 === 0 ? [numbers[i + 1] ?? number, number] : [number]));
    expect([kept, isMixed(statisticsOf(numbers)), isMixed(statisticsOf(shuffled))]).toEqual([kept, false, false]);
  }
});
