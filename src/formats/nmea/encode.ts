import type { Value } from '../../core/column.ts';
import { exact, hexDigits } from '../../core/text.ts';
import { knownSentence } from './catalog.ts';
import type { CellLayout, CellSpec } from './notation.ts';
import type { Sentence } from './sentence.ts';
import { MOST_DEGREES } from './value.ts';

/** Values of a sentence by the names of its fields, as a reader gives them; what is left out stays empty. */
export type SentenceValues = Readonly<Record<string, Value | undefined>>;

export interface EncodeOptions {
  /** The talker: GP by default; the sentences of makers have none. */
  readonly talker?: string | undefined;
  /** Digits after the point, by field: of minutes for lat and lon. By default as many as give the value again. */
  readonly decimals?: Readonly<Record<string, number>> | undefined;
}

/** Fields that came with later versions: left out at the end of a sentence where they have no value. */
const LATE: ReadonlySet<string> = new Set(['mode', 'nav_status', 'system_id', 'signal_id']);
const TALKER = /^[A-Z][A-Z0-9]$/;
const GSV_SATELLITES = 4;

/**
 * A sentence of a kind that is known, with its checksum and line break.
 *
 *     encodeSentence('RMC', { time: 65560.9, status: 'A', lat: 51.47, lon: -0.4543, date: '2026-11-15' })
 *     $GPRMC,181240.90,A,5128.20000,N,00027.25800,W,,,151126,,*20
 */
export function encodeSentence(name: string, values: SentenceValues, options: EncodeOptions = {}): string {
  const sentence = knownSentence(name);
  if (!sentence) throw new RangeError(`unknown sentence ${name}`);
  const { talker = 'GP', decimals = {} } = options;
  if (!TALKER.test(talker)) throw new RangeError(`talker '${talker}' is not of two capital letters`);
  refuseUnknown(sentence, values);
  const cells = cellsOf(sentence.layout, values, decimals);
  return withChecksum([addressOf(sentence, talker), ...cells].join(','));
}

export interface EncodedSatellite {
  readonly prn: number;
  readonly elevation?: number | null | undefined;
  readonly azimuth?: number | null | undefined;
  readonly snr?: number | null | undefined;
}

/** All GSV sentences for some satellites: four in each. */
export function encodeSatellites(
  satellites: readonly EncodedSatellite[],
  { signal_id, ...options }: EncodeOptions & { readonly signal_id?: number | undefined } = {},
): string[] {
  const messages = Math.max(1, Math.ceil(satellites.length / GSV_SATELLITES));
  return Array.from({ length: messages }, (_, k) => {
    const part = satellites.slice(k * GSV_SATELLITES, (k + 1) * GSV_SATELLITES);
    const all = (value: (satellite: EncodedSatellite) => number | null | undefined): (number | null)[] =>
      part.map((satellite) => value(satellite) ?? null);
    const values = {
      messages,
      message: k + 1,
      satellites: satellites.length,
      prn: all(({ prn }) => prn),
      elevation: all(({ elevation }) => elevation),
      azimuth: all(({ azimuth }) => azimuth),
      snr: all(({ snr }) => snr),
      signal_id,
    };
    return encodeSentence('GSV', values, options);
  });
}

/** `$`, the sentence, its checksum and a line break. */
export function withChecksum(body: string): string {
  let sum = 0;
  for (let i = 0; i < body.length; i++) sum ^= body.charCodeAt(i);
  return `$${body}*${hexDigits(sum)}\r\n`;
}

/** A kind in the first cell is not part of a maker's address. */
function addressOf({ name, layout }: Sentence, talker: string): string {
  const kind = layout.fixed.get(1) ?? '';
  if (name.length > 3) return kind !== '' && name.endsWith(kind) ? name.slice(0, -kind.length) : name;
  return talker + name;
}

function refuseUnknown({ name, layout }: Sentence, values: SentenceValues): void {
  const names = layout.fields.map((field) => field.name);
  for (const key of Object.keys(values)) {
    const isNumbered = layout.group?.numbered && names.includes(key.replace(/_\d+$/, ''));
    if (!names.includes(key) && !isNumbered)
      throw new RangeError(`sentence ${name} has no field ${key}: it has ${names.join(', ')}`);
  }
}

function cellsOf(layout: CellLayout, values: SentenceValues, decimals: Readonly<Record<string, number>>): string[] {
  const cells: string[] = [];
  const names: string[] = [];
  const { group } = layout;
  const groups = group ? repetitions(layout, values) : 0;
  const put = (spec: CellSpec, value: Value | undefined, cell: number): void => {
    const made = cellText(spec, value ?? null, decimals[spec.name]);
    made.forEach((text, k) => {
      // a date of three cells gives way to its parts if these are given
      cells[cell - 1 + k] = cells[cell - 1 + k] || text;
      names[cell - 1 + k] ??= spec.name;
    });
  };
  for (const [cell, text] of layout.fixed) cells[cell - 1] = text;
  for (const spec of layout.fields) {
    if (spec.place === 'group' && group) {
      for (let k = 0; k < groups; k++) put(spec, element(spec, values, k, group.numbered), spec.cell + k * group.size);
    } else {
      const moved = spec.place === 'behind' && group ? (groups - group.slots) * group.size : 0;
      put(spec, values[spec.name], spec.cell + moved);
    }
  }
  cells.length = Math.max(cells.length, layout.cells + (group ? (groups - group.slots) * group.size : 0));
  while (cells.length > 0 && (cells.at(-1) ?? '') === '' && LATE.has(names[cells.length - 1])) cells.pop();
  return Array.from(cells, (cell) => cell ?? '');
}

