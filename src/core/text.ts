const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Text of a fixed-width field: it ends at the first NUL. UTF-8 where it is valid, else Latin-1, which cannot fail.
 */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  let stop = start;
  let ascii = true;
  while (stop < end) {
    const byte = bytes[stop];
    if (byte === 0) break;
    if (byte > 0x7f) ascii = false;
    stop++;
  }
  if (ascii) return latin1(bytes, start, stop);
  try {
    return utf8.decode(bytes.subarray(start, stop));
  } catch {
    return latin1(bytes, start, stop);
  }
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
  return text;
}

/** Two digits a byte, lower case. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte < 16 ? `0${byte.toString(16)}` : byte.toString(16);
  return text;
}
