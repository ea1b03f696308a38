/*
 * Every escape of the system. Names and texts come from files and radio, so each way out has its own rule here, and
 * no other place makes up one.
 */

/** Numbers repeated names: a, b, a -> a, b, a_2. @param fold maps names to what counts as the same */
export function uniqueNames(names: readonly string[], fold: (name: string) => string = String): string[] {
  if (new Set(fold === String ? names : names.map(fold)).size === names.length) return [...names];
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return names.map((name) => {
    let unique = name;
    let count = counts.get(fold(name)) ?? 1;
    while (taken.has(fold(unique))) unique = `${name}_${++count}`;
    counts.set(fold(name), count);
    taken.add(fold(unique));
    return unique;
  });
}

/** What names have in common that differ in case only; also in those letters that have several small forms. */
export function caseFolded(name: string): string {
  return name.toUpperCase().toLowerCase().normalize('NFC');
}

/** A name of a column in a file of columns: never empty, nothing that ends it early. */
export function columnName(name: string): string {
  return name.replaceAll('\0', '\ufffd') || '_';
}

/** Windows gives these names to devices, whatever their ending. */
const DEVICES = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i;
/** File systems allow 255 bytes; an ending, a number or a prefix may be added. */
const FILE_NAME_BYTES = 200;
const encoder = new TextEncoder();

/** A name that is one plain file name on every system: no separator, no device, nothing hidden, never empty. */
export function fileName(name: string): string {
  let safe = '';
  let bytes = 0;
  for (const char of name) {
    const kept = /[\p{L}\p{N}_ .()[\]-]/u.test(char) ? char : '_';
    bytes += encoder.encode(kept).length;
    if (bytes > FILE_NAME_BYTES) break;
    safe += kept;
  }
  let start = 0;
  let end = safe.length;
  while (start < end && isDotOrBlank(safe[start])) start++;
  while (end > start && isDotOrBlank(safe[end - 1])) end--;
  safe = `${start > 0 ? '_' : ''}${safe.slice(start, end)}${end < safe.length && end > start ? '_' : ''}`;
  return safe === '' || DEVICES.test(safe) ? `_${safe}` : safe;
}

function isDotOrBlank(char: string): boolean {
  return char === '.' || char === ' ';
}

/** Whether spreadsheets would run a cell, also after blanks or line breaks. A loop: a pattern would be quadratic. */
function isFormula(text: string): boolean {
  if (text[0] === '\t' || text[0] === '\r') return true;
  let isFresh = true;
  for (const char of text) {
    if (char === '\n' || char === '\r') isFresh = true;
    else if (isFresh && '=+-@'.includes(char)) return true;
    else if (!/\s/.test(char)) isFresh = false;
  }
  return false;
}

/** A cell of text in CSV: quoted where it must be, and marked as text where a spreadsheet would run it. */
export function csvText(text: string, raw = false): string {
  const safe = !raw && isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text in XML 1.0: what it cannot hold becomes U+FFFD. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (char) => XML_ENTITIES[char])
    .replace(/\r/g, '&#13;');
}

/** Text in HTML, also in attributes: as in XML, and nothing that turns the direction of its neighbours. */
export function htmlText(text: string): string {
  return xmlText(text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd'));
}

/** Text on a terminal: nothing that moves the cursor, changes colours or turns the direction of writing. */
export function terminalText(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('\0', '\ufffd').replaceAll('"', '""')}"`;
}

export function sqlText(text: string): string {
  return `'${text.replaceAll('\0', '\ufffd').replaceAll("'", "''")}'`;
}
