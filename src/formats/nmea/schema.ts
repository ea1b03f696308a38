import type { Enumeration, Field, Schema } from '../../core/schema.ts';
import { splitCells } from './cells.ts';
import { SentenceCodec } from './codec.ts';
import type { Cells } from './columns.ts';
import { NMEA_LIMITS } from './limits.ts';
import type { CellSpec, Kind } from './notation.ts';
import { groupsIn, type Sentence } from './sentence.ts';
import { TAG_FIELDS } from './tag.ts';
import { DATE_BYTES, type DateOrder } from './value.ts';

/** A field of a sentence, and how it is read. Its `offset` is its cell. */
export interface CellField extends Field {
  /** Grows where longer texts or more repetitions come. */
  count: number;
  readonly kind: Kind | 'tag';
  /** Cells from one element to the next; 0 for a field that has one. */
  readonly step: number;
  /** Its repetition, for those that have a field each; otherwise -1. */
  readonly repetition: number;
  readonly place: CellSpec['place'];
  /** Its cell in the short form of the sentence, 0 if that lacks it. */
  readonly short: number;
  /** Letters that give the sign, or that of a tag block's entry. */
  readonly plus: number;
  readonly minus: number;
  readonly order: DateOrder;
}

const SI: Readonly<Record<string, readonly [factor: number, unit: string]>> = {
  kn: [1852 / 3600, 'm/s'],
  'km/h': [1 / 3.6, 'm/s'],
  ft: [0.3048, 'm'],
  fathom: [1.8288, 'm'],
  nmi: [1852, 'm'],
  km: [1000, 'm'],
  bar: [100_000, 'Pa'],
  inHg: [3386.389, 'Pa'],
  kHz: [1000, 'Hz'],
  ms: [0.001, 's'],
  min: [60, 's'],
  h: [3600, 's'],
};

/** Separate fields that repetitions may have, and elements that a field may have. */
const REPETITIONS = 255;
/** Widths of texts are multiples of this: so a table whose texts grow letter by letter is not changed each time. */
const WIDTH = 16;

/** What the records of one kind of sentence hold. Its fields grow while sentences come that have more than those before. */
export class SentenceSchema implements Schema {
  readonly name: string;
  readonly fields: CellField[];
  readonly size = 0;
  readonly maxSize: number = NMEA_LIMITS.recordBytes;
  instance = -1;
  readonly codec: SentenceCodec;
  readonly sentence: Sentence;
  private readonly cells: Cells;

  /** @param cells memory that the schemas of one source share */
  constructor(sentence: Sentence, tagged: boolean, cells: Cells) {
    this.name = sentence.name;
    this.sentence = sentence;
    this.cells = cells;
    this.codec = new SentenceCodec(sentence, cells);
    this.fields = fieldsOf(sentence);
    if (tagged) this.fields.push(...TAG_FIELDS.map(tagField));
  }

  /** Makes room for bytes [at, end), one sentence without its tag block. */
  grow(bytes: Uint8Array, at: number, end: number): void {
    const { group } = this.sentence.layout;
    const { starts } = this.cells;
    const cells = splitCells(bytes, at, end, starts);
    if (group?.open) this.repeat(Math.min(groupsIn(this.sentence, group, cells), REPETITIONS));
    for (const field of this.fields) {
      const { kind, offset } = field;
      if ((kind !== 'text' && kind !== 'rest') || offset > cells) continue;
      const width = starts[kind === 'rest' ? cells + 1 : offset + 1] - 1 - starts[offset];
      if (width > field.count) field.count = Math.ceil(width / WIDTH) * WIDTH;
    }
  }

  /** Room for more repetitions: longer arrays, or more fields if each repetition has its own. */
  private repeat(groups: number): void {
    const specs = this.sentence.layout.fields.filter(({ place }) => place === 'group');
    if (this.sentence.layout.group?.numbered) {
      const most = Math.min(groups, Math.floor(REPETITIONS / specs.length));
      const have = this.codec.slots;
      if (have >= most) return;
      this.codec.slots = most;
      // repetitions stay together, before what follows them
      const at = this.fields.findLastIndex(({ repetition }) => repetition >= 0) + 1;
      const more = Array.from({ length: most - have }, (_, k) => numberedFields(this.sentence, specs, have + k));
      this.fields.splice(at, 0, ...more.flat());
    } else {
      for (const field of this.fields) if (field.step > 0 && field.count < groups) field.count = groups;
      this.codec.slots = Math.max(this.codec.slots, groups);
    }
  }
}

