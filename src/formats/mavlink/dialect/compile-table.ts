import { compileDialect } from './compile.ts';
import type { Declarations, DeclaredEnum, DeclaredField, DeclaredMessage } from './declarations.ts';
import type { Dialect, MessageField } from './definition.ts';
import { readDocument } from './document.ts';
import { DIALECT_LIMITS } from './limits.ts';
import { ALL, crcExtraOf, filesOf, link, linkMessage } from './link.ts';
import { LETTERS } from './packed.ts';
import { layoutOf } from './wire.ts';

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

/** Definition files as lines of the built-in table; packed.ts draws them. */
export function pack(files: readonly Declarations[]): string {
  return files.flatMap(fileLines).join('\n');
}

function fileLines({ name, version, includes, enums, messages }: Declarations): string[] {
  return [
    ['=', name, ` ${version}`, ...includes.map((include) => ` ${include.name}`)].join(''),
    ...enums.map(enumLine),
    ...messages.map(messageLine),
  ];
}

function enumLine({ name, bitmask, entries }: DeclaredEnum): string {
  const prefix = commonPrefix(entries.map(([, entry]) => entry));
  let expected = 0;
  const packed = entries.map(([value, entry]) => {
    const text = entry.slice(prefix.length) + (value === expected ? '' : `=${value}`);
    expected = bitmask ? value * 2 || 1 : value + 1;
    return text;
  });
  return [`#${name}${bitmask ? '&' : ''}`, ...(packed.length > 0 ? [prefix, ...packed] : [])].join(' ');
}

/** What all begin with, short of leaving nothing of any. */
function commonPrefix(names: readonly string[]): string {
  let prefix = (names[0] ?? '').slice(0, -1);
  for (const name of names) while (!name.startsWith(prefix) || name === prefix) prefix = prefix.slice(0, -1);
  return prefix;
}

function messageLine(message: DeclaredMessage): string {
  const { id, name, wip, deprecation, fields } = message;
  const { baseLength, length } = layoutOf(fields);
  const life = deprecation ? `${deprecation.kind[0]}${deprecation.since},${deprecation.replacedBy}` : '';
  const head = [id, crcExtraOf(message), baseLength, length, name, `${wip ? 'w' : ''}${life}`].join(' ').trim();
  const firstExtension = fields.findIndex((field) => field.extension);
  const packed = fields.map((field, i) => (i === firstExtension ? '+' : '') + fieldText(field));
  return `${head}  ${packed.join(' ')}`;
}

function fieldText(field: DeclaredField): string {
  const text = [
    LETTERS[field.type],
    field.length > 0 ? field.length : '',
    field.name,
    field.instance ? '*' : '',
    field.bitmask ? '&' : '',
    field.version ? '$' : '',
    after('#', field.enumeration),
    after('~', field.unit),
    after('!', field.invalid),
    after('|', field.multiplier),
    after('<', field.minimum),
    after('>', field.maximum),
  ].join('');
  // the marks part the values, and blanks the fields
  if (/[\s~!|<>`\\]/.test(`${field.unit}${field.invalid}`)) throw new RangeError(`field ${text} cannot be packed`);
  return text;
}

function after(mark: string, value: string | number | undefined): string {
  return value === undefined || value === '' ? '' : `${mark}${value}`;
}

/** The types of all messages of a dialect as TypeScript: names and types, a line each. */
function messageTypings(dialect: Dialect): string {
  const lines: string[] = [];
  for (const definitions of dialect.messages.values()) {
    for (const { name, fields } of definitions) {
      const members = fields.map((field) => `${field.name}: ${typing(field)}`);
      lines.push(`  ${name}: { ${members.join('; ')} };`);
    }
  }
  return `export interface Messages {\n${lines.join('\n')}\n}\n`;
}

function typing({ type, count }: MessageField): string {
  if (type === 'text') return 'string';
  const isWide = type === 'int64' || type === 'uint64';
  if (count === 1) return isWide ? 'number | bigint' : 'number';
  return isWide ? 'readonly (number | bigint)[]' : 'readonly number[]';
}
