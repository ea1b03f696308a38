import { getOrAdd } from '../core/maps.ts';
import type { ByteSet } from './byte-set.ts';
import { type Grammar, GrammarError } from './grammar.ts';
import { GRAMMAR_LIMITS as LIMITS } from './limits.ts';
import { ACCEPT, BEGIN, END, FORK, type Label, Network, TAKE } from './network.ts';

/** Where a byte leads that the grammar does not allow. */
export const DEAD = 0x7fff_ffff;

/** What is to be known of a state where something is wrong, or a record begins or ends. */
export interface AutomatonState {
  /** Of the first of the ways that are open; undefined where only the end may come. */
  readonly label: Label | undefined;
  readonly wanted: readonly string[];
  readonly expected: ByteSet;
  readonly canEnd: boolean;
  readonly beginsRecord: boolean;
  readonly endsRecord: boolean;
}

/**
 * A grammar as one table: the ways that its alternatives open are put in step once, before a byte is read, so that each
 * byte costs one look-up whatever the grammar is. A grammar for which that takes too much is refused.
 *
 * Bytes that the grammar never distinguishes are one class. A state is the place of its row in the table:
 *
 *     0 ... classes - 1        classes                        classes + 1
 *     the next state by        bytes from here on that may    the state after them
 *     the class of a byte      be whatever they are
 *
 * First come states that ask for nothing but a look-up, then those with such bytes, then those where a record begins
 * or ends.
 */
export class Automaton {
  readonly table: Int32Array;
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** The first of the states that ask for more, and the first where a record begins or ends. */
  readonly special: number;
  readonly records: number;
  readonly start: number;
  private readonly places: readonly AutomatonState[];

  constructor(grammar: Grammar) {
    const network = new Network(grammar);
    const { classOf, samples } = classesOf(network.sets);
    const classes = samples.length;
    const { rows, places } = new Steps(network, samples);
    const runs = runsOf(rows, classes, places);
    const rankOf = (state: number): number => (isRecord(places[state]) ? 2 : runs.length[state] > 0 ? 1 : 0);
    const order = places.map((_, state) => state).sort((a, b) => rankOf(a) - rankOf(b));
    const stride = classes + 2;
    const rowOf = new Int32Array(order.length);
    for (const [i, state] of order.entries()) rowOf[state] = i * stride;
    this.table = new Int32Array(order.length * stride);
    for (const [i, state] of order.entries()) {
      for (let c = 0; c < classes; c++) {
        const next = rows[state * classes + c];
        this.table[i * stride + c] = next < 0 ? DEAD : rowOf[next];
      }
      this.table[i * stride + classes] = runs.length[state];
      this.table[i * stride + classes + 1] = rowOf[runs.end[state]];
    }
    this.classOf = classOf;
    this.classes = classes;
    this.places = order.map((state) => places[state]);
    this.special = order.filter((state) => rankOf(state) === 0).length * stride;
    this.records = order.filter((state) => rankOf(state) < 2).length * stride;
    this.start = rowOf[0];
  }

  place(state: number): AutomatonState {
    return this.places[state / (this.classes + 2)];
  }

  /** Where to go on when a byte was wrong: as if the first one that is allowed had been there. DEAD where none is. */
  recover(state: number): number {
    for (let c = 0; c < this.classes; c++) if (this.table[state + c] !== DEAD) return this.table[state + c];
    return DEAD;
  }
}

/** Made once for each grammar: many files may be checked by the same. */
const automata: WeakMap<Grammar, Automaton> = new WeakMap();

export function automatonOf(grammar: Grammar): Automaton {
  return getOrAdd(automata, grammar, () => new Automaton(grammar));
}

function isRecord({ beginsRecord, endsRecord }: AutomatonState): boolean {
  return beginsRecord || endsRecord;
}

/** For each state how many bytes may follow that are whatever they are, up to the end of a record, and what then. */
function runsOf(
  rows: readonly number[],
  classes: number,
  places: readonly AutomatonState[],
): { length: Int32Array; end: Int32Array } {
  const length = new Int32Array(places.length).fill(-1);
  const end = new Int32Array(places.length);
  for (let first = 0; first < places.length; first++) {
    const way: number[] = [];
    let state = first;
    while (length[state] < 0) {
      const next = rows[state * classes];
      let isFree = next >= 0 && !isRecord(places[next]);
      for (let c = 1; c < classes && isFree; c++) isFree = rows[state * classes + c] === next;
      // a way that comes back to where it was has no end: it is walked
      length[state] = 0;
      end[state] = state;
      if (!isFree) break;
      way.push(state);
      state = next;
    }
    for (let each = way.pop(), then = state; each !== undefined; then = each, each = way.pop()) {
      length[each] = length[then] + 1;
      end[each] = end[then];
    }
  }
  return { length, end };
}

