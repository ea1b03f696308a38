/** The four corners of an image on the ground, from the top left one clockwise: longitude, latitude. */
export type Corners = readonly [Corner, Corner, Corner, Corner];
type Corner = readonly [lon: number, lat: number];

/**
 * The corners of an image by its world file, six lines of numbers (https://en.wikipedia.org/wiki/World_file):
 *
 *     A   degrees of longitude from a pixel to the next in a row
 *     D   degrees of latitude in a row
 *     B   degrees of longitude in a column
 *     E   degrees of latitude in a column, negative as rows go south
 *     C   longitude of the middle of the top left pixel
 *     F   latitude of it
 */
export function cornersByWorldFile(text: string, width: number, height: number): Corners {
  const numbers = text
    .trim()
    .split(/\s+/, 7)
    .map((word) => Number(word.replace(',', '.')));
  if (numbers.length !== 6 || !numbers.every(Number.isFinite)) {
    throw new RangeError(`world file of ${numbers.length} numbers: six lines with a number each are needed`);
  }
  const [a, d, b, e, c, f] = numbers;
  // corners are half a pixel beyond the pixel centres
  const corner = (x: number, y: number): Corner => [
    c + a * (x - 0.5) + b * (y - 0.5),
    f + d * (x - 0.5) + e * (y - 0.5),
  ];
  return checkedCorners([corner(0, 0), corner(width, 0), corner(width, height), corner(0, height)]);
}

export function checkedCorners(corners: Corners): Corners {
  for (const [lon, lat] of corners) {
    if (!(Math.abs(lon) <= 360 && Math.abs(lat) <= 85.06)) {
      throw new RangeError(`corner at longitude ${lon}, latitude ${lat}: expected degrees, up to latitude 85`);
    }
  }
  return corners;
}
