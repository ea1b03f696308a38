import { nearest } from '../core/search.ts';
import { CONSTANTS, FUNCTIONS } from './expression-functions.ts';
import { type BinaryOperator, type Expression, ExpressionError, type ExpressionNode } from './expression-tree.ts';
import { type FieldReference, readReference, wordAt, writeName, writeTable } from './field-reference.ts';
import { EXPRESSION_LIMITS, type ExpressionLimits } from './limits.ts';

/*
 * Loosest first; operators of one line are taken from left to right, but ^ from right to left.
 *
 *     or  ||
 *     and  &&
 *     not  !
 *     ==  !=  <  <=  >  >=      two at a time
 *     +  -
 *     *  /  %
 *     -  (one operand)
 *     ^
 */
const BINARY: readonly (readonly BinaryOperator[])[] = [
  ['+', '-'],
  ['*', '/', '%'],
];
const COMPARISON: readonly BinaryOperator[] = ['==', '!=', '<', '<=', '>', '>='];

/** Spellings of other languages, and ours. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
]);
const MISTAKES: ReadonlyMap<string, string> = new Map([
  ['=', '=='],
  ['**', '^'],
  ['&', 'and'],
  ['|', 'or'],
  ['<>', '!='],
]);

interface Token {
  readonly kind: 'number' | 'word' | 'field' | 'mark' | 'end';
  readonly text: string;
  readonly position: number;
  readonly end: number;
  readonly reference?: FieldReference;
}

const NUMBER = /(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?/y;
const MARK = /\*\*|<>|[=!<>]=|&&|\|\||[-+*/%^()<>,=!&|]/y;
const BLANK = /\s/;

/** Reads an expression. What is wrong with it is an `ExpressionError`, which says where. */
export function parseExpression(text: string, limits: Partial<ExpressionLimits> = {}): Expression {
  return new Parser(text, { ...EXPRESSION_LIMITS, ...limits }).parse();
}

class Parser {
  private readonly text: string;
  private readonly limits: ExpressionLimits;
  private readonly fields: FieldReference[] = [];
  private readonly known = new Map<string, number>();
  private token: Token;
  /** The end of the token before. */
  private behind = 0;
  private depth = 0;

  constructor(text: string, limits: ExpressionLimits) {
    if (text.length > limits.characters) {
      throw new ExpressionError(
        `expression of ${text.length} characters, at most ${limits.characters}`,
        limits.characters,
        text.length - limits.characters,
      );
    }
    this.text = text;
    this.limits = limits;
    this.token = this.read(0);
  }

  parse(): Expression {
    if (this.text.trim() === '') throw new ExpressionError('an expression is empty', 0, 0);
    const root = this.either();
    if (this.token.kind !== 'end') throw this.unexpected('an operator');
    return { text: this.text, root, fields: this.fields };
  }

  private either(): ExpressionNode {
    let left = this.both();
    while (this.takes('or')) left = this.binary('or', left, this.both());
    return left;
  }

  private both(): ExpressionNode {
    let left = this.negation();
    while (this.takes('and')) left = this.binary('and', left, this.negation());
    return left;
  }

  private negation(): ExpressionNode {
    const { position } = this.token;
    if (!this.takes('not')) return this.comparison();
    const operand = this.inside(() => this.negation());
    return { kind: 'unary', operator: 'not', operand, position, end: this.behind };
  }

  private comparison(): ExpressionNode {
    const left = this.sum(0);
    const operator = COMPARISON.find((each) => this.takes(each));
    if (!operator) return left;
    const node = this.binary(operator, left, this.sum(0));
    if (COMPARISON.includes(this.token.text as BinaryOperator)) {
      throw new ExpressionError(`${this.token.text} after another comparison: join them with and`, this.token.position);
    }
    return node;
  }

  private sum(level: number): ExpressionNode {
    if (level === BINARY.length) return this.negative();
    let left = this.sum(level + 1);
    for (;;) {
      const operator = BINARY[level].find((each) => this.takes(each));
      if (!operator) return left;
      left = this.binary(operator, left, this.sum(level + 1));
    }
  }

  private negative(): ExpressionNode {
    const { position } = this.token;
    if (this.takes('+')) return this.inside(() => this.negative());
    if (!this.takes('-')) return this.power();
    const operand = this.inside(() => this.negative());
    return { kind: 'unary', operator: '-', operand, position, end: this.behind };
  }

  private power(): ExpressionNode {
    const base = this.operand();
    if (!this.takes('^')) return base;
    // 2 ^ -1 is allowed, and -2 ^ 2 is -(2 ^ 2)
    return this.binary(
      '^',
      base,
      this.inside(() => this.negative()),
    );
  }

  private operand(): ExpressionNode {
    const { kind, text, position, end, reference } = this.token;
    if (kind === 'number') {
      this.next();
      return { kind: 'number', value: Number(text), position, end };
    }
    if (kind === 'field' && reference) {
      this.next();
      return { kind: 'field', index: this.fieldIndex(reference), position, end };
    }
    if (kind === 'word' && !['and', 'or', 'not'].includes(text)) return this.wordOrCall();
    if (!this.takes('(')) throw this.unexpected('a number, a field or a function');
    const inner = this.inside(() => this.either());
    this.need(')', position);
    return inner;
  }

