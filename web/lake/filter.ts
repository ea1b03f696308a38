import type { FlightWire } from '../../src/server/wire.ts';
import type { Box } from '../map/geometry.ts';
import { sortedBy } from '../shared/sorted.ts';
import { batteryText, countOf, dayOf, durationOf } from './flight.ts';

/** Which flights are shown. '' is for all of them. */
export interface Filter {
  readonly text: string;
  readonly vehicle: string;
  /** Days, yyyy-mm-dd, both among those that are shown. */
  readonly from: string;
  readonly until: string;
  readonly mode: string;
  /** 'fail', 'warn' (or worse), 'none', or the name of a check. */
  readonly finding: string;
  readonly format: string;
  /** Whether also logs without a flight, and flights that another log has as well, are shown. */
  readonly isAll: boolean;
  /** What the map showed when it was chosen. */
  readonly box: Box | null;
}

export const NO_FILTER: Filter = {
  ...{ text: '', vehicle: '', from: '', until: '', mode: '', finding: '', format: '' },
  ...{ isAll: false, box: null },
};

export function isFiltered(filter: Filter): boolean {
  return (Object.keys(NO_FILTER) as (keyof Filter)[]).some((key) => key !== 'isAll' && filter[key] !== NO_FILTER[key]);
}

export function filtered(flights: readonly FlightWire[], filter: Filter): FlightWire[] {
  const { vehicle, mode, format, from, until, isAll, box } = filter;
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return flights.filter((flight) => {
    if (!isAll && (flight.flight === 0 || !flight.once)) return false;
    if (vehicle !== '' && flight.vehicle !== vehicle) return false;
    if (format !== '' && flight.format !== format) return false;
    if (mode !== '' && !flight.modes.some((each) => each.mode === mode)) return false;
    if (!hasFinding(flight, filter.finding)) return false;
    if (from !== '' || until !== '') {
      const day = dayOf(flight);
      if (day === '' || (from !== '' && day < from) || (until !== '' && day > until)) return false;
    }
    if (box && !meets(flight.box, box)) return false;
    return words.length === 0 || words.every((word) => textOf(flight).includes(word));
  });
}

function hasFinding(flight: FlightWire, finding: string): boolean {
  if (finding === '') return true;
  if (finding === 'none') return flight.findings.length === 0;
  if (finding === 'fail') return countOf(flight, 'fail') > 0;
  if (finding === 'warn') return flight.findings.length > 0;
  return flight.findings.some(({ check }) => check === finding);
}

/** Whether a flight is in a part of the map. */
export function meets(a: Box | null, b: Box): boolean {
  if (a === null) return false;
  // the map goes on beyond 180 degrees
  const isBeside = [-360, 0, 360].some((turn) => a.west + turn <= b.east && a.east + turn >= b.west);
  return isBeside && a.south <= b.north && a.north >= b.south;
}

/** What words are looked for in, made once for each flight. */
const texts = new WeakMap<FlightWire, string>();

function textOf(flight: FlightWire): string {
  const known = texts.get(flight);
  if (known !== undefined) return known;
  const { name, path, vehicle, kind, firmware, format, modes, findings } = flight;
  const all = [name, path, vehicle, kind ?? '', firmware, format, dayOf(flight), ...modes.map(({ mode }) => mode)];
  const text = [...all, ...findings.map(({ title }) => title)].join('\n').toLowerCase();
  texts.set(flight, text);
  return text;
}

/** What a list can be sorted by. */
export const SORT_KEYS = [
  ...(['vehicle', 'start', 'duration', 'distance', 'height'] as const),
  ...(['modes', 'battery', 'findings', 'name'] as const),
] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface Sort {
  readonly by: SortKey;
  readonly isDown: boolean;
}

export const NEWEST_FIRST: Sort = { by: 'start', isDown: true };

const VALUES: Readonly<Record<SortKey, (flight: FlightWire) => number | string | null>> = {
  vehicle: ({ vehicle }) => vehicle,
  // times since boot are not dates
  start: ({ utc, start }) => (utc ? start : null),
  duration: durationOf,
  distance: ({ distance }) => distance,
  height: ({ maxHeight }) => maxHeight,
  modes: ({ modes }) => modes[0]?.mode ?? null,
  battery: (flight) => (batteryText(flight) === '–' ? null : (flight.milliampHours ?? flight.percent)),
  findings: (flight) => countOf(flight, 'fail') * 1000 + flight.findings.length,
  name: ({ name }) => name,
};

/** In another order. What is not known comes last, whichever way it is sorted. */
export function sorted(flights: readonly FlightWire[], { by, isDown }: Sort): FlightWire[] {
  return sortedBy(flights, VALUES[by], isDown);
}

/** What the lists of the filters offer: all that occurs, in the order of the alphabet. */
export interface Choices {
  readonly vehicles: readonly string[];
  readonly modes: readonly string[];
  readonly formats: readonly string[];
  readonly checks: readonly string[];
}

export function choicesOf(flights: readonly FlightWire[]): Choices {
  const all = (values: Iterable<string>): string[] => [...new Set(values)].sort();
  return {
    vehicles: all(flights.map(({ vehicle }) => vehicle)),
    modes: all(flights.flatMap(({ modes }) => modes.map(({ mode }) => mode))),
    formats: all(flights.map(({ format }) => format)),
    checks: all(flights.flatMap(({ findings }) => findings.map(({ check }) => check))),
  };
}