function fieldsOf(sentence: Sentence): CellField[] {
  const { fields, group } = sentence.layout;
  const inGroup = fields.filter(({ place }) => place === 'group');
  const made = fields.flatMap((spec) => {
    if (spec.place !== 'group' || !group) return [cellField(sentence, spec)];
    if (!group.numbered) return [cellField(sentence, spec, { count: group.slots, step: group.size })];
    if (spec !== inGroup[0]) return [];
    return Array.from({ length: group.slots }, (_, k) => numberedFields(sentence, inGroup, k)).flat();
  });
  // what only the short form has
  for (const spec of sentence.short?.layout.fields ?? []) {
    if (!made.some(({ name }) => name === spec.name)) made.push(cellField(sentence, { ...spec, cell: 0 }));
  }
  return made;
}

function numberedFields(sentence: Sentence, specs: readonly CellSpec[], repetition: number): CellField[] {
  const size = sentence.layout.group?.size ?? 1;
  return specs.map((spec) => {
    // beyond the last field that there is room for, cells are one text
    const isLast = specs.length === 1 && repetition === REPETITIONS - 1;
    const kind = isLast ? 'rest' : spec.kind;
    const moved = { ...spec, kind, cell: spec.cell + repetition * size, name: `${spec.name}_${repetition + 1}` };
    return cellField(sentence, moved, { repetition });
  });
}

interface CellRepeat {
  readonly count?: number;
  readonly step?: number;
  readonly repetition?: number;
}

function cellField(sentence: Sentence, spec: CellSpec, place: CellRepeat = {}): CellField {
  const { name, kind, cell, unit, width, signs, order } = spec;
  const isText = width > 0 || kind === 'date' || kind === 'day-month-year';
  const short = sentence.short?.layout.fields.find((other) => other.name === name);
  return {
    name,
    type: isText ? 'text' : 'float64',
    count: isText ? width || DATE_BYTES : (place.count ?? 1),
    offset: cell,
    divisor: 1,
    unit: kind === 'time' ? 's' : kind === 'lat' || kind === 'lon' ? 'deg' : unit,
    multiplier: SI[unit]?.[0],
    siUnit: SI[unit]?.[1] ?? '',
    ...(isText ? {} : { invalid: Number.NaN }),
    ...enumerationOf(spec.enumeration),
    kind,
    step: place.step ?? 0,
    repetition: place.repetition ?? -1,
    place: spec.place,
    short: short?.cell ?? 0,
    plus: signs.charCodeAt(0),
    minus: signs.charCodeAt(1),
    order,
  };
}

function enumerationOf(name: string): { enumeration?: Enumeration } {
  const enumeration = ENUMERATIONS.get(name);
  return enumeration ? { enumeration } : {};
}

function tagField({ letter, name, unit, width }: (typeof TAG_FIELDS)[number]): CellField {
  return {
    name,
    type: width > 0 ? 'text' : 'float64',
    count: width || 1,
    offset: 0,
    divisor: 1,
    unit,
    multiplier: undefined,
    siUnit: '',
    ...(width > 0 ? {} : { invalid: Number.NaN }),
    kind: 'tag',
    step: 0,
    repetition: -1,
    place: 'before',
    short: 0,
    plus: letter.charCodeAt(0),
    minus: 0,
    order: 'dmy',
  };
}

function enumeration(name: string, names: Readonly<Record<number, string>>): [string, Enumeration] {
  return [name, { name, bitmask: false, names: new Map(Object.entries(names).map(([n, text]) => [Number(n), text])) }];
}

/** Names of numbers that sentences use. */
const ENUMERATIONS: ReadonlyMap<string, Enumeration> = new Map([
  enumeration('quality', {
    0: 'no fix',
    1: 'GPS',
    2: 'differential',
    3: 'PPS',
    4: 'RTK fixed',
    5: 'RTK float',
    6: 'estimated',
    7: 'manual',
    8: 'simulated',
  }),
  enumeration('fix', { 1: 'no fix', 2: '2D', 3: '3D' }),
  enumeration('system', { 1: 'GPS', 2: 'GLONASS', 3: 'Galileo', 4: 'BeiDou', 5: 'QZSS', 6: 'NavIC' }),
]);
