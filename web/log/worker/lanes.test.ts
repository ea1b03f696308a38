import { describe, expect, test } from 'vitest';
import type { Field } from '../../../src/entry/browser.ts';
import { Series } from '../../../src/entry/browser.ts';
import { draw } from './draw.ts';
import { namingOf, statesOf } from './lanes.ts';

const held = (values: readonly number[], times?: readonly number[]): Series =>
  new Series(Float64Array.from(times ?? values.map((_, row) => row * 1000)), Float64Array.from(values), true);
const field = (name: string, more: Partial<Field> = {}): Field => ({ name, ...more }) as Field;

function lanesOf(table: string, series: Series, own: Field, end = 1e6) {
  const naming = namingOf(table, own, series, []);
  if (!naming) return null;
  const { lanes, always } = statesOf(table, own.name, series, naming, end);
  return {
    always,
    lanes: lanes.map(({ name, from, to, code, texts }) => [
      name,
      ...Array.from(from, (each, i) => [each, to[i], texts[code[i]]]),
    ]),
  };
}

describe('states in the place of numbers', () => {
  test('values of an enumeration have their names, and a gap is none of them', () => {
    const enumeration = {
      name: 'FIX',
      bitmask: false,
      names: new Map([
        [0, 'FIX_NO_GPS'],
        [3, 'FIX_3D'],
      ]),
    };
    const series = held([0, 0, 3, 3, 7, 7, 3, 3], [0, 10, 20, 30, 40, 50, 500, 510]);
    expect(lanesOf('GPS_RAW_INT', series, field('fix_type', { enumeration }))).toEqual({
      always: [],
      lanes: [['fix_type', [0, 20, 'no gps'], [20, 40, '3d'], [40, 50, '7'], [500, 510, '3d']]],
    });
  });

  test('bits are a lane each, but those that never change', () => {
    const names = new Map([
      [1, 'S_GYRO'],
      [2, 'S_GPS'],
      [4, 'S_FENCE'],
    ]);
    const series = held([1, 3, 3, 1]);
    expect(lanesOf('SYS', series, field('health', { enumeration: { name: 'S', bitmask: true, names } }))).toEqual({
      always: ['gyro'],
      lanes: [['gps', [1000, 3000, 'set']]],
    });
  });

  test('a state that is logged when it changes lasts to the end', () => {
    const series = held([1, 0], [100, 900]);
    expect(lanesOf('ARM', series, field('ArmState'))?.lanes).toEqual([
      ['ArmState', [100, 900, 'armed'], [900, 1e6, 'disarmed']],
    ]);
  });

  test('what counts is a number, what goes on and off is a switch', () => {
    expect(lanesOf('VIBE', held([0, 0, 1, 1]), field('Clip'))).toBeNull();
    expect(lanesOf('X', held([0, 1, 2, 0]), field('Y'))).toBeNull();
    expect(lanesOf('SRTL', held([0, 1, 1, 0]), field('Active'))?.lanes[0]).toContainEqual([1000, 3000, 'on']);
  });

  test('of very many the shortest are one, and none is lost', () => {
    const series = held(Array.from({ length: 100_000 }, (_, row) => row % 2));
    const [[, ...spans]] = lanesOf('SRTL', series, field('Active'), 1e8)?.lanes ?? [[]];
    expect(spans.length).toBeLessThanOrEqual(5001);
    expect(spans[0]?.[2]).toBe('changes quickly');
  });

  test('a value that holds is drawn as steps', () => {
    const { x, y } = draw(held([5, 5, 7]), 0, 2000, 100);
    expect([...x]).toEqual([0, 1000, 2000, 2000]);
    expect([...y]).toEqual([5, 5, 5, 7]);
  });
});