  private wordOrCall(): ExpressionNode {
    const { text, position, end } = this.token;
    this.next();
    if (this.token.text !== '(' || this.token.kind !== 'mark') {
      const value = CONSTANTS.get(text);
      if (value !== undefined) return { kind: 'number', value, position, end };
      if (FUNCTIONS.has(text))
        throw new ExpressionError(`function ${text} without its arguments`, position, text.length);
      throw new ExpressionError(`${text} is not a number and has no field (as TABLE.field)`, position, text.length);
    }
    const found = FUNCTIONS.get(text);
    if (!found) {
      const meant = nearest(text.slice(0, this.limits.nameCharacters), [...FUNCTIONS.keys()]);
      throw new ExpressionError(`no function ${text}`, position, text.length, meant);
    }
    const opened = this.token.position;
    this.next();
    const given: ExpressionNode[] = [];
    if (!this.isMark(')')) {
      do given.push(this.inside(() => this.either()));
      while (this.takes(','));
    }
    this.need(')', opened);
    const [least, most] = found.arity;
    if (given.length < least || given.length > most) {
      const wanted =
        least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
      throw new ExpressionError(
        `${text} takes ${wanted} ${wanted === '1' ? 'argument' : 'arguments'}, not ${given.length}`,
        position,
        this.behind - position,
      );
    }
    return { kind: 'call', name: text, arguments: given, position, end: this.behind };
  }

  private binary(operator: BinaryOperator, left: ExpressionNode, right: ExpressionNode): ExpressionNode {
    return { kind: 'binary', operator, left, right, position: left.position, end: right.end };
  }

  /** A field that is named twice is read once. */
  private fieldIndex(reference: FieldReference): number {
    const { table, stream, field, element } = reference;
    const key = JSON.stringify([table.text, stream?.text, field?.text, element?.text]);
    const index = this.known.get(key) ?? this.fields.length;
    if (index === this.limits.fields && !this.known.has(key)) {
      throw new ExpressionError(`more than ${this.limits.fields} fields`, reference.position);
    }
    if (!this.known.has(key)) this.fields.push(reference);
    this.known.set(key, index);
    return index;
  }

  /** Goes one level deeper: what nests without end would otherwise use up the stack. */
  private inside(parse: () => ExpressionNode): ExpressionNode {
    if (++this.depth > this.limits.depth) {
      throw new ExpressionError(`more than ${this.limits.depth} levels`, this.token.position);
    }
    const node = parse();
    this.depth--;
    return node;
  }

  private isMark(text: string): boolean {
    return this.token.kind === 'mark' && this.token.text === text;
  }

  private takes(text: string): boolean {
    const isWord = text === 'and' || text === 'or' || text === 'not';
    if (this.token.text !== text || this.token.kind !== (isWord ? 'word' : 'mark')) return false;
    this.next();
    return true;
  }

  private need(mark: string, opened: number): void {
    if (!this.takes(mark)) throw this.unexpected(`${mark} for the one opened at ${opened}`);
  }

  private unexpected(wanted: string): ExpressionError {
    const { kind, text, position, end } = this.token;
    const meant = MISTAKES.get(text);
    const found = kind === 'end' ? 'the end' : text;
    return new ExpressionError(`expected ${wanted}, found ${found}`, position, end - position, meant);
  }

  private next(): void {
    this.behind = this.token.end;
    this.token = this.read(this.token.end);
  }

  private read(from: number): Token {
    const { text } = this;
    let position = from;
    while (position < text.length && BLANK.test(text[position])) position++;
    if (position === text.length) return { kind: 'end', text: '', position, end: position };
    NUMBER.lastIndex = position;
    const number = NUMBER.exec(text);
    if (number) return { kind: 'number', text: number[0], position, end: NUMBER.lastIndex };
    const word = wordAt(text, position);
    if (word !== '' || text[position] === '"') return this.readWord(word, position);
    MARK.lastIndex = position;
    const mark = MARK.exec(text);
    const char = String.fromCodePoint(text.codePointAt(position) ?? 0);
    if (!mark) throw new ExpressionError(`${char} means nothing here`, position, char.length);
    const alias = ALIASES.get(mark[0]);
    return { kind: alias ? 'word' : 'mark', text: alias ?? mark[0], position, end: MARK.lastIndex };
  }

  private readWord(word: string, position: number): Token {
    const follows = this.text[position + word.length];
    if (word !== '' && follows !== '.' && follows !== '[') {
      return { kind: 'word', text: word, position, end: position + word.length };
    }
    const reference = readReference(this.text, position);
    const { lacks, end } = reference;
    if (lacks) throw new ExpressionError(`expected ${lacks.mark} in a field (as TABLE[stream].field)`, lacks.position);
    if (reference.field?.text === '' && this.text[reference.field.position] !== '"') {
      const table = writeTable(reference.table.text, reference.stream?.text ?? '');
      throw new ExpressionError(`expected a field of ${table}`, reference.field.position, 0);
    }
    return { kind: 'field', text: writeName(reference.table.text), position, end, reference };
  }
}
