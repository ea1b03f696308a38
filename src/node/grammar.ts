import { readFile, stat } from 'node:fs/promises';
import { type Grammar, GrammarError } from '../check/grammar.ts';
import { parseGrammar } from '../check/grammar-read.ts';
import { GRAMMAR_LIMITS } from '../check/limits.ts';

/** Reads a grammar from a JSON file. */
export async function readGrammar(path: string): Promise<Grammar> {
  const found = await stat(path);
  if (!found.isFile()) throw new GrammarError('', `${path} is not a file`);
  // bytes are never fewer than characters: what is too long is not even read
  const { characters } = GRAMMAR_LIMITS;
  if (found.size > characters)
    throw new GrammarError('', `the file has ${found.size} bytes, at most ${characters} are accepted`);
  return parseGrammar(await readFile(path, 'utf8'));
}
