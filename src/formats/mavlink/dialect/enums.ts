import { getOrAdd } from '../../../core/maps.ts';
import type { Enumeration } from '../../../core/schema.ts';
import type { DeclaredEnum } from './declarations.ts';

/** Parts of one enum in the order of the files that hold them: a later one may rename what an earlier one said. */
class MergedEnum implements Enumeration {
  readonly name: string;
  private readonly parts: DeclaredEnum[] = [];
  private merged: ReadonlyMap<number, string> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  add(part: DeclaredEnum): void {
    this.parts.push(part);
  }

  get bitmask(): boolean {
    return this.parts.some((part) => part.bitmask);
  }

  /** By value, made when they are asked for: of hundreds of enums few are ever looked at. */
  get names(): ReadonlyMap<number, string> {
    this.merged ??= this.merge();
    return this.merged;
  }

  private merge(): ReadonlyMap<number, string> {
    const names = new Map<number, string>();
    for (const part of this.parts) {
      const own = new Map<number, string>();
      // within one file the first name of a value is the name, and another one for the same value an alias
      for (const [value, name] of part.entries) if (!own.has(value)) own.set(value, name);
      for (const [value, name] of own) names.set(value, name);
    }
    return new Map([...names].sort(([a], [b]) => a - b));
  }
}

/** All enums of some files, by name. */
export function mergeEnums(parts: Iterable<DeclaredEnum>): Map<string, Enumeration> {
  const enums = new Map<string, MergedEnum>();
  for (const part of parts) getOrAdd(enums, part.name, () => new MergedEnum(part.name)).add(part);
  return enums;
}

export function entryValue(enumeration: Enumeration | undefined, entry: string): number | undefined {
  for (const [value, name] of enumeration?.names ?? []) if (name === entry) return value;
  return undefined;
}

/** An enum as a bitmask, where the field says so and the enum does not. */
export function asBitmask(enumeration: Enumeration): Enumeration {
  return {
    name: enumeration.name,
    bitmask: true,
    get names() {
      return enumeration.names;
    },
  };
}
