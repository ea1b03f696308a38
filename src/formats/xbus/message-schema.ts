import type { Field, Schema } from '../../core/schema.ts';
import { TYPE_BYTES } from '../../core/schema.ts';
import { listCodec } from './codec.ts';
import { EXTENDED_HEADER, HEADER } from './header.ts';
import { type FieldSpec, fieldOf, part, place, sizeOf } from './layout.ts';
import { MESSAGES, type Message, messageName } from './messages.ts';
import { schemaOf } from './schema.ts';

/** The lengths that the data of a message may have. */
interface Lengths {
  readonly exact: ReadonlySet<number>;
  readonly multiple: number;
  readonly most: number;
}

const LENGTHS: ReadonlyMap<number, Lengths> = new Map(
  [...MESSAGES].map(([id, { layouts, entry, text = -1, bytes = -1 }]) => [
    id,
    {
      exact: new Set(layouts.map(sizeOf)),
      multiple: entry ? sizeOf(entry) : Number.NaN,
      most: Math.max(text, bytes),
    },
  ]),
);

/** Whether data of this length are what the protocol has for the message. */
export function isKnownMessage(id: number, length: number): boolean {
  const lengths = LENGTHS.get(id);
  return (
    lengths !== undefined && (lengths.exact.has(length) || length <= lengths.most || length % lengths.multiple === 0)
  );
}

/** Whether the message has no other lengths than a few, of which this is one: then it is hardly so by chance. */
export function isUsualMessage(id: number, length: number): boolean {
  return LENGTHS.get(id)?.exact.has(length) === true;
}

/** What frames of a message hold, by the length of their data. Data without a layout are kept as they are. */
export function messageSchema(id: number, length: number, isExtended: boolean): Schema {
  const lead = isExtended ? EXTENDED_HEADER : HEADER;
  const { fields, stride } = fieldsOf(MESSAGES.get(id), length, lead);
  return schemaOf(messageName(id), fields, lead + length, stride > 0 ? listCodec(stride) : undefined);
}

function fieldsOf(message: Message | undefined, length: number, lead: number): { fields: Field[]; stride: number } {
  const layout = message?.layouts.find((each) => sizeOf(each) === length);
  if (layout) return { fields: place(layout, lead), stride: 0 };
  const entry = message?.entry;
  if (entry && length % sizeOf(entry) === 0) return listFields(entry, length / sizeOf(entry), lead);
  if (length === 0) return { fields: [], stride: 0 };
  const isText = message?.text !== undefined && length <= message.text;
  const whole = isText ? part('text', 'text', { count: length }) : part('data', 'bytes', { count: length });
  return { fields: place([whole], lead), stride: 0 };
}

/** Entries as arrays, one for each field; entries that hold text as fields with a number. */
function listFields(entry: readonly FieldSpec[], count: number, lead: number): { fields: Field[]; stride: number } {
  const stride = sizeOf(entry);
  if (count === 0) return { fields: [], stride };
  if (entry.every(({ type, count: elements = 1 }) => type !== 'text' && elements === 1)) {
    return { fields: place(entry, lead).map((field) => ({ ...field, count, isList: true })), stride };
  }
  const fields: Field[] = [];
  for (let k = 0; k < count; k++) {
    let at = lead + k * stride;
    for (const each of entry) {
      const field = fieldOf({ ...each, name: `${each.name}_${k + 1}` }, at);
      if (field) fields.push(field);
      at += sizeOf([each]);
    }
  }
  return { fields, stride: 0 };
}

/** What comes before the items of a data message: its record is the header alone, each item is another record. */
export function packetSchema(id: number, isExtended: boolean): Schema {
  const length = isExtended ? part('length', 'uint16') : part('length', 'uint8');
  const at = isExtended ? HEADER : HEADER - TYPE_BYTES.uint8;
  return schemaOf(messageName(id), place([length], at), isExtended ? EXTENDED_HEADER : HEADER);
}

/** Any message, for streams with more kinds of them than the limit. */
export function anyMessageSchema(): Schema {
  const fields = [fieldOf(part('message', 'uint8'), 2), fieldOf(part('length', 'uint8'), 3)] as Field[];
  return schemaOf('Message', fields, HEADER);
}
