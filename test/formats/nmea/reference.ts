import type { Value } from '../../../src/core/column.ts';
import { knownSentence } from '../../../src/formats/nmea/catalog.ts';
import type { CellSpec } from '../../../src/formats/nmea/notation.ts';
import { groupsIn, type Sentence, sentence } from '../../../src/formats/nmea/sentence.ts';
import type { PlainFault, PlainLog, PlainRecord } from '../../suite/plain.ts';
import { plainCell } from './cell.ts';

const HEAD = /[$!][A-Z][A-Z0-9]{2,23}(,|\*[0-9A-Fa-f]{2})/y;
const TAG = /\\([ -[\]-~]*)\*([0-9A-Fa-f]{2})\\/y;
const CHECKSUM = /\*([0-9A-Fa-f]{2})/y;
const LINE_BREAK = /\r{0,2}\n|\r/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const CONTROL = /[\0-\x08\x0a-\x1f]/;
const LONGEST_LINE = 1024;
const LONGEST_TAG = 256;
const MOST_FIELDS = 255;
const TAGS = [
  ['c', 'tag_time', 0],
  ['s', 'tag_source', 16],
  ['d', 'tag_destination', 16],
  ['g', 'tag_group', 24],
  ['n', 'tag_line', 0],
  ['t', 'tag_text', 32],
] as const;

/** NMEA 0183 in the plainest way: a string, and regular expressions at each place of it. */
export function plainNmea(bytes: Uint8Array): PlainLog {
  return new Reading(Buffer.from(bytes).toString('latin1'));
}

/** What the records of one table need room for. */
interface Room {
  groups: number;
  readonly widths: Map<string, number>;
}

class Reading implements PlainLog {
  readonly records: PlainRecord[] = [];
  readonly faults: PlainFault[] = [];
  private readonly text: string;
  private readonly rooms: Map<string, Room> = new Map();
  private readonly unchecked: Set<string> = new Set();
  private gap = '';

  constructor(text: string) {
    this.text = text;
    let at = 0;
    while (at < text.length) {
      const start = this.tagged(at) ?? at;
      const length = this.isHead(start) ? this.sentence(at, start) : 0;
      if (length === 0) this.gap += text[at];
      at += length || 1;
    }
    this.close(text.length);
  }

