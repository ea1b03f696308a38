import { factsOf } from '../facts/facts.ts';
import { ANSWER_LIMITS } from '../facts/limits.ts';
import { type Parameter, parseParamFile } from '../facts/parameters.ts';
import { FileSource } from '../node/file.ts';
import { EXIT } from './failure.ts';
import { codeOf, load, type ReadingOptions, tellLeftOut } from './load.ts';

/** Parameters of a log, or of a file that a ground station saved. */
export interface ParameterSource {
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** Whether the times of changes are UTC. */
  readonly utc: boolean;
  readonly isFile: boolean;
  /** What the command ends with if this is all it reads. */
  readonly code: number;
}

export async function readParameters(path: string, options: ReadingOptions): Promise<ParameterSource> {
  const saved = await readParamFile(path);
  if (saved) {
    const parameters = new Map<string, Parameter>();
    for (const [name, value] of saved) parameters.set(name, { name, value, default: null, changes: [] });
    return { parameters, utc: false, isFile: true, code: EXIT.well };
  }
  const log = await load(path, options);
  const parameters = await factsOf(log).parameters();
  tellLeftOut(path, log);
  return { parameters, utc: log.clock.utc, isFile: false, code: codeOf(log, options) };
}

async function readParamFile(path: string): Promise<Map<string, number> | undefined> {
  const source = await FileSource.open(path);
  if (source.size > ANSWER_LIMITS.paramFileBytes) return undefined;
  const head = await source.read(0, ANSWER_LIMITS.paramLineBytes);
  if (head.includes(0)) return undefined;
  return parseParamFile(new TextDecoder().decode(await source.read(0, source.size)));
}

/** Names with a star for any characters, as shells have it. Letters may be small. */
export function namePattern(patterns: readonly string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => true;
  const all = patterns.map((each) => each.toUpperCase().split('*'));
  return (name) => all.some((parts) => matches(name.toUpperCase(), parts));
}

/** Whether a text is these parts with anything between them. A loop, since a pattern may take time without end. */
function matches(text: string, parts: readonly string[]): boolean {
  if (parts.length === 1) return text === parts[0];
  const last = parts[parts.length - 1];
  if (!text.startsWith(parts[0]) || text.length < parts[0].length + last.length || !text.endsWith(last)) return false;
  let at = parts[0].length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
