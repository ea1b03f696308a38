import { RADIAN } from '../shared/drawing.ts';
import type { Point3 } from './orbit-camera.ts';

/** The attitude of a vehicle in degrees. */
export interface Attitude {
  readonly roll: number;
  readonly pitch: number;
  readonly yaw: number;
}

/** A flat part of the model, in metres forward, right and down. */
interface Face {
  readonly corners: readonly Point3[];
  readonly kind: 'body' | 'nose' | 'rotor' | 'arm';
}

/** A vehicle with four rotors, a metre across, with the front in another colour. */
export const MODEL: readonly Face[] = [
  ...box(-0.2, 0.24, 0.11, -0.07, 0.06),
  {
    kind: 'nose',
    corners: [
      [0.24, -0.09, -0.05],
      [0.36, 0, 0],
      [0.24, 0.09, -0.05],
    ],
  },
  {
    kind: 'nose',
    corners: [
      [0.24, -0.09, 0.05],
      [0.36, 0, 0],
      [0.24, 0.09, 0.05],
    ],
  },
  ...[45, 135, 225, 315].flatMap((angle) => [arm(angle), rotor(angle)]),
];

/** The axes of the body with their usual colours: forward red, right green, down blue. */
export const AXES: readonly { readonly to: Point3; readonly color: string }[] = [
  { to: [0.95, 0, 0], color: '#e5484d' },
  { to: [0, 0.95, 0], color: '#30a46c' },
  { to: [0, 0, 0.6], color: '#5b7cfa' },
];

function box(back: number, front: number, side: number, top: number, bottom: number): Face[] {
  const corners = (x: number): Point3[] => [
    [x, -side, top],
    [x, side, top],
    [x, side, bottom],
    [x, -side, bottom],
  ];
  const [a, b] = [corners(back), corners(front)];
  const sides = [0, 1, 2, 3].map((i) => [a[i], a[(i + 1) % 4], b[(i + 1) % 4], b[i]]);
  return [a, b, ...sides].map((each): Face => ({ kind: 'body', corners: each }));
}

function around(angle: number, reach: number, down: number): Point3 {
  return [Math.cos(angle * RADIAN) * reach, Math.sin(angle * RADIAN) * reach, down];
}

function arm(angle: number): Face {
  return {
    kind: 'arm',
    corners: [
      around(angle - 14, 0.14, 0),
      around(angle - 3, 0.5, 0),
      around(angle + 3, 0.5, 0),
      around(angle + 14, 0.14, 0),
    ],
  };
}

function rotor(angle: number): Face {
  const [x, y] = around(angle, 0.5, 0);
  const corners = Array.from({ length: 16 }, (_, i): Point3 => {
    const [dx, dy] = around((i * 360) / 16, 0.21, 0);
    return [x + dx, y + dy, -0.08];
  });
  return { kind: angle < 90 || angle > 270 ? 'nose' : 'rotor', corners };
}

/**
 * From the body (forward, right, down) to the world (east, north, up): first roll, then pitch, then yaw about the axes as
 * they lie. https://en.wikipedia.org/wiki/Euler_angles#Tait%E2%80%93Bryan_angles
 */
export function bodyToWorld({ roll, pitch, yaw }: Attitude): (point: Point3) => Point3 {
  const [cr, sr] = [Math.cos(roll * RADIAN), Math.sin(roll * RADIAN)];
  const [cp, sp] = [Math.cos(pitch * RADIAN), Math.sin(pitch * RADIAN)];
  const [cy, sy] = [Math.cos(yaw * RADIAN), Math.sin(yaw * RADIAN)];
  return ([x, y, z]) => [
    cp * sy * x + (sr * sp * sy + cr * cy) * y + (cr * sp * sy - sr * cy) * z,
    cp * cy * x + (sr * sp * cy - cr * sy) * y + (cr * sp * cy + sr * sy) * z,
    sp * x - sr * cp * y - cr * cp * z,
  ];
}
