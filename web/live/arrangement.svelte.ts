import { MediaQuery } from 'svelte/reactivity';
import { keep, partsOf, recallData } from '../shared/kept.ts';
import {
  arranged,
  type CardLayout,
  type DropTarget,
  type Form,
  MOST_COLUMNS,
  moved,
  PANELS,
  type Panel,
  stepped,
  USUAL,
} from './layout.ts';

const KEPT = 'skein-live-layout';

/** What the arrangement hangs on. */
interface Situation {
  /** Copter, Plane and so on: each class has its own. */
  readonly vehicleClass: string;
  readonly mayCommand: boolean;
}

/** The arrangement of the cards, kept for each class of vehicles and each form of the window. */
export class Arrangement {
  private readonly forms: readonly (readonly [Form, MediaQuery])[] = [
    ['narrow', new MediaQuery('(max-width: 759px)')],
    ['medium', new MediaQuery('(max-width: 1099px)')],
    ['large', new MediaQuery('(min-width: 1700px) and (min-height: 1000px)')],
  ];
  private readonly form: Form = $derived(this.forms.find(([, { current }]) => current)?.[0] ?? 'wide');
  private kept: Readonly<Record<string, unknown>> = $state.raw(partsOf(recallData(KEPT)));
  /** Tabs that were chosen, the latest first. */
  private chosen: readonly Panel[] = $state.raw([]);
  private readonly situation: () => Situation;

  constructor(situation: () => Situation) {
    this.situation = situation;
  }

  readonly layout: CardLayout = $derived.by(() => {
    const present = this.situation().mayCommand ? PANELS : PANELS.filter((panel) => panel !== 'command');
    return arranged(this.kept[this.name], USUAL[this.form], present);
  });

  get isUsual(): boolean {
    return !Object.hasOwn(this.kept, this.name);
  }

  get isNarrow(): boolean {
    return this.form === 'narrow';
  }

  /** Whether there may be one more column. */
  get hasRoom(): boolean {
    return this.layout.length < MOST_COLUMNS[this.form];
  }

  private get name(): string {
    return `${this.situation().vehicleClass} ${this.form}`;
  }

  /** The tab of a cell that is in front. */
  front(cell: readonly Panel[]): Panel {
    return this.chosen.find((panel) => cell.includes(panel)) ?? cell[0];
  }

  choose(panel: Panel): void {
    this.chosen = [panel, ...this.chosen.filter((each) => each !== panel)];
  }

  /** @returns whether it went anywhere */
  move(panel: Panel, target: DropTarget): boolean {
    return this.keep(panel, moved(this.layout, panel, target));
  }

  step(panel: Panel, key: string, isShifted: boolean): boolean {
    return this.keep(panel, stepped(this.layout, panel, key, isShifted, MOST_COLUMNS[this.form]));
  }

  private keep(panel: Panel, layout: CardLayout): boolean {
    if (layout === this.layout) return false;
    this.choose(panel);
    this.write({ ...this.kept, [this.name]: layout });
    return true;
  }

  /** As it was at first. */
  reset(): void {
    const { [this.name]: _, ...others } = this.kept;
    this.chosen = [];
    this.write(others);
  }

  private write(kept: Readonly<Record<string, unknown>>): void {
    this.kept = kept;
    keep(KEPT, JSON.stringify(kept));
  }
}
