import type { Enumeration, FieldType } from '../../../core/schema.ts';

export interface MessageField {
  readonly name: string;
  /** A `char` array is text. */
  readonly type: FieldType;
  /** Elements: 1 for a scalar. */
  readonly count: number;
  /** Its offset in the payload, after the fields were put into wire order. */
  readonly offset: number;
  /** Whether it came after `<extensions/>`: absent in MAVLink 1, and after all others. */
  readonly extension: boolean;
  readonly unit: string;
  /** The number that means "missing", and whether the first element of an array speaks for all. */
  readonly invalid: number | bigint | undefined;
  readonly invalidByFirst: boolean;
  /** The same for single elements of an array, where each has its own number; `invalid` is then undefined. */
  readonly invalidByElement?: readonly (number | bigint | undefined)[] | undefined;
  readonly enumeration: Enumeration | undefined;
  /** Whether the field distinguishes instances of the message, as `id` of BATTERY_STATUS does. */
  readonly instance: boolean;
  /** value = number on the wire * multiplier, for the few units that do not say it. */
  readonly multiplier?: number | undefined;
  /** Bounds of the values that make sense. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  /** What senders put there without being asked: the protocol's version. */
  readonly constant?: number | undefined;
}

/** That a message should not be used any more. */
export interface Deprecation {
  /** A deprecated message may vanish; a superseded one stays, but there is a better one. */
  readonly kind: 'deprecated' | 'superseded';
  /** Year and month, '2018-11'; '' if it is not said. */
  readonly since: string;
  /** The name of what replaces it, '' if that is not one thing. */
  readonly replacedBy: string;
}

/** A message, https://mavlink.io/en/guide/xml_schema.html */
export interface MessageDefinition {
  readonly id: number;
  readonly name: string;
  /** In the order of the definition, which is not that of the wire. */
  readonly fields: readonly MessageField[];
  /** Bytes of the payload without and with extensions. */
  readonly baseLength: number;
  readonly length: number;
  /** The byte that both sides add to the checksum, so that they agree on the definition. */
  readonly crcExtra: number;
  /** Whether the definition may still change. */
  readonly wip?: boolean | undefined;
  readonly deprecation?: Deprecation | undefined;
}

/** A set of messages. Where files define one id differently, the checksum of a frame decides which one it was. */
export interface Dialect {
  readonly name: string;
  readonly messages: ReadonlyMap<number, readonly MessageDefinition[]>;
  readonly enums: ReadonlyMap<string, Enumeration>;
}

/** A message whose fields are made when they are asked for: of hundreds of messages a stream has a few dozen. */
export class LazyMessage implements MessageDefinition {
  readonly id: number;
  readonly name: string;
  readonly baseLength: number;
  readonly length: number;
  readonly crcExtra: number;
  readonly wip: boolean;
  readonly deprecation: Deprecation | undefined;
  private readonly make: () => readonly MessageField[];
  private made: readonly MessageField[] | undefined;

  constructor(head: Omit<MessageDefinition, 'fields'>, make: () => readonly MessageField[]) {
    this.id = head.id;
    this.name = head.name;
    this.baseLength = head.baseLength;
    this.length = head.length;
    this.crcExtra = head.crcExtra;
    this.wip = head.wip === true;
    this.deprecation = head.deprecation;
    this.make = make;
  }

  get fields(): readonly MessageField[] {
    this.made ??= this.make();
    return this.made;
  }
}

/** A dialect as plain data, for other processes: with all lazy parts made. */
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
