import {
  type Completions,
  completeExpression,
  ExpressionError,
  type Log,
  parseExpression,
  resolveFields,
} from '../../../src/browser.ts';

/** What is wrong with an expression, and where in its text. */
export interface ExpressionProblem {
  readonly message: string;
  readonly position: number;
  readonly length: number;
  /** What was probably meant, to stand in its place. */
  readonly suggestion: string | null;
}

/** What helps to write an expression: how it may go on at a place, and what is wrong with it so far. */
export interface Suggestions extends Completions {
  readonly problem: ExpressionProblem | null;
}

export function suggest({ tables }: Pick<Log, 'tables'>, text: string, position: number): Suggestions {
  const recorded = tables.filter(({ rows }) => rows > 0);
  let problem: ExpressionProblem | null = null;
  try {
    resolveFields(parseExpression(text), recorded);
  } catch (error) {
    problem = problemOf(error);
  }
  return { ...completeExpression(text, position, recorded), problem };
}

export function problemOf(error: unknown): ExpressionProblem {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ExpressionError)) return { message, position: 0, length: 0, suggestion: null };
  const { position, length, suggestion = null } = error;
  return { message, position, length, suggestion };
}
