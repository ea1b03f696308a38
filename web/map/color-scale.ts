import { mixed } from '../shared/contrast.ts';

/** From little to much, in steps of brightness that the colour-blind see too. Light grounds need darker ones. */
const ON_DARK: readonly string[] = ['#5061d8', '#2f9fd0', '#35c49a', '#b5d84a', '#ffd166'];
const ON_LIGHT: readonly string[] = ['#1f2a8c', '#0f6aa6', '#0b8a6a', '#a08a00', '#c04a00'];

/** Colours of a scale: enough that steps are not seen, few enough that neighbours often share one. */
export const SCALE_STEPS = 48;

export const NO_VALUE = '#8a94a3';

export function scaleColors(isDark: boolean): string[] {
  const stops = isDark ? ON_DARK : ON_LIGHT;
  return Array.from({ length: SCALE_STEPS }, (_, i) => {
    const place = (i / (SCALE_STEPS - 1)) * (stops.length - 1);
    const below = Math.min(stops.length - 2, Math.floor(place));
    return mixed(stops[below], stops[below + 1], place - below);
  });
}

/** The range that a scale spans: all but the most extreme hundredth at each end, which would flatten the rest. */
export function scaleRange(values: Float64Array): readonly [low: number, high: number] {
  const known = values.filter(Number.isFinite).sort();
  if (known.length === 0) return [0, 0];
  const at = (part: number): number => known[Math.round(part * (known.length - 1))];
  return [at(0.01), at(0.99)];
}

/** Which of the colours a value has, -1 for none. */
export function scaleStep(value: number, [low, high]: readonly [number, number]): number {
  if (!Number.isFinite(value)) return -1;
  const part = (value - low) / (high - low);
  // a range of nothing, or of all numbers, has no parts
  if (!(high > low) || Number.isNaN(part)) return SCALE_STEPS >> 1;
  return Math.max(0, Math.min(SCALE_STEPS - 1, Math.floor(part * SCALE_STEPS)));
}
