export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The first place in [from, to) whose byte is another than `fill`; `to` if there is none. */
export function endOfFill(bytes: Uint8Array, from: number, to: number, fill: number): number {
  let at = from;
  while (at < to && bytes[at] === fill && ((bytes.byteOffset + at) & 3) !== 0) at++;
  // 32 at a time: erased memory is long
  if (to - at >= 32 && bytes[at] === fill) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (to - at) >> 2);
    const wanted = Math.imul(fill, 0x01010101);
    let w = 0;
    for (const last = words.length - 8; w <= last; w += 8) {
      const first = (words[w] ^ wanted) | (words[w + 1] ^ wanted) | (words[w + 2] ^ wanted) | (words[w + 3] ^ wanted);
      const next =
        (words[w + 4] ^ wanted) | (words[w + 5] ^ wanted) | (words[w + 6] ^ wanted) | (words[w + 7] ^ wanted);
      if ((first | next) !== 0) break;
    }
    at += 4 * w;
  }
  while (at < to && bytes[at] === fill) at++;
  return at;
}

/** Two bytes in network order. */
export function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1];
}

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** An array of another length with the same beginning. */
export function resized<T extends Numbers>(array: T, length: number): T {
  const made = new (array.constructor as new (length: number) => T)(length);
  made.set(array.subarray(0, length));
  return made;
}
