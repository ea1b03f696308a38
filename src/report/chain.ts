import { words } from '../core/text.ts';
import type { Phases } from '../facts/phases.ts';
import type { Finding } from './finding.ts';

/** One step of how a flight went wrong. */
export interface ChainStep {
  /** Microseconds of the log's clock: when it began. */
  readonly from: number;
  readonly title: string;
  readonly text: string;
}

/** Microseconds between the end of one step and the beginning of the next, above which they do not belong together. */
const LINK = 10e6;
/** Microseconds after take-off: what was so by then was so before, and nothing that happened in flight. */
const AT_TAKEOFF = 1e6;
/** Checks of which a finding at take-off is one of the flight: the vehicle must leave the ground for them. */
const IN_THE_AIR: ReadonlySet<string> = new Set(['ending', 'attitude', 'thrust', 'motors', 'esc']);
/** Titles of an end: what comes after it is its consequence. */
export const IMPACT = 'Impact';

/** A finding at one of the times at which it held. */
interface TimedFinding {
  readonly finding: Finding;
  readonly from: number;
  readonly to: number;
}

/** Happenings that follow each other closely. */
interface Cluster {
  readonly events: TimedFinding[];
  to: number;
}

/** How a flight went wrong: the findings around its worst one, in order; those about a whole flight are not steps. */
export function chainOf(findings: readonly Finding[], { flying }: Phases): ChainStep[] {
  const loud = findings.filter(({ severity }) => severity === 'fail' || severity === 'warn');
  const inOrder = (some: readonly Finding[]): TimedFinding[] => some.flatMap(timesOf).sort((a, b) => a.from - b.from);
  const all = inOrder(loud.filter(({ overall }) => !overall));
  const later = all.filter(({ finding, from }) => IN_THE_AIR.has(finding.check) || !isFromTakeOff(flying, from));
  // of a whole flight, what has its times at least
  const events =
    [later, all].find(({ length }) => length > 0) ?? inOrder(loud.filter(({ ranges }) => ranges.length > 0));
  const impact = events.find(({ finding }) => finding.title === IMPACT)?.from ?? Number.POSITIVE_INFINITY;
  const clusters: Cluster[] = [];
  for (const each of events) {
    if (each.from > impact) break;
    const last = clusters[clusters.length - 1];
    if (last && each.from <= last.to + LINK) {
      last.events.push(each);
      last.to = Math.max(last.to, each.to);
    } else clusters.push({ events: [each], to: each.to });
  }
  const [worst] = clusters.toSorted((a, b) => gravity(b) - gravity(a));
  const told = new Set<Finding>();
  const steps = (worst?.events ?? []).filter(({ finding }) => !told.has(finding) && told.add(finding));
  return causesFirst(steps).map(({ finding, from }) => ({
    from,
    title: finding.title,
    text: firstSentence(finding.text),
  }));
}

/** Microseconds that are one moment: tables of one log are not written at the same microsecond. */
const MOMENT = 250_000;
/** Checks from causes to consequences. */
const CAUSES: readonly string[] = words(`
  power sensors battery radio gps compass airspeed imu vibration altitude esc motors engine drive wind ekf position
  attitude thrust`);

/** What begins in one moment has the time of its first, and causes before what follows from them. */
function causesFirst(steps: readonly TimedFinding[]): TimedFinding[] {
  const out: TimedFinding[] = [];
  const rank = ({ finding }: TimedFinding): number => {
    const place = CAUSES.indexOf(finding.check);
    return place < 0 ? CAUSES.length : place;
  };
  for (let first = 0; first < steps.length; ) {
    let end = first + 1;
    while (end < steps.length && steps[end].from - steps[first].from <= MOMENT) end++;
    const moment = steps.slice(first, end).map((step) => ({ ...step, from: steps[first].from }));
    out.push(...moment.sort((a, b) => rank(a) - rank(b)));
    first = end;
  }
  return out;
}

function timesOf(finding: Finding): TimedFinding[] {
  const { ranges, from, to } = finding;
  if (ranges.length > 0) return ranges.map((range) => ({ finding, ...range }));
  return from === null ? [] : [{ finding, from, to: to ?? from }];
}

function isFromTakeOff(flying: Phases['flying'], from: number): boolean {
  return flying.some(({ start }) => Math.abs(from - start) <= AT_TAKEOFF) || !(from >= (flying[0]?.start ?? from));
}

/** How bad a cluster is: an end in the ground or out of control above all, then failures, then warnings. */
function gravity({ events }: Cluster): number {
  return Math.max(
    ...events.map(({ finding: { check, severity } }) =>
      severity === 'warn' ? 1 : check === 'ending' || check === 'attitude' ? 3 : 2,
    ),
  );
}

/** The first sentence of a text: it says what was seen. */
export function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}
