import type { DateOrder } from './value.ts';

/*
 * How sentences are written down here: their cells in order after the address, separated by blanks.
 *
 *     $--RMC,hhmmss.ss,A,llll.ll,N,yyyyy.yy,E,x.x,x.x,ddmmyy,x.x,E,A,S*hh
 *     'time:time status"1 lat:lat - lon:lon - speed_kn/kn course/deg date:dmy magnetic_variation:EW/deg - mode"1 ...'
 *
 *     -              a cell without a field: a hemisphere, or not needed
 *     =M             a cell that is always the same: the letter of a unit, the kind of a maker's sentence
 *     name           a number
 *     name/unit      a number with its unit
 *     name:kind      another kind of value: see Kind
 *     name"8         text of at most 8 bytes; `name"8...` takes all cells that follow too
 *     a+b            two fields of one cell
 *     name!quality   a number whose values have names
 *     (a b c)4       cells that repeat: each member is a field of 4 elements
 *     (a b c)4?      the same where sentences have fewer or more repetitions, so that what follows moves with them
 */

/** How the value of a field is made of its cell. */
export type Kind =
  | 'number'
  | 'hex'
  | 'time'
  | 'lat'
  | 'lon'
  /** The letter in the next cell gives the sign: the first of `signs` means plus, the second minus. */
  | 'signed'
  /** 1 where the cell is the letter U (used), else 0. */
  | 'used'
  /** A number after letters. */
  | 'lettered'
  | 'date'
  | 'day-month-year'
  | 'text'
  | 'address'
  /** Text up to the end of the sentence, commas included. */
  | 'rest';

/** One field of a sentence. */
export interface CellSpec {
  readonly name: string;
  readonly kind: Kind;
  /** The cell, from 1 on; for a field of a group that of its first repetition. */
  readonly cell: number;
  readonly unit: string;
  /** Bytes of a text; 0 for numbers. */
  readonly width: number;
  /** Letters of the next cell that mean plus and minus; '' for values without. */
  readonly signs: string;
  readonly order: DateOrder;
  readonly enumeration: string;
  /** What its value is where the cell is empty. */
  readonly missing: '' | null;
  /** Whether it is one of the cells that repeat, or comes after them. */
  readonly place: 'before' | 'group' | 'behind';
}

/** Cells that repeat. */
export interface Group {
  readonly first: number;
  readonly size: number;
  readonly slots: number;
  /** Whether sentences may have another number of repetitions. */
  readonly open: boolean;
  /** Whether repetitions hold texts, which have no arrays: then each has separate, numbered fields. */
  readonly numbered: boolean;
}

export interface CellLayout {
  readonly fields: readonly CellSpec[];
  /** How many cells a sentence has that leaves none out. */
  readonly cells: number;
  /** Cells that are always the same. */
  readonly fixed: ReadonlyMap<number, string>;
  readonly group: Group | undefined;
}

/** Kinds that are written as they are called, and how others are written. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...(['hex', 'time', 'lat', 'lon', 'used', 'lettered', 'address'] as const).map((kind): [Kind, Kind] => [kind, kind]),
  ['', 'number'],
  ['dmy', 'date'],
  ['mdy', 'date'],
  ['ymd', 'date'],
  ['day', 'day-month-year'],
]);
/** Hemispheres of positions: north and east are plus. */
const HEMISPHERES: Readonly<Record<string, string>> = { lat: 'NS', lon: 'EW' };
const TOKEN = /^(\w+)(?::([\w-]+))?(?:!(\w+))?(?:\/(.+?))?(?:"(\d+)(\.\.\.)?)?$/;

/** Reads the notation; a mistake in it is an error, which the first test finds. */
export function parseLayout(notation: string): CellLayout {
  const fields: CellSpec[] = [];
  const fixed = new Map<number, string>();
  let group: Group | undefined;
  let start = 0;
  let cell = 1;
  for (const word of notation.match(/\S+/g) ?? []) {
    const [, open, body, close, slots, isOpen] = /^(\(?)([^()]+)(?:(\))(\d+)(\??))?$/.exec(word) as RegExpExecArray;
    if (open) start = cell;
    const place = start === 0 ? 'before' : group ? 'behind' : 'group';
    if (body.startsWith('=')) fixed.set(cell, body.slice(1));
    else if (body !== '-') for (const token of body.split('+')) fields.push(parseToken(token, cell, place));
    cell++;
    if (!close) continue;
    const numbered = fields.some((field) => field.place === 'group' && field.width > 0);
    group = { first: start, size: cell - start, slots: Number(slots), open: isOpen !== '', numbered };
    cell = start + group.size * group.slots;
  }
  return { fields, cells: cell - 1, fixed, group };
}

function parseToken(token: string, cell: number, place: CellSpec['place']): CellSpec {
  const match = TOKEN.exec(token);
  if (!match) throw new SyntaxError(`cell notation '${token}' is not understood`);
  const [, name, kind = '', enumeration = '', unit = '', width = '0', rest] = match;
  const isSigned = /^[A-Z]{2}$/.test(kind);
  let meant = isSigned ? 'signed' : KINDS.get(kind);
  if (!meant) throw new SyntaxError(`kind '${kind}' of cell ${name} is not known`);
  if (rest) meant = 'rest';
  else if (width !== '0' && meant === 'number') meant = 'text';
  // one literal for all, so that code that reads them sees one shape
  return {
    name: keyOf(name),
    kind: meant,
    cell,
    unit,
    width: Number(width),
    signs: isSigned ? kind : (HEMISPHERES[kind] ?? ''),
    order: kind === 'mdy' || kind === 'ymd' ? kind : 'dmy',
    enumeration,
    missing: width !== '0' || meant === 'date' || meant === 'day-month-year' ? '' : null,
    place,
  };
}

/** A name as objects keep it: one cut out of a longer text would be looked up each time that it is used. */
function keyOf(name: string): string {
  return Object.keys({ [name]: 0 })[0];
}
