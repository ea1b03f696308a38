import { Sha256, sha256 } from '../../core/sha256.ts';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 6;

let bytesInside: (key: SigningKey) => Uint8Array;

/** A signing key that cannot be printed, stored or compared, so that it never gets into a log, error or status. */
export class SigningKey {
  readonly #bytes: Uint8Array;

  static {
    bytesInside = (key) => key.#bytes.slice();
  }

  /** @param bytes 32 of them, copied */
  constructor(bytes: Uint8Array) {
    if (bytes.length !== KEY_BYTES) throw new RangeError(`signing key has ${bytes.length} bytes, not ${KEY_BYTES}`);
    this.#bytes = bytes.slice();
  }

  /** The key that ground stations make of a phrase: its SHA-256. */
  static fromPassphrase(phrase: string): SigningKey {
    return new SigningKey(sha256(new TextEncoder().encode(phrase)));
  }

  /** A key written as 64 hexadecimal digits or in base64. */
  static parse(text: string): SigningKey {
    const trimmed = text.trim();
    if (/^[0-9a-f]{64}$/i.test(trimmed)) {
      return new SigningKey(
        Uint8Array.from({ length: KEY_BYTES }, (_, i) => Number.parseInt(trimmed.substr(2 * i, 2), 16)),
      );
    }
    if (/^[0-9a-z+/]{43}=$/i.test(trimmed)) {
      return new SigningKey(Uint8Array.from(atob(trimmed), (char) => char.charCodeAt(0)));
    }
    // what was given may be nearly a key, so it is not repeated
    throw new RangeError(`signing key of ${trimmed.length} characters is neither 64 hexadecimal digits nor base64`);
  }

  /** The six bytes that sign bytes [from, to): a frame with its checksum, the link and the time stamp. */
  signature(bytes: Uint8Array, from: number, to: number): Uint8Array {
    return new Sha256().update(this.#bytes).update(bytes, from, to).digest().subarray(0, SIGNATURE_BYTES);
  }

  /** Whether the six bytes at `to` sign bytes [from, to). Takes the same time wherever they differ. */
  signs(bytes: Uint8Array, from: number, to: number): boolean {
    const signature = this.signature(bytes, from, to);
    let difference = 0;
    for (let i = 0; i < SIGNATURE_BYTES; i++) difference |= signature[i] ^ bytes[to + i];
    return difference === 0;
  }
}

/** The bytes of a key, for a process of our own that verifies with it and for nothing else. No part of the library. */
export function bytesOfKey(key: SigningKey): Uint8Array {
  return bytesInside(key);
}
