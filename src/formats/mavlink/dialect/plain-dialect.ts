import type { Enumeration } from '../../../core/schema.ts';
import type { Dialect, MessageDefinition, MessageField } from './definition.ts';

/**
 * A dialect as plain data, for other processes: what is made when it is asked for is made, since functions cannot be sent.
 */
export function plainDialect({ name, messages, enums }: Dialect): Dialect {
  const made = new Map<Enumeration, Enumeration>();
  const plainEnum = (given: Enumeration): Enumeration => {
    const known = made.get(given) ?? { name: given.name, bitmask: given.bitmask, names: given.names };
    made.set(given, known);
    return known;
  };
  const plainField = (field: MessageField): MessageField =>
    field.enumeration ? { ...field, enumeration: plainEnum(field.enumeration) } : field;
  const plainMessage = (message: MessageDefinition): MessageDefinition => {
    const { id, name: own, baseLength, length, crcExtra, wip, deprecation, fields } = message;
    return { id, name: own, baseLength, length, crcExtra, wip, deprecation, fields: fields.map(plainField) };
  };
  return {
    name,
    messages: new Map([...messages].map(([id, same]) => [id, same.map(plainMessage)])),
    enums: new Map([...enums].map(([own, each]) => [own, plainEnum(each)])),
  };
}
