import type { StreamStatistics } from '../../core/decoder.ts';

/*
 * Each device numbers its packets 0 to 65535 and again from 0. What a number says depends on how far it is ahead of the
 * expected one, modulo 65536:
 *
 *     0             1 ... 32767            32768 ... 65471        65472 ... 65535
 *     the next      N are missing          counting restarted     late or repeated: the last 64 are remembered
 *
 * A device that starts again counts from 0, so a number near 0 far from the expected one is that, and no loss.
 */
const MODULUS = 0x10000;
const HALF = 0x8000;
const WINDOW = 64;
const NEAR_ZERO = 16;
const BUSES = 256;
/** No number: before the first packet. */
const NONE = -1;

/** What the packet counters say about the devices of a bus. */
export class Counters {
  /** The next expected number of each device. The fast path compares and, if equal, does what `pass` would do. */
  readonly next: Int32Array = new Int32Array(BUSES).fill(NONE);
  readonly received: Float64Array = new Float64Array(BUSES);
  private readonly lost = new Float64Array(BUSES);
  private readonly duplicated = new Float64Array(BUSES);
  private readonly reordered = new Float64Array(BUSES);
  private readonly restarted = new Float64Array(BUSES);
  /** Numbers below the expected one that are missing still, of each device: few, since the window is short. */
  private readonly missing: (Set<number> | undefined)[] = [];

  /** A packet came, with any number. */
  pass(bus: number, number: number): void {
    this.received[bus]++;
    const expected = this.next[bus];
    if (expected === NONE) {
      this.next[bus] = (number + 1) % MODULUS;
      return;
    }
    const ahead = (number - expected + MODULUS) % MODULUS;
    if (ahead >= MODULUS - WINDOW) this.late(bus, number);
    else if (ahead >= HALF || (number < NEAR_ZERO && ahead > WINDOW)) this.restart(bus, number);
    else this.advance(bus, expected, ahead, number);
  }

  private advance(bus: number, expected: number, ahead: number, number: number): void {
    this.lost[bus] += ahead;
    this.next[bus] = (number + 1) % MODULUS;
    if (ahead === 0) return;
    const missing = this.missing[bus] ?? new Set();
    this.missing[bus] = missing;
    for (const each of missing) if (!this.isNear(bus, each)) missing.delete(each);
    for (let k = Math.max(0, ahead - WINDOW); k < ahead; k++) missing.add((expected + k) % MODULUS);
  }

  private isNear(bus: number, number: number): boolean {
    return (this.next[bus] - number + MODULUS) % MODULUS <= WINDOW;
  }

  private late(bus: number, number: number): void {
    if (this.missing[bus]?.delete(number)) {
      this.reordered[bus]++;
      this.lost[bus]--;
    } else {
      this.duplicated[bus]++;
    }
  }

  private restart(bus: number, number: number): void {
    this.restarted[bus]++;
    this.missing[bus] = undefined;
    this.next[bus] = (number + 1) % MODULUS;
  }

  /** Devices that sent numbered packets, with the stream that each is. */
  statistics(streamOf: (bus: number) => string): StreamStatistics[] {
    const found: StreamStatistics[] = [];
    for (let bus = 0; bus < BUSES; bus++) {
      if (this.received[bus] === 0) continue;
      found.push({
        stream: streamOf(bus),
        received: this.received[bus],
        lost: this.lost[bus],
        duplicated: this.duplicated[bus],
        reordered: this.reordered[bus],
        restarted: this.restarted[bus],
      });
    }
    return found;
  }
}
