import type { StreamStatistics } from '../../core/decoder.ts';
import type { Fault } from '../../core/fault.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Catalog } from './dialect/catalog.ts';
import type { Header } from './header.ts';
import { isAccepted, type SignatureVerdict, type Verifier } from './signing.ts';

/** Signed frames that are not checked: there is no key. */
type Outcome = SignatureVerdict | 'unchecked';

/** What senders beyond the limit count under. */
const OTHERS = -1;

/** Why a frame is refused. */
export const REFUSALS: Readonly<Partial<Record<SignatureVerdict, string>>> = {
  unsigned: 'it is not signed',
  'bad-signature': 'signed with an unknown key',
  replayed: 'its time is not after the last one of its stream',
  outdated: 'its time is more than a minute old',
  premature: 'its time is too far ahead',
};

/** Which frames of a stream of bytes are accepted by their signature, and what became of all of them. */
export class Signatures {
  private readonly catalog: Catalog;
  private readonly verifier: Verifier | undefined;
  /** By system and component, how many frames had each outcome. */
  private readonly counts: Map<number, Map<Outcome, number>> = new Map();

  constructor(catalog: Catalog, verifier: Verifier | undefined) {
    this.catalog = catalog;
    this.verifier = verifier;
  }

  get areChecked(): boolean {
    return this.verifier !== undefined;
  }

  /** A frame of this sender is signed, and there is no key. */
  unchecked(system: number, component: number): void {
    this.add(system, component, 'unchecked');
  }

  private add(system: number, component: number, outcome: Outcome): void {
    const known = (system << 8) | component;
    const key = this.counts.size < LIMITS.streams || this.counts.has(known) ? known : OTHERS;
    let counts = this.counts.get(key);
    if (!counts) {
      counts = new Map();
      this.counts.set(key, counts);
    }
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  /** The fault that a frame of `length` bytes at `offset` is, or undefined if it is accepted. */
  refusal(bytes: Uint8Array, header: Header, offset: number, length: number): Fault | undefined {
    const { system, component, id } = header;
    if (!this.verifier) {
      if (header.flags !== 0) this.unchecked(system, component);
      return undefined;
    }
    const verdict = this.verifier.check(bytes, header);
    this.add(system, component, verdict);
    if (isAccepted(verdict)) return undefined;
    const subject = `${this.catalog.nameOf(id)} of ${system}:${component}`;
    const text = `frame ${subject} at offset ${offset} is refused: ${REFUSALS[verdict]}`;
    // what is sent again was there before
    return { code: verdict, offset, length, lost: verdict !== 'replayed', text, subject };
  }

  /** How many frames of all senders had each outcome. */
  totals(): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const counts of this.counts.values())
      for (const [outcome, count] of counts) sums[outcome] = (sums[outcome] ?? 0) + count;
    return sums;
  }

  /** Statistics of streams with the outcomes added; streams of which nothing was accepted come last. */
  added(statistics: readonly StreamStatistics[]): StreamStatistics[] {
    const outcomes = new Map<string, Readonly<Record<string, number>>>();
    for (const [key, counts] of this.counts) {
      outcomes.set(key === OTHERS ? 'others' : `${key >>> 8}:${key & 0xff}`, Object.fromEntries(counts));
    }
    const known = statistics.map((each) => {
      const signatures = outcomes.get(each.stream);
      outcomes.delete(each.stream);
      return signatures ? { ...each, signatures } : each;
    });
    const none = { received: 0, lost: 0, duplicated: 0, reordered: 0, restarted: 0 };
    return [...known, ...[...outcomes].map(([stream, signatures]) => ({ stream, ...none, signatures }))];
  }
}
