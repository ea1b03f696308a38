/**
 * Strict checks: whether a file follows its grammar, structure and checksums, and where not.
 *
 * @module skein/check
 * @example
 * import { checkBytes } from 'skein/check';
 *
 * const { verdict } = checkBytes(new Uint8Array([0xfe, 9, 0, 1, 1, 0]), { levels: ['crc'] });
 * console.log(verdict);
 */

export {
  Checker,
  type CheckOptions,
  type CheckResult,
  type CheckVerdict,
  checkBytes,
  type LevelResult,
} from '../check/checker.ts';
export { type Grammar, GrammarError, type GrammarNode } from '../check/grammar.ts';
export { checkGrammar, parseGrammar } from '../check/grammar-read.ts';
export { GRAMMARS, grammarNamed } from '../check/grammars.ts';
export { type CheckLevel, sentenceOf as violationText, type Violation } from '../check/violation.ts';
