import { compileDialect } from './compile.ts';
import { readDocument } from './document.ts';
import { ALL, filesOf } from './includes.ts';
import { DIALECT_LIMITS } from './limits.ts';
import { link, linkMessage } from './link.ts';
import { pack } from './pack.ts';
import { messageTypings } from './typings.ts';

const HEAD = `// Made by \`npm run dialects\` from the message definitions of https://github.com/mavlink/mavlink: ids, names, types,
// units and values; no text of theirs. What is made from them is under the MIT licence, says their COPYING.
`;

/** The modules of the built-in dialects from the official files: all of one folder. */
export function compileTable(files: ReadonlyMap<string, string>): { table: string; messages: string } {
  // each one alone first: errors are to be found now, not when the table is read
  for (const file of files.keys()) compileDialect(files, file);
  const documents = [...files].map(([file, text]) => readDocument(file, text, DIALECT_LIMITS));
  documents.sort((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map(documents.map((document) => [document.name, document]));
  return {
    table: `${HEAD}export const TABLE: string = \`${pack(documents)}\`;\n`,
    messages: `${HEAD}${messageTypings(link(ALL, filesOf(ALL, byName), linkMessage))}`,
  };
}
