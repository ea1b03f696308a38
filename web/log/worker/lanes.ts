import { type Enumeration, type Field, fixText, type ModeInterval, type Series } from '../../../src/entry/pages.ts';
import { shortName } from '../../shared/format.ts';

/** A state over time: the stretches in which a value held, in the order of time. */
interface Lane {
  readonly name: string;
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** Which of the texts each stretch has. */
  readonly code: Uint16Array;
  readonly texts: readonly string[];
}

/** What a field says in names. */
export interface States {
  /** Whether each lane is one bit of it. */
  readonly isBits: boolean;
  readonly lanes: readonly Lane[];
  /** Bits that were set all the time: a lane for each would only say that. */
  readonly always: readonly string[];
}

/** How numbers of a field are said. */
export type Naming =
  | { readonly kind: 'values'; of(value: number, time: number): string }
  | { readonly kind: 'bits'; readonly names: readonly (readonly [bit: number, name: string])[] };

/** Stretches of one lane: of more, those that are too short to be seen are one. */
const MOST = 5000;
const MANY = 'changes quickly';
const SET = 'set';
const MORE_TEXTS = 1000;

const bits = (names: string): Naming => ({
  kind: 'bits',
  names: names.split(' ').map((name, i) => [2 ** i, name.replaceAll('_', ' ')]),
});
const words = (...names: string[]): Naming => ({ kind: 'values', of: (value) => names[value] ?? String(value) });

/** Fields of DataFlash logs, which have no names for numbers. https://ardupilot.org/copter/docs/logmessages.html */
const KNOWN: readonly (readonly [table: RegExp, field: RegExp, naming: Naming])[] = [
  [/^GPS2?$/, /^Status$/, { kind: 'values', of: fixText }],
  [/^ARM$/, /^ArmState$/, words('disarmed', 'armed')],
  [/^(NKF4|XKF4)$/, /^TS$/, bits('position velocity height magnetometer airspeed drag')],
  [
    /^(NKF4|XKF4)$/,
    /^SS$/,
    bits(
      'attitude horizontal_velocity vertical_velocity relative_position absolute_position vertical_position ' +
        'terrain_height constant_position_mode predicted_relative_position predicted_absolute_position take-off ' +
        'take-off_expected touchdown_expected uses_GPS GPS_glitch GPS_good initialised rejects_airspeed dead_reckoning',
    ),
  ],
];

const MODES = /^(MODE\.Mode(Num)?|HEARTBEAT\.custom_mode)$/;
/** Records that come when something changes: a value holds until the next, however late that is. */
const ON_CHANGE = /^(MODE|ARM)$/;

/** How a field is said in names; undefined for a number. */
export function namingOf(
  table: string,
  field: Field,
  series: Series,
  modes: readonly ModeInterval[],
): Naming | undefined {
  if (MODES.test(`${table}.${field.name}`) && modes.length > 0)
    return { kind: 'values', of: (value, time) => modeAt(modes, time) ?? `mode ${value}` };
  const known = KNOWN.find(([name, own]) => name.test(table) && own.test(field.name));
  if (known) return known[2];
  if (field.enumeration) return named(field.enumeration);
  return isSwitch(series) ? words('off', 'on') : undefined;
}

function modeAt(modes: readonly ModeInterval[], time: number): string | undefined {
  return modes.findLast(({ start }) => start <= time)?.mode;
}

function named({ name: prefix, bitmask, names }: Enumeration): Naming {
  if (!bitmask) {
    const shorts = new Map([...names].map(([value, name]) => [value, wordsOf(name, prefix)]));
    return { kind: 'values', of: (value) => shorts.get(value) ?? String(value) };
  }
  const single = [...names].filter(([value]) => value > 0 && Number.isInteger(Math.log2(value)));
  return { kind: 'bits', names: single.map(([value, name]) => [value, wordsOf(name, prefix)]) };
}

function wordsOf(name: string, prefix: string): string {
  return shortName(name, prefix).replaceAll('_', ' ').toLowerCase();
}

/** Whether a whole number is only ever 0 or 1, and goes back to 0: what counts does not. */
function isSwitch({ values, isHeld }: Series): boolean {
  if (!isHeld) return false;
  let falls = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value !== 0 && value !== 1 && !Number.isNaN(value)) return false;
    if (row > 0 && value < values[row - 1]) falls++;
  }
  return falls > 0;
}

/** The states of a field. What comes on change lasts to the end of the log. */
export function statesOf(table: string, name: string, series: Series, naming: Naming, end: number): States {
  const isRare = ON_CHANGE.test(table);
  if (naming.kind === 'values') {
    const lane = laneOf(name, series, isRare, end, (value, time) => naming.of(value, time));
    return { isBits: false, lanes: [lane], always: [] };
  }
  const always: string[] = [];
  const lanes = naming.names.flatMap(([bit, text]) => {
    const isSet = (value: number): boolean => Math.floor(value / bit) % 2 === 1;
    let [some, all] = [false, true];
    for (const value of series.values) {
      if (Number.isNaN(value)) continue;
      if (isSet(value)) some = true;
      else all = false;
    }
    if (some && all) always.push(text);
    return some && !all ? [laneOf(text, series, isRare, end, (value) => (isSet(value) ? SET : ''))] : [];
  });
  return { isBits: true, lanes, always };
}

function laneOf(
  name: string,
  { times, values, gap }: Series,
  isRare: boolean,
  end: number,
  textOf: (value: number, time: number) => string,
): Lane {
  const runs: Run[] = [];
  let run: Run | undefined;
  let [before, beforeTime] = ['', Number.NaN];
  for (let row = 0; row < times.length; row++) {
    const [value, time] = [values[row], times[row]];
    const isGap = !isRare && times.length > 2 && time - beforeTime > gap;
    const text = Number.isNaN(value) ? '' : textOf(value, time);
    if (run) run.to = isGap ? beforeTime : time;
    if (text !== before || isGap) {
      run = text === '' ? undefined : { from: time, to: time, text };
      if (run) runs.push(run);
    }
    [before, beforeTime] = [text, time];
  }
  if (run && isRare) run.to = end;
  const shown = runs.length > MOST ? joined(runs, (runs[runs.length - 1].to - runs[0].from) / MOST) : runs;
  const texts = [...new Set(shown.map(({ text }) => text))].slice(0, MORE_TEXTS);
  return {
    ...{ name, texts },
    from: Float64Array.from(shown, (each) => each.from),
    to: Float64Array.from(shown, (each) => each.to),
    code: Uint16Array.from(shown, ({ text }) => Math.max(0, texts.indexOf(text))),
  };
}

interface Run {
  readonly from: number;
  to: number;
  text: string;
}

/** Neighbours that are all too short to be seen in a long list are one. */
function joined(runs: readonly Run[], least: number): Run[] {
  const kept: Run[] = [];
  for (const run of runs) {
    const last = kept.at(-1);
    const isShort = run.to - run.from < least;
    if (last && isShort && run.from - last.to < least && (last.text === MANY || last.to - last.from < least)) {
      last.to = run.to;
      last.text = MANY;
    } else kept.push({ ...run });
  }
  return kept;
}
