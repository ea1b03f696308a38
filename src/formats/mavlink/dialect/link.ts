import { X25_SEED, x25Byte } from '../../../core/checksum.ts';
import { getOrAdd } from '../../../core/maps.ts';
import type { Enumeration } from '../../../core/schema.ts';
import { type Declarations, type DeclaredField, type DeclaredMessage, DialectError } from './declarations.ts';
import type { Dialect, MessageDefinition, MessageField } from './definition.ts';
import { asBitmask, entryValue, mergeEnums } from './enums.ts';
import { invalidOf } from './invalid.ts';
import { FIELD_TYPES, layoutOf } from './wire.ts';

type Enums = ReadonlyMap<string, Enumeration>;

/** Makes a message from what its file says and the enums of all files. */
type MakeMessage<M> = (message: M, file: { readonly version: number }, enums: Enums) => MessageDefinition;

/** Puts files together, those that are included before those that include them. */
export function link<M extends { readonly id: number }>(
  name: string,
  files: readonly (Pick<Declarations, 'version' | 'enums'> & { readonly messages: readonly M[] })[],
  make: MakeMessage<M>,
): Dialect {
  const enums = mergeEnums(files.flatMap((file) => file.enums));
  const byId = new Map<number, MessageDefinition[]>();
  for (const file of files) {
    for (const message of file.messages) getOrAdd(byId, message.id, () => []).push(make(message, file, enums));
  }
  return { name, messages: new Map([...byId].sort(([a], [b]) => a - b)), enums };
}

/** A message whose fields are all laid out at once. */
export const linkMessage: MakeMessage<DeclaredMessage> = (message, { version }, enums) => {
  const { id, name, wip, deprecation } = message;
  const { baseLength, length } = layoutOf(message.fields);
  const fields = linkFields(message.fields, version, enums);
  return { id, name, fields, baseLength, length, crcExtra: crcExtraOf(message), wip, deprecation };
};

export function linkFields(fields: readonly DeclaredField[], version: number, enums: Enums): MessageField[] {
  const { offsets } = layoutOf(fields);
  return fields.map((field, i) => {
    const type = FIELD_TYPES[field.type];
    const count = field.length || 1;
    const enumeration = enums.get(field.enumeration);
    return {
      name: field.name,
      type,
      count,
      offset: offsets[i],
      extension: field.extension,
      unit: field.unit,
      ...invalidOf(field.invalid, type, count, (entry) => entryValue(enumeration, entry)),
      enumeration: enumeration && field.bitmask && !enumeration.bitmask ? asBitmask(enumeration) : enumeration,
      instance: field.instance,
      multiplier: field.multiplier,
      minimum: field.minimum,
      maximum: field.maximum,
      constant: field.version ? version : undefined,
    };
  });
}

/**
 * The byte of a definition in the checksum of its frames: the name of the message, then type, name and
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

type File = Pick<Declarations, 'name' | 'includes'>;

/** The file that includes all that belong to the official set and agree with each other. */
export const ALL = 'all';

/** The files of a dialect among the official ones; for `all` those after it too that it leaves out. */
export function filesOf<F extends File>(name: string, files: ReadonlyMap<string, F>): F[] {
  const included = includedFirst(name, files);
  return name === ALL ? [...new Set([...included, ...files.values()])] : included;
}

/** A file and all that it includes, each once, those that are included before those that include them. */
export function includedFirst<F extends File>(root: string, files: ReadonlyMap<string, F>): F[] {
  const ordered = new Set<F>();
  /** The files that led to the one that is looked at. */
  const way: string[] = [];
  const visit = (name: string): void => {
    const file = files.get(name);
    if (!file || ordered.has(file)) return;
    way.push(name);
    for (const include of file.includes) {
      const start = way.indexOf(include.name);
      if (start >= 0) {
        const circle = [...way.slice(start), include.name].map((part) => `${part}.xml`).join(' -> ');
        throw new DialectError(`${name}.xml`, include.line, `circular include: ${circle}`);
      }
      visit(include.name);
    }
    way.pop();
    ordered.add(file);
  };
  visit(root);
  return [...ordered];
}
