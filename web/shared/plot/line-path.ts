/** A line as the path of an SVG, broken where a place is not a number. */
export function linePath(count: number, placeOf: (i: number) => readonly [x: number, y: number], digits = 1): string {
  let path = '';
  let isDown = false;
  for (let i = 0; i < count; i++) {
    const [x, y] = placeOf(i);
    const isKnown = Number.isFinite(x + y);
    if (isKnown) path += `${isDown ? 'L' : 'M'}${x.toFixed(digits)} ${y.toFixed(digits)}`;
    isDown = isKnown;
  }
  return path;
}
