/** A message definition cannot be used. The text begins with where it stands: `my.xml:12: ...`. */
export class DialectError extends Error {
  override readonly name = 'DialectError';
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;

  constructor(file: string, line: number, text: string) {
    super(`${file}:${line}: ${text}`);
    this.file = file;
    this.line = line;
  }
}

/** What names and values of a definition look like in an error text: short, and on one line. */
export function quoted(text: string): string {
  const line = JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
  return line.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
