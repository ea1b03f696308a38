import { describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { readBytes, sampleFile } from '../../test/suite/sample.ts';
import { openInput } from '../formats/open.ts';
import { findOffsets, type MotionSamples, readMotion } from './alignment.ts';

const motionOf = async (bytes: Uint8Array): Promise<MotionSamples> => readMotion(await openInput(bytes));
const sample = (name: string): Promise<MotionSamples> => motionOf(sampleFile(name).bytes);

/** The same motion by a clock that is so many seconds ahead, UTC or not. */
function shifted(motion: MotionSamples, seconds: number, utc: boolean): MotionSamples {
  const shift = (of: MotionSamples['position']): MotionSamples['position'] =>
    of && { ...of, times: of.times.map((each) => each + seconds) };
  return { utc, position: shift(motion.position), rotation: shift(motion.rotation) };
}

describe('one flight, recorded by several devices', () => {
  test('the path of the receiver and of the NMEA output is the same at the same times', async () => {
    const [found, ...more] = findOffsets(await sample('copter-square.BIN'), await sample('copter-square.nmea'));
    expect(found).toMatchObject({ by: 'position', tables: ['GPS[0]', 'GGA[GP]'] });
    // the receiver tells its position five times a second, the output ten times
    expect(Math.abs(found.lag)).toBeLessThan(0.2);
    expect(found.correlation).toBeGreaterThan(0.9999);
    expect(found.distance).toBeLessThan(1);
    expect(more).toEqual([]);
  });

  test('path and turns tell the same of the clock of the ground station', async () => {
    const [path, turns] = findOffsets(await sample('copter-square.BIN'), await sample('copter-square.tlog'));
    expect([path.by, turns.by]).toEqual(['position', 'rotation']);
    expect(Math.abs(path.lag - turns.lag)).toBeLessThan(0.2);
  });

  test.each([-17.3, 0.04, 42])('a clock that is %f s ahead', async (seconds) => {
    const motion = await sample('copter-square.tlog');
    for (const { lag } of findOffsets(motion, shifted(motion, seconds, true))) expect(lag).toBeCloseTo(seconds, 2);
    expect(findOffsets(motion, shifted(motion, seconds, true))).toHaveLength(2);
  });

  test('a clock that does not know UTC may be anywhere, one that does is not years wrong', async () => {
    const motion = await sample('copter-square.tlog');
    const [found] = findOffsets(motion, shifted(motion, -1e9, false));
    expect(found.lag).toBeCloseTo(-1e9, 2);
    expect(findOffsets(motion, shifted(motion, -1e9, true))).toEqual([]);
  });
});

needShared(describe, 'flight')('flights of two vehicles', () => {
  test('have nothing in common', async () => {
    const rover = await motionOf(readBytes(sharedData('flight', 'rover.BIN')));
    expect(findOffsets(await sample('copter-square.BIN'), rover)).toEqual([]);
  });
});

test('a log without motion has none in common with any', async () => {
  const nothing = await motionOf(new Uint8Array(0));
  expect(findOffsets(nothing, await sample('copter-square.tlog'))).toEqual([]);
});
