import { resized } from '../../core/bytes.ts';
import type { Layers } from './layers.ts';
import { CAPTURE_LIMITS } from './limits.ts';
import { endpointText } from './packet.ts';

/** Words of a key: protocol and interface, ports, two addresses. */
const WORDS = 10;
const EMPTY = -1;
/** Places for flows at first: four for each, so that few collide. */
const FIRST_SLOTS = 64;

/** Who a flow is between. */
export interface Ends {
  readonly source: string;
  readonly destination: string;
  readonly interface: number;
  /** UDP, TCP or BARE, as the headers said. */
  readonly kind: number;
}

/** Finds the flow of a packet by its addresses, ports, protocol and interface. It keeps no packet's bytes. */
export class FlowTable<F> {
  readonly flows: F[] = [];
  private readonly make: (ends: Ends) => F;
  private slots: Int32Array = new Int32Array(FIRST_SLOTS).fill(EMPTY);
  /** Of each flow. */
  private hashes = new Int32Array(FIRST_SLOTS / 4);
  private keys = new Uint32Array((WORDS * FIRST_SLOTS) / 4);
  private readonly key = new Uint32Array(WORDS);
  private hash = 0;
  /** The flow that was found last, and its key if that is a short one. */
  private last: F | undefined;
  private lastHead = 0;
  private lastPorts = 0;
  private lastFirst = 0;
  private lastSecond = 0;

  constructor(make: (ends: Ends) => F) {
    this.make = make;
  }

  /** The flow that a packet belongs to, a new one if need be; undefined where there are too many. */
  find(bytes: Uint8Array, layers: Layers, kind: number, from: number): F | undefined {
    const { addressBytes, source, destination, sourcePort, destinationPort } = layers;
    const ports = (sourcePort << 16) | destinationPort;
    const head = (from << 8) | (kind << 5) | addressBytes;
    const isShort = addressBytes === 4;
    const first = isShort ? word(bytes, source) : 0;
    const second = isShort ? word(bytes, destination) : 0;
    // mostly the next packet is of the same flow
    if (isShort && ports === this.lastPorts && first === this.lastFirst && second === this.lastSecond) {
      if (head === this.lastHead) return this.last;
    }
    this.fill(bytes, kind, from, addressBytes, source, destination, ports);
    const known = this.slots[this.probe()];
    if (known !== EMPTY) {
      if (isShort) {
        this.last = this.flows[known];
        this.lastHead = head;
        this.lastPorts = ports;
        this.lastFirst = first;
        this.lastSecond = second;
      }
      return this.flows[known];
    }
    if (this.flows.length >= CAPTURE_LIMITS.flows) return undefined;
    this.store(this.flows.length);
    const flow = this.make({
      source: endpointText(bytes, source, addressBytes, sourcePort),
      destination: endpointText(bytes, destination, addressBytes, destinationPort) || 'bare packets',
      interface: from,
      kind,
    });
    this.flows.push(flow);
    return flow;
  }

  /** The flow in the other direction, if there is one. */
  reverse(bytes: Uint8Array, layers: Layers, kind: number, from: number): F | undefined {
    const { addressBytes, source, destination, sourcePort, destinationPort } = layers;
    this.fill(bytes, kind, from, addressBytes, destination, source, (destinationPort << 16) | sourcePort);
    const known = this.slots[this.probe()];
    return known === EMPTY ? undefined : this.flows[known];
  }

  private fill(
    bytes: Uint8Array,
    kind: number,
    from: number,
    addressBytes: number,
    source: number,
    destination: number,
    ports: number,
  ): void {
    const { key } = this;
    key[0] = (from << 8) | (kind << 5) | addressBytes;
    key[1] = ports;
    let hash = mix(mix(0x9e3779b9, key[0]), ports);
    for (let i = 0; i < 4; i++) {
      const isUsed = 4 * i < addressBytes;
      const first = isUsed ? word(bytes, source + 4 * i) : 0;
      const second = isUsed ? word(bytes, destination + 4 * i) : 0;
      key[2 + 2 * i] = first;
      key[3 + 2 * i] = second;
      if (isUsed) hash = mix(mix(hash, first), second);
    }
    this.hash = hash ^ (hash >>> 15);
  }

  /** The slot that holds the key, or the one where it belongs. */
  private probe(): number {
    const { slots, keys, key } = this;
    const mask = slots.length - 1;
    for (let slot = this.hash & mask; ; slot = (slot + 1) & mask) {
      const index = slots[slot];
      if (index === EMPTY) return slot;
      const at = index * WORDS;
      let i = 0;
      while (i < WORDS && keys[at + i] === key[i]) i++;
      if (i === WORDS) return slot;
    }
  }

  private store(index: number): void {
    if (4 * index >= this.slots.length) this.grow();
    this.keys.set(this.key, index * WORDS);
    this.hashes[index] = this.hash;
    this.slots[this.probe()] = index;
  }

  private grow(): void {
    const { keys, hashes, slots } = this;
    this.keys = resized(keys, 2 * keys.length);
    this.hashes = resized(hashes, 2 * hashes.length);
    this.slots = new Int32Array(2 * slots.length).fill(EMPTY);
    const mask = this.slots.length - 1;
    for (let index = 0; index < this.flows.length; index++) {
      let slot = hashes[index] & mask;
      while (this.slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      this.slots[slot] = index;
    }
  }
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
}
