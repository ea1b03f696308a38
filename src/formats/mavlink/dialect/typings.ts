import type { Dialect, MessageField } from './definition.ts';

/** The types of all messages of a dialect as TypeScript: names and types, a line each. */
export function messageTypings(dialect: Dialect): string {
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
