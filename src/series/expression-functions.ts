import type { BinaryOperator } from './expression-tree.ts';
import { delay, deriv, diff, elapsed, highpass, integral, lowpass, movavg, unwrap } from './filters.ts';
import { Series } from './series.ts';
import {
  count,
  deviation,
  first,
  last,
  least,
  mean,
  median,
  most,
  percentile,
  type Reduction,
  rms,
  sum,
} from './statistics.ts';

/** A function of expressions. What it does depends on what it is given: values one by one, or all of them at once. */
export interface ExpressionFunction {
  /** The least and the greatest number of its arguments. */
  readonly arity: readonly [number, number];
  /** How it is written, and what it gives, in a few words. */
  readonly usage: string;
  readonly help: string;
  /** From the values of one time. */
  readonly each?: ((...values: number[]) => number) | undefined;
  /** Whether its values are held between their times, whatever it was given. */
  readonly isStep?: boolean | undefined;
  /** Which argument gives the times of the result: the first one that has times in this order. */
  readonly order?: readonly number[] | undefined;
  /** From a whole series, and a number: `number` is what it is if it is not given, NaN where it must be. */
  readonly series?: ((series: Series, parameter: number) => Series) | undefined;
  readonly summary?: Reduction | undefined;
  readonly parameter?: { readonly number: number; readonly isPositive: boolean } | undefined;
}

const TURN = 360;

/** The remainder that has the sign of the divisor: -10 % 360 is 350. */
function remainder(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

/** In [-180, 180), and what is there already keeps every digit. */
function wrap180(angle: number): number {
  const rest = angle % TURN;
  if (rest >= TURN / 2) return rest - TURN;
  return rest < -TURN / 2 ? rest + TURN : rest;
}

/** In [0, 360): an angle a hair below 0 would be rounded up to 360 itself. */
function wrap360(angle: number): number {
  const wrapped = remainder(angle, TURN);
  return wrapped === TURN ? 0 : wrapped;
}

const isMissing = Number.isNaN;
const truth = (value: boolean): number => (value ? 1 : 0);

/** Half a unit goes away from zero, as in C and in spreadsheets. */
const round = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

/** A comparison with what is missing is missing. */
function compared(of: (a: number, b: number) => boolean): (a: number, b: number) => number {
  return (a, b) => (isMissing(a) || isMissing(b) ? Number.NaN : truth(of(a, b)));
}

/** The operators between two values. What is certain although one is missing is certain: 0 and anything is 0. */
export const OPERATORS: ReadonlyMap<BinaryOperator, (a: number, b: number) => number> = new Map([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['%', remainder],
  ['^', (a, b) => a ** b],
  ['==', compared((a, b) => a === b)],
  ['!=', compared((a, b) => a !== b)],
  ['<', compared((a, b) => a < b)],
  ['<=', compared((a, b) => a <= b)],
  ['>', compared((a, b) => a > b)],
  ['>=', compared((a, b) => a >= b)],
  ['and', (a, b) => (a === 0 || b === 0 ? 0 : isMissing(a) || isMissing(b) ? Number.NaN : 1)],
  ['or', (a, b) => (isTrue(a) || isTrue(b) ? 1 : isMissing(a) || isMissing(b) ? Number.NaN : 0)],
]);

/** Operators whose result is yes or no, and so is held. */
export const STEP_OPERATORS: ReadonlySet<BinaryOperator> = new Set(['==', '!=', '<', '<=', '>', '>=', 'and', 'or']);

function isTrue(value: number): boolean {
  return value !== 0 && !isMissing(value);
}

export function not(value: number): number {
  return isMissing(value) ? value : truth(value === 0);
}

export const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['true', 1],
  ['false', 0],
  ['missing', Number.NaN],
]);

const ANY = Number.POSITIVE_INFINITY;

function each(usage: string, help: string, of: (value: number) => number): ExpressionFunction {
  return { arity: [1, 1], usage, help, each: of };
}

function pair(usage: string, help: string, of: (a: number, b: number) => number): ExpressionFunction {
  return { arity: [2, 2], usage, help, each: of };
}

function whole(usage: string, help: string, series: (series: Series) => Series): ExpressionFunction {
  return { arity: [1, 1], usage, help, series };
}

function filter(
  usage: string,
  help: string,
  series: (series: Series, parameter: number) => Series,
  isPositive = true,
): ExpressionFunction {
  return { arity: [2, 2], usage, help, series, parameter: { number: Number.NaN, isPositive } };
}

