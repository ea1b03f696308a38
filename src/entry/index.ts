/**
 * Logs: open one, read its tables, facts and track, report on it and compare it.
 *
 * @module skein
 * @example
 * import { factsOf, openLog } from 'skein';
 *
 * const log = await openLog('sample/copter-square.BIN');
 * const { kind } = await factsOf(log).vehicle();
 * console.log(kind, log.table('GPS', '0')?.rows);
 */

export { readDialect } from '../node/dialect.ts';
export { FileSource } from '../node/file.ts';
export { readGrammar } from '../node/grammar.ts';
export { environmentKey, readKey } from '../node/key.ts';
export { type Input, openLog } from '../node/open.ts';
export * from './browser.ts';
