/** The library in Node: all that the browser has, and logs by their path. */
export * from './browser.ts';
export { readDialect } from './node/dialect.ts';
export { FileSource } from './node/file.ts';
export { environmentKey, readKey } from './node/key.ts';
export { type Input, openLog } from './node/open.ts';
export type { NamedLog } from './query/catalog.ts';
export { type DatabaseOptions, LogDatabase } from './query/database.ts';
export { QueryMistake } from './query/mistake.ts';
export type { QueryResult } from './query/result.ts';
export type { TableNames } from './query/table-names.ts';
export type { UserFile } from './query/user-file.ts';
