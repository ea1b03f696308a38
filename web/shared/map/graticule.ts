const STEPS: readonly number[] = [1, 2, 5];

/** Degrees between the lines of a grid of which about `lines` cover a span. */
export function gridStep(span: number, lines: number): number {
  const rough = Math.max(span / lines, 1e-6);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((factor) => factor * power >= rough) ?? 10) * power;
  return step > 10 ? (step > 30 ? 45 : 30) : step;
}

/** Meridians and parallels over a box, as lines of longitudes and latitudes. */
export function gridLines(west: number, south: number, east: number, north: number, step: number): number[][][] {
  const lines: number[][][] = [];
  const [low, high] = [Math.max(-85, south), Math.min(85, north)];
  for (let i = Math.ceil(west / step); i * step <= east && lines.length < 200; i++)
    lines.push([
      [i * step, low],
      [i * step, high],
    ]);
  for (let i = Math.ceil(low / step); i * step <= high && lines.length < 400; i++)
    lines.push([
      [west, i * step],
      [east, i * step],
    ]);
  return lines;
}

const METRES_PER_DEGREE = 111_320;

/** What a grid of some degrees is called: with the metres that it has to the north. */
export function gridText(step: number): string {
  const metres = step * METRES_PER_DEGREE;
  const text = metres >= 1000 ? `${Number((metres / 1000).toPrecision(3))} km` : `${Number(metres.toPrecision(3))} m`;
  return `grid ${Number(step.toPrecision(3))}° (${text})`;
}
