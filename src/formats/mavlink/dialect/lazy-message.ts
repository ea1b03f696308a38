import type { Deprecation, MessageDefinition, MessageField } from './definition.ts';

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
