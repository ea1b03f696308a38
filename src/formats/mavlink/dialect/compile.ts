import { builtinDeclarations } from './builtin.ts';
import { type Declarations, DialectError, quoted } from './declarations.ts';
import type { Dialect } from './definition.ts';
import { readDocument } from './document.ts';
import { DIALECT_LIMITS, type DialectLimits } from './limits.ts';
import { includedFirst, link, linkMessage } from './link.ts';

/** Gives the text of a definition file by its plain name, or undefined if none. */
type LoadFile = (file: string) => string | undefined | Promise<string | undefined>;

interface CompileOptions {
  readonly limits?: Partial<DialectLimits> | undefined;
}

/** A dialect from official XML: `root` with its includes, from texts by file name, else from built-in files. */
export function compileDialect(
  files: ReadonlyMap<string, string>,
  root: string,
  options: CompileOptions = {},
): Dialect {
  const set = new FileSet(root, options);
  for (let next = set.next(); next; next = set.next()) set.add(next, files.get(next.file));
  return set.link();
}

/** The same from files that are fetched one by one. */
export async function loadDialect(load: LoadFile, root: string, options: CompileOptions = {}): Promise<Dialect> {
  const set = new FileSet(root, options);
  for (let next = set.next(); next; next = set.next()) set.add(next, await load(next.file));
  return set.link();
}

/** A file that is needed, and which line of which other one asked for it first. */
interface Wanted {
  readonly file: string;
  readonly depth: number;
  readonly by: string;
  readonly line: number;
}

/** A definition file and all that it includes. It asks for files and is given their texts: it reads nothing itself. */
class FileSet {
  private readonly root: string;
  private readonly limits: DialectLimits;
  private readonly queue: Wanted[] = [];
  private readonly met = new Set<string>();
  /** By name, in the order in which they were read. */
  private readonly files = new Map<string, Declarations>();
  private characters = 0;

  constructor(root: string, { limits }: CompileOptions) {
    this.limits = { ...DIALECT_LIMITS, ...limits };
    if (!/^[^/\\]+\.xml$/i.test(root)) throw new RangeError(`${quoted(root)} is not a file name such as common.xml`);
    this.root = root.slice(0, -'.xml'.length);
    this.want({ file: root, depth: 0, by: root, line: 1 });
  }

  /** The next file to read. */
  next(): Wanted | undefined {
    return this.queue.shift();
  }

  add(wanted: Wanted, text: string | undefined): void {
    const { file, depth } = wanted;
    const declarations = text === undefined ? this.builtin(wanted) : this.read(file, text);
    this.files.set(declarations.name, declarations);
    for (const { name, line } of declarations.includes) {
      this.want({ file: `${name}.xml`, depth: depth + 1, by: file, line });
    }
  }

  private read(file: string, text: string): Declarations {
    this.characters += text.length;
    const { characters: most } = this.limits;
    if (this.characters > most)
      throw new DialectError(file, 1, `the files have ${this.characters} characters, at most ${most} are accepted`);
    return readDocument(file, text, this.limits);
  }

  private builtin({ file, depth, by, line }: Wanted): Declarations {
    const known = depth > 0 ? builtinDeclarations(file.slice(0, -'.xml'.length)) : undefined;
    if (!known) throw new DialectError(by, line, `file ${quoted(file)} not found`);
    return known;
  }

  private want(wanted: Wanted): void {
    const { file, depth, by, line } = wanted;
    if (this.met.has(file)) return;
    const { files, includeDepth } = this.limits;
    if (depth > includeDepth)
      throw new DialectError(by, line, `include of ${file} is ${depth} deep, at most ${includeDepth} are accepted`);
    if (this.met.size >= files)
      throw new DialectError(by, line, `include of ${file} is one more than the ${files} files that are accepted`);
    this.met.add(file);
    this.queue.push(wanted);
  }

  link(): Dialect {
    const ordered = includedFirst(this.root, this.files);
    refuseDuplicates(ordered);
    return link(this.root, ordered, linkMessage);
  }
}

function refuseDuplicates(files: readonly Declarations[]): void {
  const places = new Map<number | string, string>();
  for (const { name: file, messages } of files) {
    for (const { id, name, line } of messages) {
      const place = line > 0 ? `${file}.xml:${line}` : `the built-in ${file}.xml`;
      const first = places.get(id) ?? places.get(name);
      if (first !== undefined) {
        const what = places.has(id) ? `id ${id} of message ${name}` : `name of message ${name}`;
        throw new DialectError(`${file}.xml`, line, `${what} is already used by the one in ${first}`);
      }
      places.set(id, place);
      places.set(name, place);
    }
  }
}