  /** What a pattern with the flag y finds at a place. */
  private match(pattern: RegExp, at: number): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.text) ?? undefined;
  }

  private isHead(at: number): boolean {
    return this.match(HEAD, at) !== undefined;
  }

  /** Where the sentence behind a whole tag block begins. */
  private tagged(at: number): number | undefined {
    const tag = this.match(TAG, at);
    if (!tag || tag[0].length > LONGEST_TAG || xor(tag[1]) !== Number.parseInt(tag[2], 16)) return undefined;
    const start = at + tag[0].length;
    return this.isHead(start) ? start : undefined;
  }

  /** How long what begins at `record` is; its $ stands at `start`. */
  private sentence(record: number, start: number): number {
    const { text } = this;
    const address = /[A-Z0-9]+/.exec(text.slice(start)) as RegExpExecArray;
    let end = start + 1;
    const stop = Math.min(text.length, start + LONGEST_LINE);
    while (end < stop && !this.match(CHECKSUM, end) && !CONTROL.test(text[end])) {
      if (this.isHead(end)) break;
      end++;
    }
    const body = text.slice(start + 1, end);
    const sum = end < stop ? this.match(CHECKSUM, end) : undefined;
    const brokenLine = this.match(LINE_BREAK, sum ? end + 3 : end)?.[0] ?? '';
    const length = end + (sum ? 3 : 0) + brokenLine.length - record;
    if (sum) {
      if (xor(body) === Number.parseInt(sum[1], 16)) this.record(record, start, address[0], body, length);
      else this.fault('bad-checksum', record, length);
    } else if (end < stop && /[\r\n]/.test(text[end])) {
      if (/\*.?$/s.test(body)) this.fault('bad-checksum', record, length);
      else if (/[\x7f-\xff]/.test(body)) this.fault('damaged-sentence', record, length);
      else this.unmarked(this.record(record, start, address[0], body, length), record);
    } else {
      const isCut = end < stop || stop === start + LONGEST_LINE;
      this.fault(isCut ? 'cut-sentence' : 'truncated', record, end - record);
      return end - record;
    }
    return length;
  }

  private unmarked(name: string, offset: number): void {
    if (this.unchecked.has(name)) return;
    this.unchecked.add(name);
    this.faults.push({ code: 'no-checksum', offset, length: 0 });
  }

  private record(offset: number, start: number, address: string, body: string, length: number): string {
    this.close(offset);
    const cells = body.slice(address.length).split(',').slice(1);
    const { sentence: kind, talker } = identityOf(address, cells[0] ?? '');
    const tag = this.text.slice(offset, start);
    const key = `${kind.name} ${talker} ${tag !== ''}`;
    const room = this.rooms.get(key) ?? { groups: kind.layout.group?.slots ?? 0, widths: new Map() };
    this.rooms.set(key, room);
    if (body.length + 1 >= kind.growsFrom) grow(room, kind, cells);
    const values = (): [string, Value][] => [...valuesOf(kind, room, cells), ...(tag === '' ? [] : tagValues(tag))];
    this.records.push({ name: kind.name, stream: talker, offset, length, values });
    return kind.name;
  }

  private fault(code: string, offset: number, length: number): void {
    this.close(offset);
    this.faults.push({ code, offset, length });
  }

  /** Ends what belongs to no sentence. */
  private close(at: number): void {
    const { gap } = this;
    if (gap === '') return;
    this.gap = '';
    const isBlank = [...gap].every((char) => char === gap[0] && '\0\xff'.includes(char));
    // letters beyond ASCII are text in a comment
    const isBinary = (gap[0] === '#' ? /[^\t\r\n -~\x80-\xff]/ : /[^\t\r\n -~]/).test(gap);
    let code = isBinary ? 'garbage' : /\*[0-9A-Fa-f]{2}/.test(gap) ? 'headless-sentence' : 'text';
    if (gap === 'UdPbC\0') code = 'datagram-header';
    const offset = at - gap.length;
    if (isBlank && offset === 0) code = 'blank';
    if (isBlank && at === this.text.length) code = 'padding';
    this.faults.push({ code, offset, length: gap.length });
  }
}

function xor(text: string): number {
  return [...text].reduce((sum, char) => sum ^ char.charCodeAt(0), 0);
}

function identityOf(address: string, first: string): { sentence: Sentence; talker: string } {
  const unknown = (name: string): Sentence => sentence(name, '(field"16)1?');
  const maker = (name: string): Sentence => knownSentence(name) ?? unknown(name);
  if (['PUBX', 'PTNL', 'PASHR', 'PSTI', 'PSSN', 'PSAT'].includes(address)) {
    return { sentence: maker(/^([A-Z]{2,4}|\d{2,3})$/.test(first) ? address + first : address), talker: '' };
  }
  if (address.length > 3 && knownSentence(address)) return { sentence: maker(address), talker: '' };
  const isQuectel = /^PQ...$/.test(address) && knownSentence(address.slice(2)) !== undefined;
  if (address.length !== 5 || (address[0] === 'P' && !isQuectel)) return { sentence: unknown(address), talker: '' };
  return { sentence: maker(address.slice(2)), talker: address.slice(0, 2) };
}

function grow(room: Room, kind: Sentence, cells: readonly string[]): void {
  const { group, fields } = kind.layout;
  if (group?.open) {
    const members = fields.filter(({ place }) => place === 'group').length;
    const most = group.numbered ? Math.floor(MOST_FIELDS / members) : MOST_FIELDS;
    room.groups = Math.max(room.groups, Math.min(groupsIn(kind, group, cells.length), most));
  }
  for (const [name, spec, cell] of textCells(kind, room)) {
    const text = spec.kind === 'rest' ? cells.slice(cell - 1).join(',') : (cells[cell - 1] ?? '');
    const width = Math.max(spec.width, room.widths.get(name) ?? 0);
    room.widths.set(name, text.length > width ? Math.ceil(text.length / 16) * 16 : width);
  }
}

