import { expect, test } from 'vitest';
import { signingOf } from './signing.ts';

const counts = (messages: number, signatures: Record<string, number>) => ({
  ...{ link: 'a', bytes: 0, packets: 0, messages, peers: 0, faults: {}, streams: {}, signatures, notice: '' },
});

test.each<[string, number, Record<string, number>, string, string]>([
  ['nothing came', 0, {}, '–', 'dim'],
  ['without a key nobody signs', 9, {}, 'not signed', 'dim'],
  ['without a key frames are signed', 9, { unchecked: 9 }, 'signed, no key here', 'warn'],
  ['all is signed, but for the radio', 9, { valid: 8, exempt: 1 }, '✓ signed', 'good'],
  ['some is not, and accepted', 9, { valid: 8, tolerated: 1 }, '▲ partly signed', 'warn'],
  ['none is, and accepted', 9, { tolerated: 9 }, '▲ not signed, accepted', 'warn'],
  ['some is refused', 9, { valid: 9, 'bad-signature': 2, replayed: 1 }, '✕ 3 refused', 'bad'],
  ['all is refused', 0, { unsigned: 4 }, '✕ 4 refused', 'bad'],
])('%s', (_, messages, signatures, text, look) => {
  expect(signingOf(counts(messages, signatures))).toMatchObject({ text, look });
});

test('a link that is not known says nothing', () => {
  expect(signingOf(undefined)).toEqual({ text: '–', look: 'dim', title: '' });
});
