import type { Declarations } from './declarations.ts';
import { DialectError } from './dialect-error.ts';

type File = Pick<Declarations, 'name' | 'includes'>;

/** The file that includes all that belong to the official set and agree with each other. */
export const ALL = 'all';

/** The files of a dialect among the official ones; for `all` those behind it too that it leaves out. */
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
        throw new DialectError(`${name}.xml`, include.line, `includes go round in a circle: ${circle}`);
      }
      visit(include.name);
    }
    way.pop();
    ordered.add(file);
  };
  visit(root);
  return [...ordered];
}
