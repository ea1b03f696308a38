import type { Enumeration } from '../../../core/schema.ts';
import { crcExtraOf } from './crc-extra.ts';
import type { Declarations, DeclaredField, DeclaredMessage } from './declarations.ts';
import type { Dialect, MessageDefinition, MessageField } from './definition.ts';
import { asBitmask, entryValue, mergeEnums } from './enums.ts';
import { invalidOf } from './invalid.ts';
import { FIELD_TYPES, layoutOf } from './wire.ts';

type Enums = ReadonlyMap<string, Enumeration>;

/** Makes a message from what its file says and the enums of all files. */
export type MakeMessage<M> = (message: M, file: { readonly version: number }, enums: Enums) => MessageDefinition;

/** Puts files together, those that are included before those that include them. */
export function link<M extends { readonly id: number }>(
  name: string,
  files: readonly (Pick<Declarations, 'version' | 'enums'> & { readonly messages: readonly M[] })[],
  make: MakeMessage<M>,
): Dialect {
  const enums = mergeEnums(files.flatMap((file) => file.enums));
  const byId = new Map<number, MessageDefinition[]>();
  for (const file of files) {
    for (const message of file.messages) {
      const definition = make(message, file, enums);
      const others = byId.get(message.id);
      if (others) others.push(definition);
      else byId.set(message.id, [definition]);
    }
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
