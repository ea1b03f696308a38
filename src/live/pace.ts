/** Distances that the mean is taken over, and how many times the mean a pause counts at most. */
const DISTANCES = 8;
const LONGEST = 4;

/** When something came last, and how far apart it comes, in microseconds. NaN before the first, and the second. */
export interface Pace {
  readonly time: number;
  readonly interval: number;
}

/**
 * The mean of the last distances, with one more. A pause is not taken for a rate.
 * @param count how many distances there are with this one
 */
export function meanDistance(mean: number, distance: number, count: number): number {
  if (count === 1) return distance;
  if (count < DISTANCES || mean === 0) return mean + (distance - mean) / Math.min(count, DISTANCES);
  return mean + (Math.min(distance, LONGEST * mean) - mean) / DISTANCES;
}
