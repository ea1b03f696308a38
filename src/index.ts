/** The library in Node: all that the browser has, and logs by their path. */
export * from './browser.ts';
export { readDialect } from './node/dialect.ts';
export { FileSource } from './node/file.ts';
export { readGrammar } from './node/grammar.ts';
export { environmentKey, readKey } from './node/key.ts';
export { type Input, openLog } from './node/open.ts';
