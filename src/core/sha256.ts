/*
 * SHA-256, FIPS 180-4 (https://csrc.nist.gov/pubs/fips/180-4/upd1/final). Browsers offer it only as a promise; frames
 * are checked one after the other while they are read, so this one answers at once.
 */

const BLOCK = 64;

/** The first 32 bits of the fractions of the square roots of 8 primes, and of the cube roots of 64. */
const [SEED, ROUNDS] = constants();

function constants(): [Uint32Array, Uint32Array] {
  const seed = new Uint32Array(8);
  const rounds = new Uint32Array(64);
  let count = 0;
  for (let candidate = 2; count < 64; candidate++) {
    let prime = true;
    for (let factor = 2; factor * factor <= candidate; factor++) if (candidate % factor === 0) prime = false;
    if (!prime) continue;
    if (count < 8) seed[count] = rootBits(candidate, 2);
    rounds[count++] = rootBits(candidate, 3);
  }
  return [seed, rounds];
}

/** 32 bits after the point of a root, exact: the largest r with r^degree <= prime * 2^(32 * degree). */
function rootBits(prime: number, degree: number): number {
  const target = BigInt(prime) << BigInt(32 * degree);
  let root = 0n;
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) if ((root + bit) ** BigInt(degree) <= target) root += bit;
  return Number(root & 0xffffffffn);
}

/** A hash that takes its bytes in pieces. */
export class Sha256 {
  private readonly state = SEED.slice();
  private readonly schedule = new Uint32Array(64);
  private readonly block = new Uint8Array(BLOCK);
  /** Bytes taken so far. */
  private length = 0;

  update(bytes: Uint8Array, from = 0, to: number = bytes.length): this {
    const { block } = this;
    let used = this.length % BLOCK;
    this.length += to - from;
    for (let at = from; at < to; at++) {
      block[used++] = bytes[at];
      if (used === BLOCK) {
        this.compress();
        used = 0;
      }
    }
    return this;
  }

  /** The hash of all that was taken; nothing can be added afterwards. */
  digest(): Uint8Array {
    const { length, state } = this;
    // one bit, zeros, and the number of bits in the last 8 bytes of a block
    const used = length % BLOCK;
    const end = (used < BLOCK - 8 ? BLOCK : 2 * BLOCK) - used;
    const padding = new Uint8Array(end);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(end - 8, Math.floor(length / 2 ** 29));
    view.setUint32(end - 4, (length * 8) >>> 0);
    this.update(padding, 0, end);
    const digest = new DataView(new ArrayBuffer(32));
    for (let i = 0; i < 8; i++) digest.setUint32(i * 4, state[i]);
    return new Uint8Array(digest.buffer);
  }

  private compress(): void {
    const { state, schedule, block } = this;
    for (let i = 0; i < 16; i++) {
      const p = i * 4;
      schedule[i] = (block[p] << 24) | (block[p + 1] << 16) | (block[p + 2] << 8) | block[p + 3];
    }
    for (let i = 16; i < 64; i++) {
      const x = schedule[i - 15];
      const y = schedule[i - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      schedule[i] = schedule[i - 16] + s0 + schedule[i - 7] + s1;
    }
    let a = state[0] | 0;
    let b = state[1] | 0;
    let c = state[2] | 0;
    let d = state[3] | 0;
    let e = state[4] | 0;
    let f = state[5] | 0;
    let g = state[6] | 0;
    let h = state[7] | 0;
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const one = (h + s1 + ((e & f) ^ (~e & g)) + (ROUNDS[i] | 0) + (schedule[i] | 0)) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return new Sha256().update(bytes).digest();
}
