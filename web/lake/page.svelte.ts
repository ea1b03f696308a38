import { errorText } from '../../src/entry/pages.ts';
import type { FlightListWire, FlightWire } from '../../src/server/wire.ts';
import type { Box } from '../map/geometry.ts';
import { placeColor } from '../shared/colors.ts';
import { Look } from '../shared/look.svelte.ts';
import { themeColor } from '../shared/theme.ts';
import {
  type Choices,
  choicesOf,
  type Filter,
  filtered,
  NO_FILTER,
  type Sort,
  type SortKey,
  sorted,
} from './filter.ts';
import { logAddress } from './flight.ts';
import { flightsFrom, lakeState, type Outlines, outlinesFrom } from './server.ts';
import { lakeHash, lakeViewOf } from './view-hash.ts';

/** Milliseconds between two looks whether the lake has changed. */
const PERIOD = 5000;
/** The same where it changed while it was read. */
const SOON = 500;

export class LakePage {
  state: FlightListWire | null = $state.raw(null);
  flights: readonly FlightWire[] = $state.raw([]);
  /** Paths by flight, as far as they have come. */
  outlines: ReadonlyMap<string, Outlines[string]> = $state.raw(new Map());
  isLoading: boolean = $state(true);
  problem: string = $state('');
  filter: Filter = $state.raw(NO_FILTER);
  sort: Sort = $state.raw(lakeViewOf('').sort);
  /** The flight that is pointed at, in the list or on the map; the one that was chosen last. */
  hovered: string = $state('');
  chosen: string = $state('');
  /** What the map shows. */
  box: Box | null = $state.raw(null);
  readonly look: Look = new Look();
  readonly shows: { map: boolean; filters: boolean } = $state({
    map: true,
    filters: matchMedia('(min-width: 760px)').matches,
  });
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly shown: readonly FlightWire[] = $derived(sorted(filtered(this.flights, this.filter), this.sort));
  readonly choices: Choices = $derived(choicesOf(this.flights));
  /** The index of each vehicle among all, for its colour. */
  readonly places: ReadonlyMap<string, number> = $derived(new Map(this.choices.vehicles.map((name, i) => [name, i])));
  private readonly byId: ReadonlyMap<string, FlightWire> = $derived(
    new Map(this.flights.map((each) => [each.id, each])),
  );

  constructor() {
    this.restore(location.hash);
    window.addEventListener('hashchange', ({ newURL }) => this.restore(new URL(newURL).hash));
  }

  start(): () => void {
    void this.refresh();
    return () => clearTimeout(this.timer);
  }

  flight(id: string): FlightWire | undefined {
    return this.byId.get(id);
  }

  private async refresh(): Promise<void> {
    let period = PERIOD;
    try {
      const state = await lakeState();
      if (state.revision !== this.state?.revision && !(await this.load(state))) period = SOON;
      else this.state = state;
      this.problem = '';
    } catch (error) {
      this.problem = errorText(error);
    }
    this.isLoading = false;
    this.timer = setTimeout(() => void this.refresh(), period);
  }

  /** Fetches the list part by part; false if the lake changed. At first parts show at once, later all together. */
  private async load(state: FlightListWire): Promise<boolean> {
    const flights: FlightWire[] = [];
    const outlines = new Map<string, Outlines[string]>();
    const offsets: number[] = [];
    try {
      while (flights.length < state.flights) {
        offsets.push(flights.length);
        const part = await flightsFrom(state.revision, flights.length);
        if (part.length === 0) break;
        flights.push(...part);
        if (this.state === null) this.flights = [...flights];
      }
      this.flights = flights;
      for (const offset of offsets) {
        for (const [id, lines] of Object.entries(await outlinesFrom(state.revision, offset))) outlines.set(id, lines);
        this.outlines = new Map([...this.outlines, ...outlines]);
      }
      this.outlines = outlines;
      return true;
    } catch (error) {
      if ((await lakeState()).revision === state.revision) throw error;
      return false;
    }
  }

  /** The colour of a vehicle, on the map and in the list. */
  colorOf(vehicle: string): string {
    const { theme, colors } = this.look;
    void theme;
    return placeColor(this.places.get(vehicle) ?? 0, { colors, ground: themeColor('--panel') });
  }

  setFilter(changes: Partial<Filter>): void {
    this.filter = { ...this.filter, ...changes };
    this.keep();
  }

  sortBy(by: SortKey): void {
    // numbers and times are mostly looked for from their large end
    const isDown = this.sort.by === by ? !this.sort.isDown : !['vehicle', 'modes', 'name'].includes(by);
    this.sort = { by, isDown };
    this.keep();
  }

  choose(id: string): void {
    this.chosen = id;
    this.keep();
  }

  /** Goes to the Log page, where the log is still to be had; the way back leads here. */
  open(flight: FlightWire): void {
    this.choose(flight.id);
    if (flight.isThere) location.assign(logAddress(flight));
  }

  private keep(): void {
    const { filter, sort, chosen } = this;
    history.replaceState(null, '', lakeHash({ filter, sort, chosen }) || location.pathname + location.search);
  }

  private restore(hash: string): void {
    const { filter, sort, chosen } = lakeViewOf(hash);
    this.filter = filter;
    this.sort = sort;
    this.chosen = chosen;
  }
}
