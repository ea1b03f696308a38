import { X25_SEED, X25_TABLES, x25, x25Byte } from '../core/checksum.ts';
import { lengthBeforeCut } from '../formats/mavlink/checksum.ts';
import type { Catalog } from '../formats/mavlink/dialect/catalog.ts';
import type { MessageDefinition } from '../formats/mavlink/dialect/definition.ts';
import type { Header } from '../formats/mavlink/header.ts';
import { afterZeros } from '../formats/mavlink/running-sum.ts';

/** Why the checksum of a message of a known id is wrong, where one of two things explains it; '' where none does. */
export function crcCause(bytes: Uint8Array, header: Header, sum: number, catalog: Catalog): string {
  if (header.version !== 2) return '';
  for (let slot = catalog.find(header.id); slot !== 0; slot = catalog.other[slot]) {
    const extra = catalog.extra(slot);
    const shorter = lengthBeforeZeros(bytes, header, extra);
    if (shorter > 0) return `which is right for the first ${shorter} bytes of the payload: zeros were put behind them`;
    const { length } = catalog.definitions[slot] as MessageDefinition;
    const longer = lengthBeforeCut(bytes, header, sum, extra, length);
    if (longer > 0) return `which is right for ${longer} bytes of payload: zeros were cut off behind them`;
  }
  return '';
}

/**
 * The length of a payload that was summed before zeros were put behind it, or 0 if that does not explain the checksum.
 * With the payload the length in the header changes: what that does to the sum is added afterwards.
 */
function lengthBeforeZeros(bytes: Uint8Array, header: Header, extra: number): number {
  const { start, payload, checksum, length } = header;
  const stated = header.stated(bytes);
  let zerosFrom = checksum;
  while (zerosFrom > payload + 1 && bytes[zerosFrom - 1] === 0) zerosFrom--;
  let sum = x25(bytes, start + 1, zerosFrom, X25_SEED);
  for (let end = zerosFrom; end < checksum; end++) {
    const change = afterZeros(X25_TABLES[(end - payload) ^ length], end - start - 2);
    if (x25Byte(sum ^ change, extra) === stated) return end - payload;
    sum = x25Byte(sum, 0);
  }
  return 0;
}