function element(spec: CellSpec, values: SentenceValues, k: number, numbered: boolean): Value | undefined {
  if (numbered) return values[`${spec.name}_${k + 1}`];
  const value = values[spec.name];
  return Array.isArray(value) ? value[k] : k === 0 ? value : null;
}

/** How many repetitions the values need; where the standard has a number of them, that. */
function repetitions({ group, fields }: CellLayout, values: SentenceValues): number {
  const members = fields.filter(({ place }) => place === 'group');
  let most = 0;
  for (const { name } of members) {
    const value = values[name];
    if (Array.isArray(value)) most = Math.max(most, value.length);
    else if (value !== undefined && value !== null) most = Math.max(most, 1);
    while (values[`${name}_${most + 1}`] !== undefined) most++;
  }
  // GSA has empty slots, GSV ends with its last satellite
  return !group?.open || group.size === 1 ? Math.max(most, group?.slots ?? 0) : most;
}

/** Characters that separate parts of a sentence. */
const RESERVED = /[\r\n$*!\\^~]|[^ -~]/;
/** Digits after the point that times and minutes have at least and at most. */
const TIME_PLACES = [2, 9] as const;
const MINUTE_PLACES = [5, 11] as const;

/** The text of a cell for a value, with that of the cells after it that belong to it: a hemisphere, month and year. */
function cellText(spec: CellSpec, value: Value, decimals: number | undefined): string[] {
  if (value === null || value === '') return [''];
  switch (spec.kind) {
    case 'text':
    case 'rest':
      return [plainText(spec, String(value))];
    case 'date':
    case 'day-month-year':
      return dateText(spec, String(value));
    case 'used':
      return [value ? 'U' : '-'];
  }
  const number = numberOf(spec, value);
  switch (spec.kind) {
    case 'hex':
      return [number.toString(16).toUpperCase()];
    case 'time':
      return [timeText(spec, number, decimals)];
    case 'lat':
    case 'lon':
      return [degreesText(spec, number, MOST_DEGREES[spec.kind], decimals), signOf(spec, number)];
    case 'signed':
      return [decimalText(Math.abs(number), decimals), signOf(spec, number)];
    default:
      return [decimalText(number, decimals)];
  }
}

function signOf({ signs }: CellSpec, value: number): string {
  return value < 0 || Object.is(value, -0) ? signs[1] : signs[0];
}

function numberOf({ name }: CellSpec, value: Value): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new RangeError(`${name} is ${value}, not a number`);
  return value;
}

function plainText({ name, kind }: CellSpec, text: string): string {
  if (RESERVED.test(text) || (kind === 'text' && text.includes(',')))
    throw new RangeError(`${name} '${text}' has a character that separates sentences`);
  return text;
}

/** A number without an exponent, by as few digits as give it again. */
function decimalText(value: number, decimals: number | undefined): string {
  if (decimals !== undefined) return value.toFixed(decimals);
  return Object.is(value, -0) ? '-0' : exact(value);
}

/** The least number of digits after the point by which value = units / (10^digits * whole), from the first on. */
function placesFor(value: number, whole: number, [least, most]: readonly [number, number]): number {
  for (let places = least; places < most; places++) {
    const units = 10 ** places * whole;
    if (Math.round(value * units) / units === value) return places;
  }
  return most;
}

function timeText({ name }: CellSpec, value: number, decimals: number | undefined): string {
  if (value < 0 || value > 86_400) throw new RangeError(`${name} is ${value}, not a second of the day`);
  const places = decimals ?? placesFor(value, 1, TIME_PLACES);
  const units = Math.round(value * 10 ** places);
  const fraction = String(units % 10 ** places).padStart(places, '0');
  // a second that begins where the day ends is a leap second
  const seconds = Math.min(Math.floor(units / 10 ** places), 86_399);
  const leap = Math.floor(units / 10 ** places) - seconds;
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, (seconds % 60) + leap];
  return parts.map((part) => String(part).padStart(2, '0')).join('') + (places > 0 ? `.${fraction}` : '');
}

function degreesText({ name }: CellSpec, value: number, most: number, decimals: number | undefined): string {
  const size = Math.abs(value);
  if (size > most) throw new RangeError(`${name} is ${value}, beyond ${most}`);
  const places = decimals ?? placesFor(size, 60, MINUTE_PLACES);
  const scale = 10 ** places;
  const units = Math.round(size * 60 * scale);
  const degrees = Math.floor(units / (60 * scale));
  const rest = units - degrees * 60 * scale;
  const minutes = String(Math.floor(rest / scale)).padStart(2, '0');
  const fraction = String(rest % scale).padStart(places, '0');
  return `${String(degrees).padStart(String(most).length, '0')}${minutes}${places > 0 ? `.${fraction}` : ''}`;
}

function dateText({ name, kind, order }: CellSpec, value: string): string[] {
  const match = /^(\d\d)(\d\d)-(\d\d)-(\d\d)$/.exec(value);
  if (!match) throw new RangeError(`${name} '${value}' is not YYYY-MM-DD`);
  const [, century, year, month, day] = match;
  if (kind === 'day-month-year') return [day, month, century + year];
  if (order === 'ymd') return [century + year + month + day];
  return [(order === 'dmy' ? day + month : month + day) + year];
}
