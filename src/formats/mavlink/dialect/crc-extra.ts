import { X25_SEED, x25Byte } from '../../../core/x25.ts';
import type { DeclaredMessage } from './declarations.ts';
import { layoutOf } from './wire.ts';

/**
 * The byte that stands for a definition in the checksum of its frames: the name of the message, then type, name and
 * array length of each field in wire order. Extensions do not count, so that they can be added later.
 * https://mavlink.io/en/guide/serialization.html#crc_extra
 */
export function crcExtraOf({ name, fields }: Pick<DeclaredMessage, 'name' | 'fields'>): number {
  let sum = add(X25_SEED, `${name} `);
  for (const index of layoutOf(fields).order) {
    const field = fields[index];
    if (field.extension) break;
    sum = add(sum, `${field.type} ${field.name} `);
    if (field.length > 0) sum = x25Byte(sum, field.length);
  }
  return (sum & 0xff) ^ (sum >>> 8);
}

/** Names are ASCII: a character is a byte. */
function add(sum: number, text: string): number {
  let result = sum;
  for (let i = 0; i < text.length; i++) result = x25Byte(result, text.charCodeAt(i));
  return result;
}
