import { describe, expect, test } from 'vitest';
import { isBusToken } from '../live/link-name.ts';
import { collectorName, liveSubject, parseSubject } from './subject.ts';

describe('the subject of telemetry', () => {
  test('says collector and vehicle, and the message where it has one', () => {
    expect(liveSubject('base-2', 1, '')).toBe('skein.live.base-2.1.all');
    expect(liveSubject('base-2', 1, 'ATTITUDE')).toBe('skein.live.base-2.1.ATTITUDE');
    // names come from definitions of users
    expect(liveSubject('base-2', 1, 'A.*>')).toBe('skein.live.base-2.1.all');
    expect(parseSubject('skein.live.base-2.255.all')).toEqual({ collector: 'base-2', system: 255 });
  });

  test.each([
    'skein.live.a.1',
    'skein.live.a.b.all',
    'skein.live.a.256.all',
    'skein.live.a.1.all.b',
    'skein.live..1.all',
  ])('%s is none', (subject) => {
    expect(parseSubject(subject)).toBeUndefined();
  });

  test.each(['', 'a.b', 'a b', '>', '*', '../x', 'a\u001b', 'ä', 'x'.repeat(65)])(
    '%j is no name of a collector',
    (name) => {
      expect(isBusToken(name)).toBe(false);
      expect(isBusToken(collectorName(name))).toBe(true);
      expect(parseSubject(`skein.live.${name}.1.all`)).toBeUndefined();
    },
  );
});
