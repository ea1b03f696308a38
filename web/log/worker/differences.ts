import { Series } from '../../../src/entry/pages.ts';
import type { UnitSeries } from './open-log.ts';

/** Differences that are kept: the page asks for each many times. */
const MOST = 24;

/** Names of fields that are directions: between 359 and 1 degrees there are two. */
const TURN = /yaw|heading|hdg|cog|crs|course|bearing/i;

export function isDirection(field: string | undefined): boolean {
  return field !== undefined && TURN.test(field) && !/rate|speed|acc|err/i.test(field);
}

/** Differences of two series, at the times of the first. */
export class Differences {
  private readonly known = new Map<Series, Difference[]>();

  /** Forgets all: a difference would keep a closed file in memory. */
  clear(): void {
    this.known.clear();
  }

  /** @param shift is added to the times of the first to have those of the other */
  of(own: UnitSeries, other: Series, shift: number, hasDirection: boolean): Series {
    const kept = this.known.get(own.series) ?? [];
    const found = kept.find((each) => each.other === other && each.shift === shift);
    if (found) return found.series;
    const series = differenceOf(own, other, shift, hasDirection);
    // while a file is dragged, each shift would leave one behind
    this.known.delete(own.series);
    this.known.set(own.series, [...kept.filter((each) => each.other !== other), { other, shift, series }]);
    if (this.known.size > MOST) this.known.delete([...this.known.keys()][0]);
    return series;
  }
}

interface Difference {
  readonly other: Series;
  readonly shift: number;
  readonly series: Series;
}

export function differenceOf(
  { series, unit }: UnitSeries,
  other: Series,
  shift: number,
  hasDirection: boolean,
): Series {
  const { times, values, isHeld } = series;
  const at = shift === 0 ? times : times.map((time) => time + shift);
  const others = other.resample(at);
  const turn = hasDirection && /^rad/.test(unit) ? 2 * Math.PI : hasDirection && /^deg/.test(unit) ? 360 : 0;
  const differences = values.map((value, row) => {
    const difference = value - others[row];
    return turn === 0 ? difference : difference - turn * Math.round(difference / turn);
  });
  return new Series(times, differences, isHeld);
}
