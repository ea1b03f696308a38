/** A part of a file: both ends are within it. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * What a Range header asks for (https://www.rfc-editor.org/rfc/rfc9110#section-14):
 *
 *   bytes=0-99      the first hundred
 *   bytes=100-      all from there on
 *   bytes=-100      the last hundred
 *
 * `undefined` where the whole is to be sent (no header, another unit, several ranges, nonsense), 'none' where nothing of
 * the file lies in the range.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  const first = Number(match[1]);
  const last = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < first) return undefined;
  return first >= size ? 'none' : { first, last };
}
