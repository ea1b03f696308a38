import type { Dialect } from '../formats/mavlink/definition.ts';
import { Header } from '../formats/mavlink/header.ts';
import { catalogOf } from '../formats/mavlink/options.ts';

/** The system that a frame is meant for: 0 for everybody, also where the message has no target. */
export function targetOf(frame: Uint8Array, dialect?: Dialect): number {
  const header = new Header();
  if (!header.read(frame, 0)) return 0;
  const catalog = catalogOf(dialect);
  const field = catalog.definitions[catalog.find(header.id)]?.fields.find(({ name }) => name === 'target_system');
  if (!field || field.offset >= header.length) return 0;
  return frame[header.payload + field.offset] ?? 0;
}
