import { Series } from './series.ts';

/** Differences that are kept: as long as nothing moves, each is asked for again and again. */
const MOST = 24;

/** Names of fields that are directions: between 359 and 1 degrees there are two. */
const TURN = /yaw|heading|hdg|cog|crs|course|bearing/i;

/** Whether a field of this name is a direction. */
export function isTurn(field: string | undefined): boolean {
  return field !== undefined && TURN.test(field) && !/rate|speed|acc|err/i.test(field);
}

/** How much a series differs from another, at its own times. */
export class Differences {
  private readonly known = new Map<Series, Difference[]>();

  /** Forgets all: those of a file that was closed must not hold it. */
  clear(): void {
    this.known.clear();
  }

  /** `shift` is what must be added to the times of the first so that they are those of the other. */
  of(own: Series, other: Series, shift: number, isDirection: boolean): Series {
    const kept = this.known.get(own) ?? [];
    const found = kept.find((each) => each.other === other && each.shift === shift);
    if (found) return found.series;
    const series = differenceOf(own, other, shift, isDirection);
    // a file that is moved leaves many behind that nobody wants any more
    this.known.delete(own);
    this.known.set(own, [...kept.filter((each) => each.other !== other), { other, shift, series }]);
    if (this.known.size > MOST) this.known.delete([...this.known.keys()][0]);
    return series;
  }
}

interface Difference {
  readonly other: Series;
  readonly shift: number;
  readonly series: Series;
}

export function differenceOf(own: Series, other: Series, shift: number, isDirection: boolean): Series {
  const { times, values, unit, isHeld } = own;
  const at = shift === 0 ? times : times.map((time) => time + shift);
  const others = other.resample(at);
  const turn = isDirection && /^rad/.test(unit) ? 2 * Math.PI : isDirection && /^deg/.test(unit) ? 360 : 0;
  const differences = values.map((value, row) => {
    const difference = value - others[row];
    return turn === 0 ? difference : difference - turn * Math.round(difference / turn);
  });
  return new Series(times, differences, unit, isHeld);
}
