import { describe, expect, test } from 'vitest';
import { distance } from '../../src/geo/geodesy.ts';
import { metresAround, OrbitCamera, type Point3 } from './orbit-camera.ts';
import { bodyToWorld } from './vehicle-model.ts';

function near(found: Point3, expected: Point3): void {
  for (const [i, each] of expected.entries()) expect(found[i]).toBeCloseTo(each, 9);
}

describe('how a vehicle stands', () => {
  const [forward, right, down]: Point3[] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];

  test('level and to the north', () => {
    const turn = bodyToWorld({ roll: 0, pitch: 0, yaw: 0 });
    near(turn(forward), [0, 1, 0]);
    near(turn(right), [1, 0, 0]);
    near(turn(down), [0, 0, -1]);
  });

  test('yaw turns the nose to the east, pitch lifts it, roll lowers the right side', () => {
    near(bodyToWorld({ roll: 0, pitch: 0, yaw: 90 })(forward), [1, 0, 0]);
    near(bodyToWorld({ roll: 0, pitch: 90, yaw: 0 })(forward), [0, 0, 1]);
    near(bodyToWorld({ roll: 90, pitch: 0, yaw: 0 })(right), [0, 0, -1]);
    near(bodyToWorld({ roll: 90, pitch: 0, yaw: 90 })(down), [0, 1, 0]);
  });

  test('lengths stay', () => {
    const turn = bodyToWorld({ roll: 12, pitch: -34, yaw: 210 });
    expect(Math.hypot(...turn([1, 2, 3]))).toBeCloseTo(Math.hypot(1, 2, 3), 12);
  });
});

test('metres around a place agree with the ellipsoid', () => {
  for (const [lon, lat] of [
    [8.5, 47.4],
    [-70, -33],
    [179.999, 0],
  ]) {
    const [east, north, up] = metresAround(lon, lat, 100)(lon + 0.003 - (lon > 179 ? 360 : 0), lat + 0.004, 130);
    expect(Math.hypot(east, north) / distance(lat, lon, lat + 0.004, lon + 0.003)).toBeCloseTo(1, 4);
    expect(up).toBe(30);
  }
});

describe('the eye', () => {
  const camera = new OrbitCamera();
  camera.azimuth = 0;
  camera.elevation = 30;
  camera.distance = 100;
  camera.aim(800, 600);

  test('looks at its target, from the south', () => {
    expect(camera.pixel([0, 0, 0])).toEqual([expect.closeTo(400, 9), expect.closeTo(300, 9)]);
    expect(camera.depth([0, 0, 0])).toBeCloseTo(100, 9);
    expect(camera.pixel([10, 0, 0])?.[0]).toBeCloseTo(400 + 60, 9);
    expect(camera.pixel([0, 0, 10])?.[1]).toBeLessThan(300);
    expect(camera.pixel([0, 10, 0])?.[1]).toBeLessThan(300);
  });

  test('does not see what is behind, and cuts lines there', () => {
    expect(camera.pixel([0, -1000, 0])).toBeUndefined();
    expect(camera.segment([0, -1000, 0], [0, -2000, 0])).toBeUndefined();
    const cut = camera.segment([0, -1000, 0], [0, 0, 0]);
    expect(cut?.every(Number.isFinite)).toBe(true);
    expect(cut?.slice(2)).toEqual([expect.closeTo(400, 9), expect.closeTo(300, 9)]);
    expect(camera.segment([Number.NaN, 0, 0], [0, Number.NaN, 0])).toBeUndefined();
  });

  test('turns and zooms within bounds', () => {
    camera.turn(1000, 1000);
    camera.zoom(1e-9);
    expect(camera.elevation).toBe(89);
    expect(camera.distance).toBe(2);
  });
});
