import { createInterface } from 'node:readline';
import type { TableNames } from '../sql/query-error.ts';
import { sentence } from './failure.ts';
import { tell } from './output.ts';

/** What a prompt asks: logs, or a lake. */
interface Askable {
  readonly tables: readonly TableNames[];
  /** Answers a query where answers go. */
  run(sql: string): Promise<void>;
  interrupt(): void;
}

const HELP = `a query ends with a semicolon; .tables lists tables, .fields TABLE its fields, .quit or Ctrl-D ends`;

const KEYWORDS =
  'SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN ASOF USING HAVING DESCRIBE SUMMARIZE count avg min max sum median'.split(
    ' ',
  );

/** Reads queries from standard input, one after the other, until it ends. Names are completed with the tabulator. */
export async function prompt(database: Askable): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    output: isTerminal ? process.stderr : undefined,
    prompt: 'skein> ',
    completer: (line: string) => complete(database, line),
  });
  if (isTerminal) tell(HELP);
  let text = '';
  const show = (): void => {
    if (!isTerminal) return;
    lines.setPrompt(text === '' ? 'skein> ' : '  ...> ');
    lines.prompt();
  };
  lines.on('SIGINT', () => {
    // what runs is stopped, what is typed is forgotten
    database.interrupt();
    text = '';
    show();
  });
  show();
  for await (const line of lines) {
    if (text === '' && line.trim().startsWith('.')) {
      if (!(await command(database, line.trim()))) break;
    } else {
      text += `${line}\n`;
      if (text.trim() === '') text = '';
      if (text.trimEnd().endsWith(';')) {
        await run(database, text);
        text = '';
      }
    }
    show();
  }
  if (text.trim() !== '') await run(database, text);
}

async function run(database: Askable, text: string): Promise<void> {
  try {
    await database.run(text);
  } catch (error) {
    // a mistake in one query is no end
    tell(sentence(error));
  }
}

/** Commands of the prompt itself; false for the one that ends it. */
async function command(database: Askable, line: string): Promise<boolean> {
  const [word, name = ''] = line.split(/\s+/);
  if (word === '.quit' || word === '.exit') return false;
  const titles = (schema: string): string => (schema === '' ? '' : `${schema}.`);
  if (word === '.tables') tell(database.tables.map((table) => `${titles(table.schema)}${table.name}`).join(', '));
  else if (word === '.fields') {
    const found = database.tables.find((table) => table.name.toLowerCase() === name.toLowerCase());
    tell(found ? found.columns.join(', ') : `no table ${name}`);
  } else tell(HELP);
  return true;
}

/** Names that go on as the last word begins: fields of the tables that the line names first, then all else. */
export function complete({ tables }: Pick<Askable, 'tables'>, line: string): [completions: string[], word: string] {
  const word = /[\p{L}\p{N}_[\]:]*$/u.exec(line)?.[0] ?? '';
  const words = new Set(line.toLowerCase().split(/[^\p{L}\p{N}_]+/u));
  const named = tables.filter(({ name }) => words.has(name.toLowerCase()));
  const fields = (named.length > 0 ? named : tables).flatMap(({ columns }) => columns);
  const all = [...tables.map(({ name }) => name), ...fields, ...KEYWORDS];
  const begins = (name: string): boolean => name.toLowerCase().startsWith(word.toLowerCase());
  return [[...new Set(all.filter(begins))].sort(), word];
}
