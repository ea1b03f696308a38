import type { Value } from '../core/column.ts';
import { textOf } from '../core/text.ts';
import {
  bareSentence,
  type ParsedSentence,
  type ParseOptions,
  parseSentence,
  type RefusedSentence,
} from '../formats/nmea/parse.ts';
import { utcToGps } from '../time/gps.ts';
import { codeOf } from './gnss-epochs.ts';
import { fixType, flagsOf, isFixed, isValidGnss, projected } from './gnss-fix.ts';
import { type FixField, GNSS_FIELDS, type GnssField, READINGS } from './gnss-reading.ts';
import type { GnssRowData } from './gnss-rows.ts';

/** A sentence: its fields, and what it alone gives as GNSSData. */
export class NmeaSentence implements ParsedSentence {
  readonly valid = true;
  readonly name: string;
  readonly talker: string;
  readonly checked: boolean;
  readonly data: Record<string, Value>;
  private readonly line: string | Uint8Array;
  private row: GnssRowData | undefined;

  constructor({ name, talker, checked, data }: ParsedSentence, line: string | Uint8Array) {
    this.name = name;
    this.talker = talker;
    this.checked = checked;
    this.data = data;
    this.line = typeof line === 'string' ? line : line.slice();
  }

  /** GNSSData, made on first read; undefined for sentences without fix, time or satellites in view. */
  get gnss(): GnssRowData | undefined {
    this.row ??= gnssOf(this.name, this.data, this.line);
    return this.row;
  }
}

/** Reads one line: a sentence, with or without tag block and line break. Never throws. For logs: `readGnssRows`. */
export function parseNmeaSentence(
  line: string | Uint8Array,
  options: ParseOptions = {},
): NmeaSentence | RefusedSentence {
  const parsed = parseSentence(line, options);
  return parsed.valid ? new NmeaSentence(parsed, line) : parsed;
}

/** What one sentence alone says about a fix. */
export interface GnssSentence extends Pick<NmeaSentence, 'name' | 'talker'> {
  readonly valid: boolean;
  readonly data: GnssRowData;
  readonly flags: number;
}

/** @deprecated `parseNmeaSentence(line).gnss` is the same; this name goes with the next version. */
export function parseGnssSentence(
  line: string | Uint8Array,
  options: ParseOptions = {},
): GnssSentence | RefusedSentence {
  const parsed = parseNmeaSentence(line, options);
  if (!parsed.valid) return parsed;
  const { name, talker, gnss } = parsed;
  if (!gnss) return { valid: false, reason: `sentence ${name} says nothing about a fix` };
  return { valid: isValidGnss(gnss), name, talker, data: gnss, flags: gnss.flags };
}

function gnssOf(
  name: string,
  data: Readonly<Record<string, Value>>,
  line: string | Uint8Array,
): GnssRowData | undefined {
  const readings = READINGS[name];
  if (!readings && name !== 'GSV' && name !== 'ZDA') return undefined;
  const told = new Map<FixField, number>();
  for (const { told: what, fields, value } of readings ?? []) {
    told.set(what, value(...fields.map((field) => numberOf(field, data[field]))));
  }
  // all satellites of its talker, not only those of this part
  if (name === 'GSV') told.set('satellites_visible', numberOf('satellites', data.satellites));
  const value = (what: FixField): number => told.get(what) ?? Number.NaN;
  const hints = {
    quality: value('quality'),
    mode: value('mode'),
    status: value('status'),
    dimensions: value('dimensions'),
    hasAltitude: !Number.isNaN(value('altitude_msl')),
  };
  told.set('fix_type', fixType(hints));
  for (const [what, found] of projected(value)) told.set(what, found);
  const fields = GNSS_FIELDS.map((field) => [field, Number.isNaN(value(field)) ? null : value(field)]);
  const utc = utcOf(data);
  const gps = utc === null ? undefined : utcToGps(utc);
  const text = bareSentence((typeof line === 'string' ? line : textOf(line, 0, line.length)).trim());
  return {
    ...(Object.fromEntries(fields) as Record<GnssField, number | null>),
    flags: flagsOf(value, isFixed(hints)),
    gps_week: gps?.week ?? null,
    tow_ms: gps ? Math.round(gps.seconds * 1000) : null,
    unix_time_us: utc,
    nmea_sentence: text,
    nmea_length: text.length,
  };
}

/** Microseconds since 1970, if the sentence has date and time. */
function utcOf({ date, time }: Readonly<Record<string, Value>>): number | null {
  const midnight = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return typeof time === 'number' && !Number.isNaN(midnight) ? midnight * 1000 + Math.round(time * 1e6) : null;
}

function numberOf(field: string, value: Value | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? codeOf(field, new TextEncoder().encode(value)) : Number.NaN;
}
