import type { VehicleMessages } from './vehicle-messages.ts';
import { type LiveView, MOST_CHARTS, MOST_LINES, parsePlotted } from './view-hash.ts';

/** Fields of the charts, one below the other. */
type Charts = readonly (readonly string[])[];

/** The default charts: those whose messages the vehicle sends. */
const USUAL: Charts = [
  ['ATTITUDE.roll', 'ATTITUDE.pitch'],
  ['VFR_HUD.alt', 'VFR_HUD.groundspeed'],
  ['SYS_STATUS.voltage_battery'],
];

/** The fields of the strip charts, their time span, and whether they are paused. */
export class ChartList {
  list: Charts = $state.raw(USUAL);
  /** Seconds that are shown. */
  span: number = $state(60);
  /** The time in seconds at the right edge of paused charts; null while they run. */
  pausedAt: number | null = $state(null);
  private isChosen = false;
  private readonly changed: () => void;

  /** @param changed called when the address is to hold something else */
  constructor(changed: () => void) {
    this.changed = changed;
  }

  restore({ charts, span }: LiveView): void {
    this.span = span;
    this.list = charts ?? USUAL;
    this.isChosen = charts !== null;
  }

  /** What the address holds of them. */
  get view(): Pick<LiveView, 'charts' | 'span'> {
    return { charts: this.isChosen ? this.list : null, span: this.span };
  }

  /** Those that were chosen, or of the usual ones those of what the vehicle sends. */
  shown(feed: VehicleMessages | undefined): Charts {
    if (this.isChosen || !feed) return this.list;
    return this.list.filter((fields) => fields.some((field) => feed.of(parsePlotted(field)?.message ?? '').length > 0));
  }

  setSpan(span: number): void {
    this.span = span;
    this.changed();
  }

  /** @param now seconds */
  pause(now: number): void {
    this.pausedAt = this.pausedAt === null ? now : null;
  }

  has(field: string): boolean {
    return this.list.some((fields) => fields.includes(field));
  }

  /** Adds a field to the chart that has others of its message, or to a new one; or removes it. */
  toggle(field: string, feed: VehicleMessages | undefined): void {
    this.list = toggled(this.shown(feed), field).filter((fields) => fields.length > 0);
    this.isChosen = true;
    this.changed();
  }
}

function toggled(charts: Charts, field: string): Charts {
  if (charts.some((fields) => fields.includes(field)))
    return charts.map((fields) => fields.filter((each) => each !== field));
  const message = parsePlotted(field)?.message;
  const at = charts.findIndex(
    (fields) => fields.length < MOST_LINES && fields.some((each) => parsePlotted(each)?.message === message),
  );
  if (at >= 0) return charts.map((fields, i) => (i === at ? [...fields, field] : fields));
  return [...charts, [field]].slice(-MOST_CHARTS);
}
