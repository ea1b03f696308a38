import type { Clock } from '../core/clock.ts';

/** The clock of a log none of whose records says a time. */
export const NO_CLOCK: Clock = {
  kind: 'none',
  utc: false,
  source: 'no record carries a time',
  remarks: [],
  field: () => undefined,
  fromField: () => new Float64Array(0),
  times: async (_table, from, to) => new Float64Array(to - from).fill(Number.NaN),
};
