import { isNumeric } from '../core/schema.ts';
import type { CatalogueTable } from './expression-catalogue.ts';
import { CONSTANTS, FUNCTIONS } from './expression-functions.ts';
import { type FieldReference, readReference, wordAt, writeName, writeTable } from './field-reference.ts';
import { EXPRESSION_LIMITS } from './limits.ts';

/** One way to go on. */
interface Completion {
  readonly kind: 'function' | 'constant' | 'table' | 'field';
  readonly text: string;
  /** A word about it: the unit of a field, what a function does. */
  readonly detail: string;
}

export interface Completions {
  readonly from: number;
  readonly to: number;
  /** The best first. */
  readonly options: readonly Completion[];
}

/** What may be at a position of a text: functions and tables, or the fields of the table before it. */
export function complete(text: string, position: number, tables: readonly CatalogueTable[]): Completions {
  const at = Math.max(0, Math.min(position, text.length, EXPRESSION_LIMITS.characters));
  const before = text.slice(0, at);
  const reference = openReference(before);
  const from = reference === undefined ? at : reference.position;
  if (reference === undefined) return { from, to: at, options: best('', words(tables)) };
  if (reference.field) return fieldsOf(reference, at, tables);
  const { table, stream } = reference;
  const typed = before[table.position] === '"' || stream ? table.text : before.slice(from);
  const options = stream
    ? tableOptions(tables).filter((each) => each.name === typed && each.option.text !== writeName(typed))
    : words(tables);
  const sought = stream ? before.slice(from) : typed;
  return { from, to: at, options: best(sought, options) };
}

/** The field or word that ends where the text ends. */
function openReference(text: string): FieldReference | undefined {
  let at = 0;
  while (at < text.length) {
    const word = wordAt(text, at);
    if (word === '' && text[at] !== '"') {
      // the letters of a number such as 1e3 are not a word
      const number = /\d+(\.\d*)?([eE][+-]?\d+)?/y;
      number.lastIndex = at;
      at = number.test(text) ? number.lastIndex : at + 1;
      continue;
    }
    const reference = readReference(text, at);
    if (reference.end >= text.length && !reference.element) return isOpen(text, reference) ? reference : undefined;
    at = Math.max(reference.end, at + 1);
  }
  return undefined;
}

/** `GPS[0]` and `"GPS"` have ended: only a point may follow. */
function isOpen(text: string, { lacks, field }: FieldReference): boolean {
  const last = text.at(-1);
  if (lacks?.mark === '.') return last !== ']' && last !== '"';
  return !(field && lacks === undefined && last === '"');
}

function fieldsOf(reference: FieldReference, at: number, tables: readonly CatalogueTable[]): Completions {
  const { table, stream, field } = reference;
  const own = tables.filter(
    (each) => each.name === table.text && (stream === undefined || each.stream === stream.text),
  );
  const options = new Map<string, Sought>();
  for (const each of own.flatMap((found) => found.fields)) {
    if (!isNumeric(each.type) || options.has(each.name)) continue;
    const element = each.count > 1 || each.isList ? '[0]' : '';
    const option: Completion = { kind: 'field', text: writeName(each.name) + element, detail: each.unit };
    options.set(each.name, { name: each.name, option });
  }
  return { from: field?.position ?? at, to: at, options: best(field?.text ?? '', [...options.values()]) };
}

interface Sought {
  readonly name: string;
  readonly option: Completion;
}

function words(tables: readonly CatalogueTable[]): Sought[] {
  return [
    ...tableOptions(tables),
    ...[...FUNCTIONS].map(
      ([name, { usage, help }]): Sought => ({
        name,
        option: { kind: 'function', text: `${name}(`, detail: `${usage}: ${help}` },
      }),
    ),
    ...[...CONSTANTS.keys()].map((name): Sought => ({ name, option: { kind: 'constant', text: name, detail: '' } })),
  ];
}

function tableOptions(tables: readonly CatalogueTable[]): Sought[] {
  const options = new Map<string, Sought>();
  for (const { name, stream, fields } of tables) {
    const text = writeTable(name, stream);
    const detail = `${fields.length} fields`;
    if (!options.has(text)) options.set(text, { name, option: { kind: 'table', text, detail } });
  }
  return [...options.values()];
}

/** Those that begin with what was typed, then those that hold it; whatever their case. */
function best(typed: string, sought: readonly Sought[]): Completion[] {
  const wanted = typed.toLowerCase();
  const ranked = sought.flatMap(({ name, option }) => {
    const places = [name.toLowerCase().indexOf(wanted), option.text.toLowerCase().indexOf(wanted)].filter(
      (at) => at >= 0,
    );
    return places.length === 0 ? [] : [{ option, rank: Math.min(1, ...places) }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, EXPRESSION_LIMITS.completions)
    .map(({ option }) => option);
}
