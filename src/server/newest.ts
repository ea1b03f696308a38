import type { Item } from './item.ts';

/** Kinds of messages and senders that are remembered at most. Views bound them too. */
const KINDS = 16_384;

/**
 * The newest message of each kind, kept once for all clients while one of them is behind: a client that takes nothing
 * then costs nothing, however much goes past it, and finds here what it needs when it comes back.
 */
export class Newest {
  /** Of the event that came last. */
  sequence = 0;
  private readonly items = new Map<string, Item>();
  private isKept = false;

  /** From now on the newest are kept. */
  keep(): void {
    this.isKept = true;
  }

  forget(): void {
    this.isKept = false;
    this.items.clear();
  }

  add(item: Item): void {
    if (!this.isKept || item.key === '') return;
    if (this.items.size >= KINDS && !this.items.has(item.key)) return;
    this.items.set(item.key, item);
  }

  /** Those that came after an event. */
  after(sequence: number): Item[] {
    return [...this.items.values()].filter((item) => item.sequence > sequence);
  }
}