/** Fields that are text, with their cells: those that repeat have a number. */
function textCells(kind: Sentence, room: Room): [name: string, spec: CellSpec, cell: number][] {
  const { group, fields } = kind.layout;
  const texts = fields.filter(({ width }) => width > 0);
  return texts.flatMap((spec): [string, CellSpec, number][] => {
    if (spec.place !== 'group' || !group) return [[spec.name, spec, spec.cell]];
    return Array.from({ length: room.groups }, (_, k) => {
      const isLast = group.size === 1 && k === MOST_FIELDS - 1;
      return [`${spec.name}_${k + 1}`, isLast ? { ...spec, kind: 'rest' } : spec, spec.cell + k * group.size];
    });
  });
}

/** The cells of a short form where the long one has them. */
function valuesOf(kind: Sentence, room: Room, cells: readonly string[]): [string, Value][] {
  const { short, layout } = kind;
  const { group } = layout;
  const isShort = short !== undefined && cells.length <= short.cells;
  const groups = group ? groupsIn(kind, group, cells.length) : 0;
  const names = [...layout.fields, ...(short?.layout.fields ?? [])].map(({ name }) => name);
  const fields = layout.fields.filter(({ place }) => place !== 'group');
  const value = (spec: CellSpec, moved = 0): Value =>
    plainCell(spec, cells, spec.cell + moved, room.widths.get(spec.name));
  const out: [string, Value][] = [];
  for (const name of new Set(names)) {
    const spec = layout.fields.find((each) => each.name === name);
    const other = short?.layout.fields.find((each) => each.name === name);
    if (isShort || !spec) {
      out.push([name, isShort && other ? value(other) : missing(spec ?? (other as CellSpec))]);
    } else if (spec.place !== 'group' || !group) {
      const moved = spec.place === 'behind' && group?.open ? (groups - group.slots) * group.size : 0;
      out.push([name, value(spec, moved)]);
    } else if (!group.numbered) {
      const elements = Array.from({ length: room.groups }, (_, k) => (k < groups ? value(spec, k * group.size) : null));
      out.push([name, room.groups === 1 ? elements[0] : (elements as (number | null)[])]);
    }
  }
  if (!group?.numbered) return out;
  const members = layout.fields.filter(({ place }) => place === 'group');
  const numbered = Array.from({ length: room.groups }, (_, k) =>
    members.map((spec): [string, Value] => {
      const isLast = members.length === 1 && k === MOST_FIELDS - 1;
      const kindOf = isLast ? 'rest' : spec.kind;
      const name = `${spec.name}_${k + 1}`;
      return [name, value({ ...spec, name, kind: kindOf }, k * group.size)];
    }),
  ).flat();
  const before = fields.filter(({ place }) => place === 'before').length;
  return [...out.slice(0, before), ...numbered, ...out.slice(before)];
}

function missing({ kind }: CellSpec): Value {
  return kind === 'text' || kind === 'rest' || kind === 'date' || kind === 'day-month-year' ? '' : null;
}

function tagValues(tag: string): [string, Value][] {
  const content = tag.slice(1).split('*')[0];
  return TAGS.map(([letter, name, width]) => {
    const entry = content.split(',').find((each) => each.startsWith(`${letter}:`));
    const said = entry?.slice(2) ?? '';
    if (width > 0) return [name, said.slice(0, width)];
    const number = /^[ \t]*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[ \t]*$/i.test(said) ? Number(said) : null;
    return [name, letter === 'c' && number !== null && number > 1e11 ? number / 1000 : number];
  });
}
