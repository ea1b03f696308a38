/** How strictly a file is looked at. Each has its own verdict. */
export type CheckLevel = 'grammar' | 'structure' | 'crc' | 'signature' | 'messages';

export const LEVELS: readonly CheckLevel[] = ['grammar', 'structure', 'crc', 'signature', 'messages'];

/** One thing that should be otherwise, and where. */
export interface Violation {
  readonly level: CheckLevel;
  /** Where in the file: the byte that is wrong, or the one that is missing. */
  readonly offset: number;
  /** Which record of the file it is in, from 1 on; null outside records. */
  readonly record: number | null;
  /** In what: `ip header`, `mavlink header`, `ATTITUDE`. */
  readonly layer: string;
  readonly field: string;
  readonly expected: string;
  readonly found: string;
}

/** `offset 1234 (0x4d2), record 14, mavlink header, system id: expected one of 01 33 ff, found 02` */
export function sentenceOf({ offset, record, layer, field, expected, found }: Violation): string {
  const place = [
    `offset ${offset} (0x${offset.toString(16)})`,
    record === null ? '' : `record ${record}`,
    layer,
    field,
  ].filter((word) => word !== '');
  return `${place.join(', ')}: expected ${expected}, found ${found}`;
}

export type OnViolation = (violation: Violation) => void;

/** Looks at a file on one level or several: it takes the next bytes, and the end. */
export interface Examiner {
  push(bytes: Uint8Array): void;
  end(): void;
}
