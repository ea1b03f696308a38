import { TYPE_BYTES } from '../core/schema.ts';
import { ANY_BYTE, type ByteSet, numberSets, parseBytes, parseSet, setOf } from './byte-set.ts';
import { type Grammar, GrammarError, type GrammarNode, type NumberNode, type RecordLength } from './grammar.ts';
import { GRAMMAR_LIMITS as LIMITS } from './limits.ts';

/** What a place in a file is called, and what is expected there in words, where the byte alone does not say it. */
export interface Label {
  readonly layer: string;
  readonly field: string;
  readonly inRecord: boolean;
  readonly length: RecordLength | undefined;
  readonly wanted: string | undefined;
}

/** What a state does: takes a byte, goes on in two ways or in one, marks where records begin and end, or ends. */
export const TAKE = 0;
export const FORK = 1;
export const BEGIN = 2;
export const END = 3;
export const ACCEPT = 4;

const NO_LABEL: Label = { layer: '', field: '', inRecord: false, length: undefined, wanted: undefined };

/** A way through the network that is not finished: where it is entered, and the state that it leaves by. */
interface Way {
  readonly from: number;
  readonly to: number;
}

/** A grammar as states followed in step, with names and repetitions written out: so every state counts. */
export class Network {
  readonly kind: number[] = [];
  /** Where each state leads to; a fork has another. */
  readonly next: number[] = [];
  readonly other: number[] = [];
  /** Of states that take a byte: which, by their number in `sets`, and what it is called. */
  readonly set: number[] = [];
  readonly labels: Label[] = [];
  readonly sets: ByteSet[] = [];
  readonly start: number;

  /** By the set itself, since most are the same one, and by what is in it. */
  private readonly setNumbers: Map<ByteSet | string, number> = new Map();
  private readonly grammar: Grammar;
  /** Names that are being written out. */
  private readonly open: string[] = [];
  private parts = 0;

  constructor(grammar: Grammar) {
    this.grammar = grammar;
    const whole = this.part(grammar.start, NO_LABEL, 'start', 0);
    this.next[whole.to] = this.state(ACCEPT, NO_LABEL);
    this.start = whole.from;
  }

  private state(kind: number, label: Label, set = -1): number {
    const number = this.kind.push(kind) - 1;
    if (number >= LIMITS.parts)
      throw new GrammarError('', `the grammar has more than ${LIMITS.parts} parts when it is written out`);
    this.next.push(-1);
    this.other.push(-1);
    this.set.push(set);
    this.labels.push(label);
    return number;
  }

  private part(part: GrammarNode, outer: Label, path: string, depth: number): Way {
    if (++this.parts > LIMITS.parts)
      throw new GrammarError(path, `the grammar has more than ${LIMITS.parts} parts when it is written out`);
    if (depth > LIMITS.depth) throw new GrammarError(path, `nested more than ${LIMITS.depth} deep`);
    const label = labelOf(part, outer);
    if (!part.record) return this.body(part, label, path, depth);
    const begin = this.state(BEGIN, label);
    const body = this.body(part, label, path, depth);
    const end = this.state(END, label);
    this.next[begin] = body.from;
    this.next[body.to] = end;
    return { from: begin, to: end };
  }

  private body(part: GrammarNode, label: Label, path: string, depth: number): Way {
    if ('bytes' in part)
      return this.takeAll(
        (parseBytes(part.bytes) ?? []).map((byte) => setOf(byte)),
        label,
      );
    if ('set' in part) return this.takeAll([parseSet(part.set) ?? ANY_BYTE], label);
    if ('any' in part) return this.takeAll(new Array<ByteSet>(part.any).fill(ANY_BYTE), label);
    if ('number' in part) return this.numberWay(part, label);
    if ('sequence' in part)
      return this.chain(
        part.sequence.map((each, i) => () => this.part(each, label, `${path}.sequence[${i}]`, depth + 1)),
      );
    if ('choice' in part)
      return this.either(
        part.choice.map((each, i) => () => this.part(each, label, `${path}.choice[${i}]`, depth + 1)),
        label,
      );
    if ('optional' in part)
      return this.upTo(1, () => this.part(part.optional, label, `${path}.optional`, depth + 1), label);
    if ('repeat' in part)
      return this.repeated(
        part.min ?? 0,
        part.max,
        () => this.part(part.repeat, label, `${path}.repeat`, depth + 1),
        label,
      );
    return this.named(part.rule, label, path, depth);
  }

