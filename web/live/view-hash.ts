import { parsePlotted } from './plotted.ts';

/** What the address holds of the page. */
export interface LiveView {
  /** The vehicle that is looked at; '' for whichever is there. */
  readonly vehicle: string;
  readonly isFleet: boolean;
  /** The charts, each with its fields; null for the usual ones. */
  readonly charts: readonly (readonly string[])[] | null;
  /** Seconds that the charts show. */
  readonly span: number;
}

export const SPANS: readonly number[] = [10, 60, 600];
const DEFAULT_SPAN = 60;
/** What a link may ask for at most: it may come from anyone. */
export const MOST_CHARTS = 8;
export const MOST_LINES = 8;

/*
 *   #vehicle=1&charts=ATTITUDE.roll,ATTITUDE.pitch;VFR_HUD.alt&span=600&fleet
 */
export function liveHash({ vehicle, isFleet, charts, span }: LiveView): string {
  const parts: string[] = [];
  if (vehicle !== '') parts.push(`vehicle=${encodeURIComponent(vehicle)}`);
  if (charts) parts.push(`charts=${charts.map((fields) => fields.join(',')).join(';')}`);
  if (span !== DEFAULT_SPAN) parts.push(`span=${span}`);
  if (isFleet) parts.push('fleet');
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}

/** Reads a hash. What is not understood is left out. */
export function liveViewOf(hash: string): LiveView {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const charts = parts.get('charts');
  const span = Number(parts.get('span'));
  return {
    vehicle: (parts.get('vehicle') ?? '').slice(0, 200),
    isFleet: parts.has('fleet'),
    charts: charts === null ? null : chartsOf(charts),
    span: SPANS.includes(span) ? span : DEFAULT_SPAN,
  };
}

function chartsOf(text: string): string[][] {
  return text
    .split(';')
    .slice(0, MOST_CHARTS)
    .map((chart) => [...new Set(chart.split(',').filter((field) => parsePlotted(field)))].slice(0, MOST_LINES))
    .filter((fields) => fields.length > 0);
}
