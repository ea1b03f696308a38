import { TABLE } from './built-in-table.ts';
import type { Declarations } from './declarations.ts';
import { type Dialect, LazyMessage } from './definition.ts';
import { ALL, filesOf, link, linkFields } from './link.ts';
import { unpack } from './packed.ts';

/**
 * A built-in dialect by the name of its official definition file: minimal, common, ardupilotmega, ... `all` holds what
 * the file of that name includes and, after that, the dialects that it leaves out because they use ids again: such an
 * id has several definitions then.
 */
export function builtinDialect(name: string = ALL): Dialect {
  const files = unpack(TABLE);
  if (!files.has(name)) throw new RangeError(`no built-in dialect ${name}: there are ${[...files.keys()].join(', ')}`);
  return link(
    name,
    filesOf(name, files),
    (message, { version }, enums) => new LazyMessage(message, () => linkFields(message.fields, version, enums)),
  );
}

export function builtinDialects(): string[] {
  return [...unpack(TABLE).keys()];
}

/** What a built-in file says by itself; undefined where there is no such file. */
export function builtinDeclarations(name: string): Declarations | undefined {
  return unpack(TABLE).get(name);
}