function summary(usage: string, help: string, of: Reduction): ExpressionFunction {
  return { arity: [1, 1], usage, help, summary: of };
}

const RADIAN = Math.PI / 180;

/** Every function by its name. */
export const FUNCTIONS: ReadonlyMap<string, ExpressionFunction> = new Map(
  Object.entries<ExpressionFunction>({
    sqrt: each('sqrt(x)', 'square root', Math.sqrt),
    abs: each('abs(x)', 'without its sign', Math.abs),
    sign: each('sign(x)', '-1, 0 or 1', Math.sign),
    floor: each('floor(x)', 'down to a whole number', Math.floor),
    ceil: each('ceil(x)', 'up to a whole number', Math.ceil),
    round: each('round(x)', 'to the nearest whole number', round),
    exp: each('exp(x)', 'e to the power of x', Math.exp),
    log: each('log(x)', 'natural logarithm', Math.log),
    log10: each('log10(x)', 'logarithm to base 10', Math.log10),
    sin: each('sin(x)', 'sine of radians', Math.sin),
    cos: each('cos(x)', 'cosine of radians', Math.cos),
    tan: each('tan(x)', 'tangent of radians', Math.tan),
    asin: each('asin(x)', 'radians of a sine', Math.asin),
    acos: each('acos(x)', 'radians of a cosine', Math.acos),
    atan: each('atan(x)', 'radians of a tangent', Math.atan),
    atan2: pair('atan2(y, x)', 'radians of a direction', Math.atan2),
    hypot: { arity: [1, ANY], usage: 'hypot(x, y, ...)', help: 'length of a vector', each: Math.hypot },
    deg: each('deg(x)', 'radians to degrees', (x) => x / RADIAN),
    rad: each('rad(x)', 'degrees to radians', (x) => x * RADIAN),
    wrap180: each('wrap180(x)', 'degrees from -180 to below 180', wrap180),
    wrap360: each('wrap360(x)', 'degrees from 0 to below 360', wrap360),
    min: {
      ...summary('min(x, ...)', 'the least of several, or of all its values', least),
      arity: [1, ANY],
      each: Math.min,
    },
    max: {
      ...summary('max(x, ...)', 'the greatest of several, or of all its values', most),
      arity: [1, ANY],
      each: Math.max,
    },
    clamp: {
      arity: [3, 3],
      usage: 'clamp(x, low, high)',
      help: 'no less than low, no more than high',
      each: (x, low, high) => Math.min(Math.max(x, low), high),
    },
    where: {
      arity: [3, 3],
      usage: 'where(condition, a, b)',
      help: 'a where the condition holds, else b',
      each: (condition, a, b) => (isMissing(condition) ? condition : condition === 0 ? b : a),
      order: [1, 2, 0],
    },
    ismissing: { ...each('ismissing(x)', '1 where there is no value', (x) => truth(isMissing(x))), isStep: true },
    deriv: whole('deriv(x)', 'slope a second', deriv),
    integral: whole('integral(x)', 'sum over time in seconds', integral),
    lowpass: filter('lowpass(x, hertz)', 'low pass of the first order', lowpass),
    highpass: filter('highpass(x, hertz)', 'x without its low pass', highpass),
    movavg: filter('movavg(x, seconds)', 'mean of the seconds around', movavg),
    delay: filter('delay(x, seconds)', 'the same later', delay, false),
    unwrap: {
      ...filter('unwrap(x, turn)', 'an angle without jumps; a turn is 360', unwrap),
      arity: [1, 2],
      parameter: { number: TURN, isPositive: true },
    },
    diff: whole('diff(x)', 'how much more than the value before', diff),
    time: whole('time(x)', 'seconds since its first sample', elapsed),
    hold: whole('hold(x)', 'holds each value until the next', ({ times, values }) => new Series(times, values, true)),
    linear: whole('linear(x)', 'lines between the values', ({ times, values }) => new Series(times, values)),
    mean: summary('mean(x)', 'mean of all values', mean),
    median: summary('median(x)', 'median of all values', median),
    std: summary('std(x)', 'standard deviation of all values', deviation),
    rms: summary('rms(x)', 'root of the mean square of all values', rms),
    sum: summary('sum(x)', 'sum of all values', sum),
    count: summary('count(x)', 'number of values', count),
    first: summary('first(x)', 'first value', first),
    last: summary('last(x)', 'last value', last),
    percentile: {
      ...summary('percentile(x, percent)', 'value below which this percentage is', percentile),
      arity: [2, 2],
      parameter: { number: Number.NaN, isPositive: false },
    },
  }),
);
