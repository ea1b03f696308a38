import { type Field, isNumeric } from '../core/schema.ts';
import { nearest } from '../core/search.ts';
import { type Expression, ExpressionError } from './expression-tree.ts';
import { type FieldReference, writeName, writeTable } from './field-reference.ts';
import { EXPRESSION_LIMITS } from './limits.ts';

/** A field that an expression may name. The fields of a log's tables are such, and so are plain copies of them. */
export type CatalogueField = Pick<Field, 'name' | 'type' | 'count' | 'unit' | 'divisor' | 'enumeration' | 'isList'>;

export interface CatalogueTable {
  readonly name: string;
  readonly stream: string;
  readonly fields: readonly CatalogueField[];
}

/** What a field of an expression means. */
export interface ResolvedField<T extends CatalogueTable = CatalogueTable> {
  /** Tables of the same name and stream: several if a log defines them again. */
  readonly tables: readonly T[];
  readonly field: CatalogueField;
  readonly element: number;
  /** Whether its values are held: those of a list of names, and whole numbers without a unit or scale, such as counts. */
  readonly isHeld: boolean;
}

/** What the fields of an expression mean, in their order. An unknown one is an `ExpressionError`. */
export function resolveFields<T extends CatalogueTable>(
  expression: Expression,
  tables: readonly T[],
): ResolvedField<T>[] {
  return expression.fields.map((reference) => resolve(reference, tables));
}

function resolve<T extends CatalogueTable>(reference: FieldReference, tables: readonly T[]): ResolvedField<T> {
  const named = tables.filter((table) => table.name === reference.table.text);
  if (named.length === 0)
    throw unknown(
      'table',
      reference.table,
      tables.map((table) => table.name),
    );
  const { stream, field } = reference;
  const ofStream = stream === undefined ? named : named.filter((table) => table.stream === stream.text);
  if (stream && ofStream.length === 0) {
    throw unknown(
      `stream of ${reference.table.text}`,
      stream,
      named.map((table) => table.stream),
    );
  }
  const name = field?.text ?? '';
  const having = ofStream.filter((table) => table.fields.some((each) => each.name === name));
  if (field && having.length === 0) {
    throw unknown(
      `field in ${reference.table.text}`,
      field,
      ofStream.flatMap((table) => table.fields.map((each) => each.name)),
    );
  }
  const streams = [...new Set(having.map((table) => table.stream))];
  if (streams.length > 1) {
    const { position, end } = reference.table;
    const meant = `${writeTable(reference.table.text, streams[0])}.${writeName(name)}`;
    const shown = streams.slice(0, 8).map((each) => (each === '' ? '(none)' : each));
    const more = streams.length > shown.length ? ' ...' : '';
    throw new ExpressionError(
      `${reference.table.text} has the streams ${shown.join(', ')}${more}`,
      position,
      end - position,
      meant,
    );
  }
  const found = having[0].fields.find((each) => each.name === name) as CatalogueField;
  return { tables: having, field: found, element: elementOf(reference, found), isHeld: isHeldField(found) };
}

function elementOf({ element, position, end }: FieldReference, { name, type, count, isList }: CatalogueField): number {
  if (!isNumeric(type)) throw new ExpressionError(`${name} is ${type}, not a number`, position, end - position);
  const isArray = count > 1 || isList === true;
  if (!element) {
    if (isArray)
      throw new ExpressionError(`${name} has ${count} elements: ${name}[0] is the first`, position, end - position);
    return 0;
  }
  const index = Number(element.text);
  if (!isArray || index >= count) {
    throw new ExpressionError(
      `no element ${index} in ${name}, which has ${count}`,
      element.position,
      element.end - element.position,
    );
  }
  return index;
}

/** Whether the values of a field hold until the next one comes; others change evenly between two. */
export function isHeldField({ type, unit, divisor, enumeration }: CatalogueField): boolean {
  return enumeration !== undefined || (!type.startsWith('float') && unit === '' && divisor === 1);
}

function unknown(
  kind: string,
  { text, position, end }: FieldReference['table'],
  known: readonly string[],
): ExpressionError {
  const meant = text.length <= EXPRESSION_LIMITS.nameCharacters ? nearest(text, [...new Set(known)]) : undefined;
  return new ExpressionError(`no ${kind} is named ${text}`, position, end - position, meant);
}
