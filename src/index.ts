/** The library in Node: all that the browser has, and logs by their path. */
export * from './browser.ts';
export { FileSource } from './node/file.ts';
export { type Input, openLog } from './node/open.ts';
