import {
  type CatalogueTable,
  type Completions,
  completeExpression,
  ExpressionError,
  errorText,
  parseExpression,
  resolveFields,
} from '../../../src/entry/pages.ts';
import type { TableInfo } from '../worker/answers.ts';

/** What is wrong with an expression, and where in its text. */
export interface ExpressionProblem {
  readonly message: string;
  readonly position: number;
  readonly length: number;
  /** A replacement that was probably meant. */
  readonly suggestion: string | null;
}

/** What helps to write an expression: how it may go on at a place, and what is wrong with it so far. */
export interface Suggestions extends Completions {
  readonly problem: ExpressionProblem | null;
}

/** On the page, since the worker may be busy; errors of computing come from the worker. */
export function suggest(tables: readonly CatalogueTable[], text: string, position: number): Suggestions {
  let problem: ExpressionProblem | null = null;
  try {
    resolveFields(parseExpression(text), tables);
  } catch (error) {
    problem = problemOf(error);
  }
  return { ...completeExpression(text, position, tables), problem };
}

/** The tables of a file, with as much of their fields as must be known to name them. */
export function catalogueOf(tables: readonly TableInfo[]): CatalogueTable[] {
  return tables.map(({ name, stream, fields }) => ({
    ...{ name, stream },
    fields: fields.map((field) => ({ ...field, type: field.numeric ? 'float64' : 'text', divisor: 1 })),
  }));
}

export function problemOf(error: unknown): ExpressionProblem {
  const message = errorText(error);
  if (!(error instanceof ExpressionError)) return { message, position: 0, length: 0, suggestion: null };
  const { position, length, suggestion = null } = error;
  return { message, position, length, suggestion };
}
