import type { Enumeration } from '../../../core/schema.ts';
import type { DeclaredEnum } from './declarations.ts';
import { type Dialect, LazyMessage, type MessageDefinition, type MessageField } from './definition.ts';
import { asBitmask, mergeEnums } from './enums.ts';

/** Two dialects say different things of one id, or use one name for two ids. */
export interface DialectConflict {
  /** The user's, which wins. */
  readonly id: number;
  readonly name: string;
  /** What the base has under this id or name. */
  readonly baseId: number;
  readonly baseName: string;
  /** A sentence in lower case. */
  readonly text: string;
}

interface MergedDialect {
  readonly dialect: Dialect;
  readonly conflicts: readonly DialectConflict[];
}

/** Both dialects as one: the user's wins, but a base definition of the same id stays if its checksum differs. */
export function mergeDialects(base: Dialect, user: Dialect): MergedDialect {
  const enums = mergeEnums([...base.enums.values(), ...user.enums.values()].map(declared));
  const bound = (definition: MessageDefinition): MessageDefinition =>
    new LazyMessage(definition, () => definition.fields.map((field) => withEnum(field, enums)));
  const messages = new Map<number, readonly MessageDefinition[]>();
  for (const [id, definitions] of base.messages) messages.set(id, definitions.map(bound));
  for (const [id, definitions] of user.messages) {
    const others = messages.get(id) ?? [];
    const differing = others.filter((other) => !definitions.some(({ crcExtra }) => crcExtra === other.crcExtra));
    messages.set(id, [...definitions.map(bound), ...differing]);
  }
  const ordered = new Map([...messages].sort(([a], [b]) => a - b));
  return { dialect: { name: user.name, messages: ordered, enums }, conflicts: conflictsOf(base, user) };
}

/** An enum as if one file held it. */
function declared(enumeration: Enumeration): DeclaredEnum {
  return {
    name: enumeration.name,
    bitmask: enumeration.bitmask,
    get entries() {
      return [...enumeration.names];
    },
  };
}

function withEnum(field: MessageField, enums: ReadonlyMap<string, Enumeration>): MessageField {
  const own = field.enumeration;
  const merged = own && enums.get(own.name);
  return merged ? { ...field, enumeration: own.bitmask && !merged.bitmask ? asBitmask(merged) : merged } : field;
}

function conflictsOf(base: Dialect, user: Dialect): DialectConflict[] {
  const conflicts: DialectConflict[] = [];
  const byName = new Map<string, MessageDefinition>();
  for (const definition of [...base.messages.values()].flat()) byName.set(definition.name, definition);
  for (const mine of [...user.messages.values()].flat()) {
    const others = base.messages.get(mine.id) ?? [];
    if (others.length > 0 && !others.some((other) => isSame(mine, other))) conflicts.push(conflict(mine, others[0]));
    const namesake = byName.get(mine.name);
    if (namesake && namesake.id !== mine.id) conflicts.push(conflict(mine, namesake));
  }
  return conflicts;
}

function conflict(mine: MessageDefinition, other: MessageDefinition): DialectConflict {
  const { id, name } = mine;
  const { id: baseId, name: baseName } = other;
  const text =
    id !== baseId
      ? `message ${name} has id ${id}, not ${baseId} as before`
      : name !== baseName
        ? `message id ${id} is ${name}, not ${baseName} as before`
        : `message ${name} (id ${id}) has other fields than before`;
  return { id, name, baseId, baseName, text };
}

/** Whether both read the same bytes as the same fields. */
function isSame(a: MessageDefinition, b: MessageDefinition): boolean {
  if (a.name !== b.name || a.crcExtra !== b.crcExtra || a.length !== b.length) return false;
  return a.fields.every((field, i) => {
    const other = b.fields[i];
    return field.name === other?.name && field.type === other.type && field.count === other.count;
  });
}
