import { didYouMean } from '../core/search.ts';
import { errorText } from '../core/text.ts';

/** A query that is wrong: in its grammar, or in what it names. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}

export class QueryLimitError extends Error {
  override readonly name = 'QueryLimitError';
}

const QUERY_ERRORS = /^(Parser|Binder|Catalog|Syntax|Permission|Invalid Input|Conversion) Error: /;

/** The error of a query as a sentence, with the table or field that is nearest to what was typed. */
export function explained(error: unknown, tables: readonly TableNames[]): Error {
  const text = errorText(error);
  const message = text.replace(/^Failed to extract statements: /, '');
  if (/^INTERRUPT Error/.test(message)) return new QueryLimitError('the query was interrupted: timeout or stopped');
  const memory = /^Out of Memory Error: .*/.exec(message)?.[0];
  // what follows are settings that a query may not change
  if (memory !== undefined) return new QueryLimitError(`the query needs more memory than allowed: ${memory.slice(21)}`);
  if (!QUERY_ERRORS.test(message)) return error instanceof Error ? error : new Error(text);
  const table = /^Catalog Error: Table with name (.+) does not exist!/.exec(message)?.[1];
  if (table !== undefined) return noTable(table, tables);
  const column =
    /^Binder Error: Referenced column "(.+?)" not found/.exec(message)?.[1] ??
    /^Binder Error: (?:Table ".*?"|Values list ".*?") does not have a column named "(.+?)"/.exec(message)?.[1];
  if (column !== undefined)
    return new QueryError(`no field ${column}${hint(column, columnsNear(message, tables), 'fields')}`);
  return new QueryError(message.replace(QUERY_ERRORS, (kind) => kind.toLowerCase()).trimEnd());
}

export function noTable(name: string, tables: readonly TableNames[]): QueryError {
  return new QueryError(`no table ${name}${hint(name, [...new Set(tables.map((each) => each.name))], 'tables')}`);
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
  const meant = didYouMean(word, known);
  if (meant !== '' || known.length === 0) return meant;
  const rest = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
  return `: ${noun} are ${known.slice(0, LISTED).join(', ')}${rest}`;
}

/** A table and its columns, as they may be named in a query. */
export interface TableNames {
  /** '' for tables that need none. */
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}