/** Bytes that are in the same sets are one class; one byte of each is its sample. */
function classesOf(sets: readonly ByteSet[]): { classOf: Uint8Array; samples: number[] } {
  const classOf = new Uint8Array(256);
  const samples: number[] = [];
  const known = new Map<string, number>();
  for (let byte = 0; byte < 256; byte++) {
    let key = '';
    for (const set of sets) key += set[byte];
    const found = known.get(key);
    if (found === undefined) {
      known.set(key, samples.length);
      classOf[byte] = samples.push(byte) - 1;
    } else {
      classOf[byte] = found;
    }
  }
  return { classOf, samples };
}

/** What is open after the same bytes, for all bytes that there can be. */
class Steps {
  /** For each state and class the state that follows, -1 for none. */
  readonly rows: number[] = [];
  readonly places: AutomatonState[] = [];
  private readonly network: Network;
  private readonly numbers: Map<string, number> = new Map();
  private readonly kernels: number[][] = [];
  private readonly seen: Int32Array;
  private round = 0;
  private steps = 0;

  constructor(network: Network, samples: readonly number[]) {
    this.network = network;
    this.seen = new Int32Array(network.kind.length);
    this.number([network.start]);
    const { set, sets, next } = network;
    for (let state = 0; state < this.kernels.length; state++) {
      const open = this.opened(this.kernels[state]);
      this.places.push(stateOf(network, open));
      const takes = open.filter((each) => network.kind[each] === TAKE);
      this.spend(takes.length * samples.length);
      for (const byte of samples) {
        const after: number[] = [];
        for (const each of takes) if (sets[set[each]][byte] === 1) after.push(next[each]);
        this.rows.push(after.length === 0 ? -1 : this.number(after));
      }
      if (this.rows.length > LIMITS.table) refuse(`a table of more than ${LIMITS.table} entries`);
    }
  }

  /** The number of what is open once these states are entered. */
  private number(entered: readonly number[]): number {
    const kernel = entered.length === 1 ? entered : [...new Set(entered)].sort((a, b) => a - b);
    const key = kernel.join();
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.kernels.push([...kernel]) - 1;
    if (number >= LIMITS.states) refuse(`more than ${LIMITS.states} states`);
    this.numbers.set(key, number);
    return number;
  }

  /** All states that are reached without a byte, in the order of the grammar. */
  private opened(kernel: readonly number[]): number[] {
    const { kind, next, other } = this.network;
    const round = ++this.round;
    const open: number[] = [];
    const waiting = [...kernel].reverse();
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      if (this.seen[state] === round) continue;
      this.seen[state] = round;
      open.push(state);
      if (kind[state] === FORK && other[state] >= 0) waiting.push(other[state]);
      if (kind[state] !== TAKE && kind[state] !== ACCEPT) waiting.push(next[state]);
    }
    this.spend(open.length);
    return open;
  }

  private spend(steps: number): void {
    this.steps += steps;
    if (this.steps > LIMITS.steps) refuse(`more than ${LIMITS.steps} steps to compile its alternatives`);
  }
}

function refuse(what: string): never {
  throw new GrammarError('', `the grammar needs ${what}: too many alternatives begin the same way`);
}

function stateOf({ kind, set, sets, labels }: Network, open: readonly number[]): AutomatonState {
  const expected: ByteSet = new Uint8Array(256);
  const wanted = new Set<string>();
  let label: Label | undefined;
  for (const state of open) {
    if (kind[state] !== TAKE) continue;
    label ??= labels[state];
    const each = sets[set[state]];
    for (let byte = 0; byte < 256; byte++) expected[byte] |= each[byte];
    wanted.add(labels[state].wanted ?? '');
  }
  return {
    label,
    // bytes that some alternative takes for what they are need no words
    wanted: wanted.has('') ? [] : [...wanted],
    expected,
    canEnd: open.some((state) => kind[state] === ACCEPT),
    beginsRecord: open.some((state) => kind[state] === BEGIN),
    endsRecord: open.some((state) => kind[state] === END),
  };
}
