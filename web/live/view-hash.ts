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

/** A field of a message as charts name it. */
export interface PlottedField {
  readonly message: string;
  readonly instance: number | undefined;
  /** With the number of the element for arrays: voltages[0]. */
  readonly field: string;
}

/*
 *   ATTITUDE.roll      BATTERY_STATUS[1].current_battery      BATTERY_STATUS[0].voltages[2]
 */
const PATTERN = /^(\w{1,64})(?:\[(\d{1,3})\])?\.(\w{1,64}(?:\[\d{1,3}\])?)$/;

export function parsePlotted(text: string): PlottedField | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [, message, instance, field] = match;
  return { message, instance: instance === undefined ? undefined : Number(instance), field };
}

export function plottedText({ message, instance, field }: PlottedField): string {
  return `${message}${instance === undefined ? '' : `[${instance}]`}.${field}`;
}