  private named(name: string, label: Label, path: string, depth: number): Way {
    const { rules = {} } = this.grammar;
    if (!Object.hasOwn(rules, name)) {
      const known = Object.keys(rules).slice(0, 20).join(', ') || 'none';
      throw new GrammarError(path, `no rule has the name ${JSON.stringify(name)}: there is ${known}`);
    }
    if (this.open.includes(name)) {
      const way = [...this.open.slice(this.open.indexOf(name)), name].join(' -> ');
      throw new GrammarError(path, `rule ${way} refers to itself`);
    }
    this.open.push(name);
    const way = this.part(rules[name], label, `rules[${JSON.stringify(name)}]`, depth + 1);
    this.open.pop();
    return way;
  }

  private takeAll(sets: readonly ByteSet[], label: Label): Way {
    const from = this.state(TAKE, label, this.setNumber(sets[0]));
    let to = from;
    for (let i = 1; i < sets.length; i++) {
      const state = this.state(TAKE, label, this.setNumber(sets[i]));
      this.next[to] = state;
      to = state;
    }
    return { from, to };
  }

  private numberWay({ number, order, min, max }: NumberNode, label: Label): Way {
    const wanted = `a number from ${min} to ${max}`;
    const ways = numberSets(BigInt(min), BigInt(max), TYPE_BYTES[number]).map((sets) => {
      const sent = order === 'little' ? sets.reverse() : sets;
      return () => this.takeAll(sent, { ...label, wanted });
    });
    return this.either(ways, label);
  }

  private chain(ways: readonly (() => Way)[]): Way {
    const { from, to: first } = ways[0]();
    let to = first;
    for (const way of ways.slice(1)) {
      const each = way();
      this.next[to] = each.from;
      to = each.to;
    }
    return { from, to };
  }

  private either(ways: readonly (() => Way)[], label: Label): Way {
    const end = this.state(FORK, label);
    const forks = ways.map((way) => {
      const fork = this.state(FORK, label);
      const { from, to } = way();
      this.next[fork] = from;
      this.next[to] = end;
      return fork;
    });
    for (let i = 1; i < forks.length; i++) this.other[forks[i - 1]] = forks[i];
    return { from: forks[0], to: end };
  }

  private repeated(min: number, max: number | undefined, way: () => Way, label: Label): Way {
    const before = Array.from({ length: min }, () => way);
    if (max === undefined) return this.chain([...before, () => this.again(way, label)]);
    return max > min ? this.chain([...before, () => this.upTo(max - min, way, label)]) : this.chain(before);
  }

  /** Any number of times. */
  private again(way: () => Way, label: Label): Way {
    const fork = this.state(FORK, label);
    const end = this.state(FORK, label);
    const { from, to } = way();
    this.next[fork] = from;
    this.other[fork] = end;
    this.next[to] = fork;
    return { from: fork, to: end };
  }

  /** At most `most` times, one inside the other: each may be the last. */
  private upTo(most: number, way: () => Way, label: Label): Way {
    const end = this.state(FORK, label);
    const first = this.state(FORK, label);
    let fork = first;
    for (let i = 0; i < most; i++) {
      const { from, to } = way();
      const next = i + 1 < most ? this.state(FORK, label) : end;
      this.next[fork] = from;
      this.other[fork] = end;
      this.next[to] = next;
      fork = next;
    }
    return { from: first, to: end };
  }

  private setNumber(set: ByteSet): number {
    const same = this.setNumbers.get(set);
    if (same !== undefined) return same;
    const key = set.join('');
    const number = this.setNumbers.get(key) ?? this.sets.push(set) - 1;
    this.setNumbers.set(set, number);
    this.setNumbers.set(key, number);
    return number;
  }
}

function labelOf(part: GrammarNode, outer: Label): Label {
  const { layer, field, record, length } = part;
  if (layer === undefined && field === undefined && record === undefined) return outer;
  return {
    ...outer,
    // another layer has other fields
    layer: layer ?? outer.layer,
    field: field ?? (layer === undefined ? outer.field : ''),
    inRecord: outer.inRecord || record === true,
    length: record ? length : outer.length,
  };
}
