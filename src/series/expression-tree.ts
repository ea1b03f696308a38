import type { FieldReference } from './field-reference.ts';

/** What is wrong with an expression, and where: lower case, the position counted from 0. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Where it is, in characters of the text. */
  readonly position: number;
  readonly length: number;
  /** The probable meaning, to replace it with. */
  readonly suggestion: string | undefined;

  constructor(message: string, position: number, length = 1, suggestion?: string) {
    const meant = suggestion === undefined ? '' : `: did you mean ${suggestion}?`;
    super(`${message} at ${position}${meant}`);
    this.position = position;
    this.length = length;
    this.suggestion = suggestion;
  }
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '^' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'and' | 'or';

/** Source range of a node. */
interface TextSpan {
  readonly position: number;
  readonly end: number;
}

interface LiteralNode extends TextSpan {
  readonly kind: 'number';
  readonly value: number;
}

interface FieldNode extends TextSpan {
  readonly kind: 'field';
  /** Which of the fields of the expression. */
  readonly index: number;
}

interface UnaryNode extends TextSpan {
  readonly kind: 'unary';
  readonly operator: '-' | 'not';
  readonly operand: ExpressionNode;
}

interface BinaryNode extends TextSpan {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: ExpressionNode;
  readonly right: ExpressionNode;
}

export interface CallNode extends TextSpan {
  readonly kind: 'call';
  readonly name: string;
  readonly arguments: readonly ExpressionNode[];
}

export type ExpressionNode = LiteralNode | FieldNode | UnaryNode | BinaryNode | CallNode;

/** An expression that was read: what to compute, and the fields that it takes, each once, in the order of the text. */
export interface Expression {
  readonly text: string;
  readonly root: ExpressionNode;
  readonly fields: readonly FieldReference[];
}
