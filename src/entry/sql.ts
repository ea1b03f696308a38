/**
 * SQL over logs, by DuckDB (an optional dependency).
 *
 * @module skein/sql
 * @example
 * import { openLog } from 'skein';
 * import { LogDatabase } from 'skein/sql';
 *
 * const log = await openLog('sample/copter-square.BIN');
 * const database = await LogDatabase.open([{ file: 'flight', log }]);
 * console.log(await database.query('SELECT max(Alt) FROM GPS'));
 * await database.close();
 */

export type { NamedLog } from '../sql/catalog.ts';
export { type DatabaseOptions, LogDatabase } from '../sql/database.ts';
export type { TableNames } from '../sql/query-error.ts';
export { QueryError } from '../sql/query-error.ts';
export type { QueryResult } from '../sql/result.ts';
export type { UserFile } from '../sql/user-file.ts';
export { wantedBy } from '../sql/wanted.ts';
