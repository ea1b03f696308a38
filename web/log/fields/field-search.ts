import type { FieldInfo, TableInfo } from '../worker/answers.ts';
import { type FieldName, fieldText } from './field-name.ts';
import type { FieldNotes } from './field-notes.ts';
import { tableNote } from './table-notes.ts';

interface FoundField {
  readonly name: FieldName;
  readonly text: string;
  readonly unit: string;
  /** What it means, '' where that is not known. */
  readonly note: string;
}

const MOST = 200;

/** Fields and elements with all words in name, unit or notes, in any order; those that begin with it first. */
export function searchFields(tables: readonly TableInfo[], query: string, noteOf: FieldNotes = () => ''): FoundField[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found: (FoundField & { readonly score: number })[] = [];
  for (const table of tables) {
    const tableWords = tableNote(table.name).toLowerCase();
    for (const field of table.fields) {
      if (!field.numeric) continue;
      const note = noteOf(table.name, field.name);
      const about = `${field.unit} ${note}`.toLowerCase();
      for (const name of elementsOf(table, field)) {
        const text = fieldText(name);
        const score = scoreOf(text.toLowerCase(), name.field.toLowerCase(), about, tableWords, words);
        if (score > 0) found.push({ name, text, unit: field.unit, note, score });
      }
    }
  }
  return found.sort((a, b) => b.score - a.score).slice(0, MOST);
}

/** The names of a field: one, or one for each element of an array. */
export function elementsOf(table: TableInfo, field: FieldInfo): FieldName[] {
  const name = { table: table.name, stream: table.stream, field: field.name };
  if (field.count === 1) return [{ ...name, element: -1 }];
  return Array.from({ length: Math.min(field.count, 64) }, (_, element) => ({ ...name, element }));
}

function scoreOf(text: string, field: string, about: string, table: string, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    if (field === word) score += 100;
    else if (text.startsWith(word) || field.startsWith(word)) score += 40;
    else if (text.includes(word)) score += 20;
    else if (hasWord(about, word)) score += 15;
    else if (hasWord(table, word)) score += 10;
    else if (isSpread(text, word)) score += 2;
    else return 0;
  }
  return score;
}

function hasWord(note: string, word: string): boolean {
  return note.split(/[\s:,]+/).some((each) => each === word || (word.length > 2 && each.startsWith(word)));
}

/** Whether the letters of a word come in its order: 'atrl' in 'att.roll'. */
function isSpread(text: string, word: string): boolean {
  let at = 0;
  for (const char of word) {
    at = text.indexOf(char, at) + 1;
    if (at === 0) return false;
  }
  return word.length > 2;
}
