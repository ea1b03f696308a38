import type { ModeInterval, Report } from '../../src/entry/pages.ts';
import type { Note } from './notes.ts';
import type { FileSummary, Insight, MessageInfo } from './worker/answers.ts';

const NO_INSIGHT: Insight = { events: [], leftOut: 0, armed: [], flying: [], flights: [], items: [], boot: null };

export class OpenFile {
  readonly key: number;
  readonly name: string;
  /** Its id at the server; null for a file that was dropped. */
  readonly id: string | null;
  /** How much is read, of 1. */
  progress: number = $state(0);
  problem: string = $state('');
  /** The logs in it, if it is an archive with several. */
  choices: readonly string[] = $state.raw([]);
  /** Microseconds that put it on the clock of the page, until it is moved. */
  natural = 0;
  /** Microseconds that are added to its times. */
  offset: number = $state(0);
  summary: FileSummary | null = $state.raw(null);
  modes: readonly ModeInterval[] = $state.raw([]);
  messages: readonly MessageInfo[] = $state.raw([]);
  insight: Insight = $state.raw(NO_INSIGHT);
  report: Report | null = $state.raw(null);
  /** Of its bytes, '' until it is known. */
  hash = '';
  notes: readonly Note[] = $state.raw([]);

  /** Whether its events are still being found. */
  get isUnknown(): boolean {
    return this.problem === '' && this.insight === NO_INSIGHT;
  }

  constructor(key: number, name: string, id: string | null) {
    this.key = key;
    this.name = name;
    this.id = id;
  }
}
