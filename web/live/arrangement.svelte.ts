import { keep, recall } from '../shared/kept.ts';
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
const NARROW = '(max-width: 759px)';
const MEDIUM = '(max-width: 1099px)';
const LARGE = '(min-width: 1700px) and (min-height: 1000px)';

/** What the arrangement hangs on. */
interface Situation {
  /** Copter, Plane and so on: each class has its own. */
  readonly vehicleClass: string;
  readonly mayCommand: boolean;
}

/** The arrangement of the cards, kept for each class of vehicles and each form of the window. */
export class Arrangement {
  private form: Form = $state('wide');
  private kept: Readonly<Record<string, unknown>> = $state.raw(read());
  /** Tabs that were chosen, the latest first. */
  private chosen: readonly Panel[] = $state.raw([]);
  private readonly situation: () => Situation;

  constructor(situation: () => Situation) {
    this.situation = situation;
  }

  /** Follows the size of the window. Returns what ends it. */
  start(): () => void {
    const forms: readonly (readonly [Form, string])[] = [
      ['narrow', NARROW],
      ['medium', MEDIUM],
      ['large', LARGE],
    ];
    const queries = forms.map(([, query]) => matchMedia(query));
    const look = (): void => {
      this.form = forms[queries.findIndex(({ matches }) => matches)]?.[0] ?? 'wide';
    };
    look();
    for (const query of queries) query.addEventListener('change', look);
    return () => {
      for (const query of queries) query.removeEventListener('change', look);
    };
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

function read(): Readonly<Record<string, unknown>> {
  try {
    const kept: unknown = JSON.parse(recall(KEPT) ?? '{}');
    return typeof kept === 'object' && kept !== null ? { ...kept } : {};
  } catch {
    return {};
  }
}
