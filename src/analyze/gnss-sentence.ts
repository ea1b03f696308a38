import type { Value } from '../core/column.ts';
import { type ParseOptions, parseNmeaSentence, type RefusedSentence } from '../formats/nmea/parse.ts';
import { codeOf } from './gnss-epochs.ts';
import { fixType, flagsOf, GNSS_FLAGS, projected } from './gnss-fix.ts';
import { GNSS_FIELDS, type GnssField, READINGS, type Told } from './gnss-reading.ts';

/** What one sentence alone tells of a fix. */
export interface GnssSentence {
  /** Whether it tells a position, a velocity or a heading that the receiver calls valid. */
  readonly valid: boolean;
  /** GGA; for the sentences of makers their whole address. */
  readonly name: string;
  readonly talker: string;
  /** Fields of GNSSData; null is what the sentence does not tell. */
  readonly data: Readonly<Record<GnssField, number | null>>;
  /** Bits of GNSS_FLAGS. */
  readonly flags: number;
}

const WORTH = GNSS_FLAGS.POSITION_VALID | GNSS_FLAGS.VELOCITY_VALID | GNSS_FLAGS.HEADING_VALID;

/**
 * Reads one line as GNSSData, or says why not. A log has more to say of each fix, since its sentences tell a part each:
 * `readGnssData` puts them together.
 */
export function parseGnssSentence(
  line: string | Uint8Array,
  options: ParseOptions = {},
): GnssSentence | RefusedSentence {
  const parsed = parseNmeaSentence(line, options);
  if (!parsed.valid) return parsed;
  const told = new Map<Told, number>();
  for (const { told: what, fields, value } of READINGS[parsed.name] ?? []) {
    told.set(what, value(...fields.map((field) => numberOf(field, parsed.data[field]))));
  }
  const value = (what: Told): number => told.get(what) ?? Number.NaN;
  told.set(
    'fix_type',
    fixType({
      quality: value('quality'),
      mode: value('mode'),
      status: value('status'),
      dimensions: value('dimensions'),
      hasAltitude: !Number.isNaN(value('altitude_msl')),
    }),
  );
  for (const [what, found] of projected(value)) told.set(what, found);
  const flags = flagsOf(value);
  const data = Object.fromEntries(
    GNSS_FIELDS.map((field) => [field, Number.isNaN(value(field)) ? null : value(field)]),
  );
  return {
    valid: (flags & WORTH) !== 0,
    name: parsed.name,
    talker: parsed.talker,
    data: data as Record<GnssField, number | null>,
    flags,
  };
}

function numberOf(field: string, value: Value | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? codeOf(field, new TextEncoder().encode(value)) : Number.NaN;
}
