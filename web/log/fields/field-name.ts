/** One field of one table: what a plain trace shows. */
export interface FieldName {
  readonly table: string;
  /** Who the records came from, '' where there is only one. */
  readonly stream: string;
  readonly field: string;
  /** Which element of an array, -1 for a single value. */
  readonly element: number;
}

/*
 *   ATT.Roll      GPS[1].Alt      ATTITUDE[1:1].roll      BAT_STATUS[1:1].voltages{2}      "odd name"."other.name"
 *
 * Names come from files: those with more than letters, digits and underscores are in quotes, as in JSON.
 */
const PLAIN = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const PLAIN_STREAM = /^[\w:.@-]+$/;
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const PATTERN = new RegExp(
  `^([\\p{L}_][\\p{L}\\p{N}_]*|${QUOTED})(?:\\[([\\w:.@-]+|${QUOTED})\\])?\\.([\\p{L}_][\\p{L}\\p{N}_]*|${QUOTED})(?:\\{(\\d{1,5})\\})?`,
  'u',
);

export function tableText(table: string, stream: string): string {
  const name = PLAIN.test(table) ? table : JSON.stringify(table);
  if (stream === '') return name;
  return `${name}[${PLAIN_STREAM.test(stream) ? stream : JSON.stringify(stream)}]`;
}

export function fieldText({ table, stream, field, element }: FieldName): string {
  const name = PLAIN.test(field) ? field : JSON.stringify(field);
  return `${tableText(table, stream)}.${name}${element < 0 ? '' : `{${element}}`}`;
}

/** The field that a text begins with, and how many characters name it. */
function readField(text: string): { readonly name: FieldName; readonly length: number } | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [whole, table, stream = '', field, element] = match;
  const names = [table, stream, field].map(unquoted);
  if (names.includes(undefined)) return undefined;
  const [t, s, f] = names as string[];
  const name = { table: t, stream: s, field: f, element: element === undefined ? -1 : Number(element) };
  return { name, length: whole.length };
}

/** The field that a text is, all of it. */
export function parseField(text: string): FieldName | undefined {
  const found = readField(text);
  return found?.length === text.length ? found.name : undefined;
}

function unquoted(text: string): string | undefined {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}
