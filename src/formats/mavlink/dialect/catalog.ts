import type { Dialect, MessageDefinition } from './definition.ts';

/** Ids have 24 bits, but nearly all that are in use have 16: these are found without a search. */
const QUICK_IDS = 65536;

/*
 * What the loop over frames asks of a message, in one number:
 *
 *     bits 0 ... 8                      9 ... 16                         17 ... 24
 *     one more than the longest        bytes of the payload              CRC_EXTRA
 *     payload; 0 for no message        without extensions
 */
export const LIMIT_MASK = 0x1ff;
export const BASE_SHIFT = 9;
export const EXTRA_SHIFT = 17;

/** The messages of a dialect by slot (0: none). If an id has several definitions, the checksum decides. */
export class Catalog {
  readonly slotOf: Uint16Array = new Uint16Array(QUICK_IDS);
  /** What is to be known of each slot. */
  readonly facts: Int32Array;
  /** The next definition of the same id, 0 for none. */
  readonly other: Uint16Array;
  readonly definitions: readonly (MessageDefinition | undefined)[];
  readonly slots: number;
  private readonly largeIds: Map<number, number> = new Map();

  constructor(dialect: Dialect) {
    const definitions: (MessageDefinition | undefined)[] = [undefined];
    for (const same of dialect.messages.values()) definitions.push(...same);
    this.definitions = definitions;
    this.slots = definitions.length;
    this.facts = new Int32Array(this.slots);
    this.other = new Uint16Array(this.slots);
    // from the last to the first, so that the first definition of an id is found first
    for (let slot = this.slots - 1; slot > 0; slot--) this.place(slot, definitions[slot] as MessageDefinition);
  }

  private place(slot: number, { id, baseLength, length, crcExtra }: MessageDefinition): void {
    const next = this.find(id);
    if (id < QUICK_IDS) this.slotOf[id] = slot;
    else this.largeIds.set(id, slot);
    this.facts[slot] = (length + 1) | (baseLength << BASE_SHIFT) | (crcExtra << EXTRA_SHIFT);
    this.other[slot] = next;
  }

  /** The slot of the first definition of an id, 0 if none. */
  find(id: number): number {
    if (id < QUICK_IDS) return this.slotOf[id];
    return this.largeIds.size === 0 ? 0 : (this.largeIds.get(id) ?? 0);
  }

  /** Whether a payload may be as long in a version of the protocol: MAVLink 1 cuts no zeros and has no extensions. */
  fits(slot: number, length: number, version: number): boolean {
    return length < (this.facts[slot] & LIMIT_MASK) && (version === 2 || length === this.base(slot));
  }

  /** The first definition from a slot on that such a payload fits, 0 for none. */
  firstFit(first: number, length: number, version: number): number {
    let slot = first;
    while (slot !== 0 && !this.fits(slot, length, version)) slot = this.other[slot];
    return slot;
  }

  /** Bytes of the payload without extensions. */
  base(slot: number): number {
    return (this.facts[slot] >>> BASE_SHIFT) & 0xff;
  }

  extra(slot: number): number {
    return this.facts[slot] >>> EXTRA_SHIFT;
  }

  /** What a message is called, also where its id is not known. */
  nameOf(id: number): string {
    return this.definitions[this.find(id)]?.name ?? unknownName(id);
  }
}

/** What messages are called whose id no definition has. */
export function unknownName(id: number): string {
  return `UNKNOWN_${id}`;
}
