import { nearest } from '../core/nearest.ts';
import type { TableNames } from './table-names.ts';

/** A query that is wrong: in its grammar, or in what it names. */
export class QueryMistake extends Error {
  override readonly name = 'QueryMistake';
}

/**
 * Functions that a query may not name. The first writes to a folder of one's choice in a thread of the engine, where its
 * being forbidden ends the whole program; the others run texts that are put together, and so could hide its name.
 */
const FORBIDDEN = /enable_logging|json_execute_serialized_sql|(?<![\p{L}\p{N}_$])query(?=["\s]*(?:\(|\/\*|--))/iu;

/** Throws where a query names what it may not. */
export function refuseForbidden(sql: string): void {
  const [found] = FORBIDDEN.exec(sql) ?? [];
  if (found !== undefined) throw new QueryMistake(`the function ${found.toLowerCase()} is switched off in queries`);
}

const MISTAKES = /^(Parser|Binder|Catalog|Syntax|Permission|Invalid Input|Conversion) Error: /;

/** The error of a query as a sentence, with the table or field that is nearest to what was typed. */
export function explained(error: unknown, tables: readonly TableNames[]): Error {
  const text = error instanceof Error ? error.message : String(error);
  const message = text.replace(/^Failed to extract statements: /, '');
  if (/^INTERRUPT Error/.test(message)) return new Error('the query was interrupted: it took too long or was stopped');
  if (!MISTAKES.test(message)) return error instanceof Error ? error : new Error(text);
  const table = /^Catalog Error: Table with name (.+) does not exist!/.exec(message)?.[1];
  if (table !== undefined) return new QueryMistake(`no table ${table}${hint(table, namesOf(tables), 'tables')}`);
  const column =
    /^Binder Error: Referenced column "(.+?)" not found/.exec(message)?.[1] ??
    /^Binder Error: (?:Table ".*?"|Values list ".*?") does not have a column named "(.+?)"/.exec(message)?.[1];
  if (column !== undefined)
    return new QueryMistake(`no field ${column}${hint(column, columnsNear(message, tables), 'fields')}`);
  return new QueryMistake(message.replace(MISTAKES, (kind) => kind.toLowerCase()).trimEnd());
}

function namesOf(tables: readonly TableNames[]): string[] {
  return [...new Set(tables.map(({ name }) => name))];
}

/** Columns of the tables that the line of the query names, which is part of the message. */
function columnsNear(message: string, tables: readonly TableNames[]): string[] {
  const words = new Set(message.toLowerCase().split(/[^\p{L}\p{N}_]+/u));
  const named = tables.filter(({ name }) => words.has(name.toLowerCase()));
  return [...new Set(named.flatMap(({ columns }) => columns))];
}

/** Names that are listed where none of them is near. */
const LISTED = 40;

function hint(word: string, known: readonly string[], noun: string): string {
  const meant = nearest(word, known);
  if (meant !== undefined) return `: did you mean ${meant}?`;
  if (known.length === 0) return '';
  const rest = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
  return `: ${noun} are ${known.slice(0, LISTED).join(', ')}${rest}`;
}
