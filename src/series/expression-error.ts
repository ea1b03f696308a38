/** What is wrong with an expression, and where: lower case, the position counted from 0. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Where it is, in characters of the text. */
  readonly position: number;
  readonly length: number;
  /** What was probably meant, to stand in its place. */
  readonly suggestion: string | undefined;

  constructor(message: string, position: number, length = 1, suggestion?: string) {
    const meant = suggestion === undefined ? '' : `: did you mean ${suggestion}?`;
    super(`${message} at ${position}${meant}`);
    this.position = position;
    this.length = length;
    this.suggestion = suggestion;
  }
}
