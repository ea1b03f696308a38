/** Random numbers that a seed gives again: what fails once can be run once more. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** 32 random bits (the generator is known as mulberry32). */
  bits(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor((this.bits() / 2 ** 32) * limit);
  }

  /** An integer in [low, high]. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.bits() < probability * 2 ** 32;
  }

  pick<T>(from: ArrayLike<T>): T {
    return from[this.below(from.length)];
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i++) bytes[i] = this.bits();
    return bytes;
  }
}

/** One piece of memory of several. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return join(parts);
}

/** The same of more parts than a call can have arguments. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** `pattern` over and over, `length` bytes in all. */
export function repeat(pattern: ArrayLike<number>, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < Math.min(pattern.length, length); i++) bytes[i] = pattern[i];
  for (let done = pattern.length; done < length; done *= 2) bytes.copyWithin(done, 0, done);
  return bytes;
}
