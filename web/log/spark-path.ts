export const SPARK_WIDTH = 44;
export const SPARK_HEIGHT = 12;

/** The path of a small picture of numbers from 0 to 1; NaN breaks it. */
export function sparkPath(points: Float32Array): string {
  let path = '';
  let isDown = false;
  points.forEach((value, i) => {
    const isKnown = Number.isFinite(value);
    const left = (i / Math.max(1, points.length - 1)) * SPARK_WIDTH;
    const top = 1 + (1 - value) * (SPARK_HEIGHT - 2);
    if (isKnown) path += `${isDown ? 'L' : 'M'}${left.toFixed(1)} ${top.toFixed(1)}`;
    isDown = isKnown;
  });
  return path;
}
