import { describe, expect, test } from 'vitest';
import { type LiveView, liveHash, liveViewOf, parsePlotted, plottedText } from './view-hash.ts';

describe('address of the live page', () => {
  test('a link restores what it was made of', () => {
    const views: LiveView[] = [
      { vehicle: '', isFleet: false, charts: null, span: 60 },
      { vehicle: '1@udpin:0.0.0.0:14550', isFleet: true, charts: [['A.b', 'C[1].d[2]'], ['E.f']], span: 600 },
      { vehicle: 'a&b=#%', isFleet: false, charts: [], span: 10 },
    ];
    for (const view of views) expect(liveViewOf(liveHash(view))).toEqual(view);
  });

  test('what nobody could have made is left out', () => {
    const many = Array.from({ length: 99 }, (_, i) => `A.b${i}`).join(',');
    const { charts, span } = liveViewOf(`#charts=${many};<img>.x,__proto__.a;;%3B&span=1e9`);
    expect(charts).toEqual([Array.from({ length: 8 }, (_, i) => `A.b${i}`), ['__proto__.a']]);
    expect(span).toBe(60);
  });
});

describe('field of a chart', () => {
  test('is read as it is written', () => {
    for (const text of ['ATTITUDE.roll', 'BATTERY_STATUS[1].voltages[2]']) {
      const field = parsePlotted(text);
      expect(field && plottedText(field)).toBe(text);
    }
    expect(parsePlotted('ATTITUDE')).toBeUndefined();
  });
});
