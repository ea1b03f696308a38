import { UnknownFormatError } from '../../core/format.ts';
import { type MakeSpill, Pieces, type Source } from '../../core/source.ts';

/*
 * An encrypted log of PX4 (.ulge), https://docs.px4.io/main/en/dev_log/log_encryption.html
 *
 *     0        7   8        16        17    18         20           22
 *     ULogEnc  1   time     exchange  key   bytes of   bytes of     wrapped  nonce  encrypted
 *                  u64      4: RSA    no.   the key    the nonce    key             ULog
 *
 * The private key unwraps (RSA-OAEP, SHA-256) the key of this log, with which XChaCha20 made its bytes. Nothing proves that
 * they are as they were.
 */

const HEAD = 22;
const VERSION_AT = 7;
const RSA_OAEP = 4;
const KEY_BYTES = 32;
const NONCE_BYTES = 24;
const BLOCK = 64;
/** Bytes that are decrypted at a time, whole blocks. */
const CHUNK = 1 << 18;

/** The log in an encrypted one. @param privateKey as PEM text */
export async function decrypted(
  source: Source,
  privateKey: string,
  { spill, signal }: { readonly spill?: MakeSpill | undefined; readonly signal?: AbortSignal | undefined },
): Promise<Source> {
  const head = new Uint8Array(await source.read(0, HEAD));
  const nonceAt = HEAD + (head[18] | (head[19] << 8));
  const from = nonceAt + NONCE_BYTES;
  const isKnown = head[VERSION_AT] === 1 && head[16] === RSA_OAEP && (head[20] | (head[21] << 8)) === NONCE_BYTES;
  if (!isKnown || source.size < from) throw refusal('its header is cut, or of a kind that is not known');
  const keys = new Uint8Array(await source.read(HEAD, from - HEAD));
  const nonce = keys.subarray(nonceAt - HEAD);
  const key = await unwrapped(keys.subarray(0, nonceAt - HEAD), privateKey, head[17]);
  const cipher = new ChaCha20(subkey(key, nonce), nonce.subarray(16));
  const pieces = new Pieces(spill);
  for (let at = from; at < source.size; ) {
    signal?.throwIfAborted();
    const chunk = new Uint8Array(await source.read(at, CHUNK));
    if (chunk.length === 0) break;
    cipher.apply(chunk);
    pieces.append(chunk);
    at += chunk.length;
  }
  return pieces;
}

function refusal(advice: string): UnknownFormatError {
  return new UnknownFormatError({ name: 'encrypted PX4 ULog (.ulge)', advice });
}

async function unwrapped(wrapped: Uint8Array, pem: string, number: number): Promise<Uint8Array> {
  const how = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const { subtle } = globalThis.crypto;
  let key: CryptoKey;
  try {
    key = await subtle.importKey('pkcs8', pkcs8(pem), how, false, ['decrypt']);
  } catch {
    throw new Error('the key of the log is no RSA private key in PEM');
  }
  const bytes = await subtle.decrypt(how, key, new Uint8Array(wrapped)).catch(() => undefined);
  if (bytes?.byteLength === KEY_BYTES) return new Uint8Array(bytes);
  throw refusal(`this private key does not open it: its key is wrapped by public key ${number} of the vehicle`);
}

/** `0`, the name of the algorithm: what PKCS #8 has before a key of PKCS #1. */
const RSA_KEY = [0x02, 0x01, 0x00, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 5, 0];
const SEQUENCE = 0x30;
const OCTETS = 0x04;

/** The bytes of a private key, in the form that browsers take. */
function pkcs8(pem: string): Uint8Array<ArrayBuffer> {
  const [, kind, text] = /-----BEGIN (RSA )?PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(pem) ?? [];
  if (text === undefined) return new Uint8Array(0);
  const bytes = Uint8Array.from(atob(text.replace(/\s/g, '')), (letter) => letter.charCodeAt(0));
  return kind === undefined ? bytes : der(SEQUENCE, [...RSA_KEY, ...der(OCTETS, bytes)]);
}

/** A value with its tag and its length. */
function der(tag: number, value: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([tag, 0x82, value.length >> 8, value.length & 0xff, ...Array.from(value)]);
}

/** "expand 32-byte k" */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

function words(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
}

/** HChaCha20, https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha: the key for the end of a long nonce. */
function subkey(key: Uint8Array, nonce: Uint8Array): Uint8Array {
  const state = Uint32Array.from([...CONSTANTS, ...words(key), ...words(nonce.subarray(0, 16))]);
  rounds(state);
  const out = new DataView(new ArrayBuffer(KEY_BYTES));
  for (let i = 0; i < 4; i++) {
    out.setUint32(4 * i, state[i], true);
    out.setUint32(16 + 4 * i, state[12 + i], true);
  }
  return new Uint8Array(out.buffer);
}

/** ChaCha20 with a counter of 64 bits, from the first block on. */
class ChaCha20 {
  private readonly state: Uint32Array;
  private readonly stream = new Uint32Array(BLOCK / 4);

  constructor(key: Uint8Array, nonce: Uint8Array) {
    this.state = Uint32Array.from([...CONSTANTS, ...words(key), 0, 0, ...words(nonce)]);
  }

  /** Changes bytes in place: whole blocks, but for the last ones. */
  apply(bytes: Uint8Array): void {
    const { state, stream } = this;
    for (let at = 0; at < bytes.length; at += BLOCK) {
      stream.set(state);
      rounds(stream);
      const end = Math.min(BLOCK, bytes.length - at);
      for (let i = 0; i < end; i++) bytes[at + i] ^= (stream[i >> 2] + state[i >> 2]) >>> (8 * (i & 3));
      if (++state[12] === 0) state[13]++;
    }
  }
}

function rounds(x: Uint32Array): void {
  for (let i = 0; i < 10; i++) {
    for (let k = 0; k < 4; k++) quarter(x, k, 4 + k, 8 + k, 12 + k);
    for (let k = 0; k < 4; k++) quarter(x, k, 4 + ((k + 1) & 3), 8 + ((k + 2) & 3), 12 + ((k + 3) & 3));
  }
}

function quarter(x: Uint32Array, a: number, b: number, c: number, d: number): void {
  x[a] += x[b];
  x[d] = turned(x[d] ^ x[a], 16);
  x[c] += x[d];
  x[b] = turned(x[b] ^ x[c], 12);
  x[a] += x[b];
  x[d] = turned(x[d] ^ x[a], 8);
  x[c] += x[d];
  x[b] = turned(x[b] ^ x[c], 7);
}

function turned(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
