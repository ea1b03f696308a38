import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isNumeric } from '../core/schema.ts';
import { openLog } from '../entry/index.ts';
import { evaluateExpression, readExpression } from './expression.ts';
import { FUNCTIONS } from './expression-functions.ts';
import { parseExpression } from './expression-parser.ts';
import { ExpressionError } from './expression-tree.ts';
import { writeName, writeTable } from './field-reference.ts';
import { EXPRESSION_LIMITS } from './limits.ts';
import { Series } from './series.ts';

const seconds = (...times: number[]): Float64Array => Float64Array.from(times, (time) => time * 1e6);

function series(times: Float64Array, values: number[], isHeld = false): Series {
  return new Series(times, Float64Array.from(values), isHeld);
}

/** The value of an expression over a.x, which is 3 once. */
function result(text: string, x = 3): number {
  const expression = parseExpression(text.includes('.x') ? text : `(${text}) + 0 * a.x`);
  return evaluateExpression(expression, [series(seconds(0), [x])]).values[0];
}

function run(text: string, ...given: Series[]): number[] {
  return [...evaluateExpression(parseExpression(text), given).values];
}

function errorOf(act: () => unknown): ExpressionError {
  try {
    act();
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error('nothing was wrong');
}

const NAN = Number.NaN;

describe('arithmetic', () => {
  test.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['8 - 4 - 2', 2],
    ['8 / 4 / 2', 1],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['2 ^ -1', 0.5],
    ['- - 2', 2],
    ['1.5e3 + .5', 1500.5],
    ['-10 % 360', 350],
    ['10 % -360', -350],
    ['1 < 2 and 2 < 3', 1],
    ['1 > 2 or not 0', 1],
    ['!(1 == 1) || 1 != 1', 0],
    ['not 1 == 2', 1],
    ['1 <= 1 && 2 >= 3', 0],
    ['a.x * a.x', 9],
    ['sqrt(16) + abs(-2) + min(3, 1, 2) + max(4, 5)', 12],
    ['atan2(1, 1) * 4 - pi', 0],
    ['deg(pi)', 180],
    ['rad(180) == pi', 1],
    ['wrap180(190)', -170],
    ['wrap180(-180)', -180],
    ['wrap180(180)', -180],
    ['wrap180(0.1)', 0.1],
    ['wrap360(-1e-20)', 0],
    ['wrap360(-10)', 350],
    ['round(-2.5)', -3],
    ['round(2.5)', 3],
    ['floor(-0.5) + ceil(0.5)', 0],
    ['where(1, 2, 3)', 2],
    ['where(0, 2, 3)', 3],
    ['clamp(5, 0, 1)', 1],
    ['hypot(3, 4)', 5],
    ['hypot(1, 2, 2, 4)', 5],
    ['log(exp(2))', 2],
  ])('%s is %d', (text, value) => {
    expect(result(text)).toBe(value);
  });

  test('what is missing stays so, unless the rest is certain', () => {
    expect(result('a.x + 1', NAN)).toBeNaN();
    expect(result('a.x > 1', NAN)).toBeNaN();
    expect(result('not a.x', NAN)).toBeNaN();
    expect(result('where(a.x, 1, 2)', NAN)).toBeNaN();
    expect(result('a.x and 0', NAN)).toBe(0);
    expect(result('a.x and 1', NAN)).toBeNaN();
    expect(result('a.x or 1', NAN)).toBe(1);
    expect(result('ismissing(a.x)', NAN)).toBe(1);
  });
});

describe('fields of different rates', () => {
  const slow = series(seconds(0, 1, 2), [0, 10, 20]);
  const fast = series(seconds(0.5, 1, 1.25, 2.5), [1, 2, 3, 4]);

  test('stand at the times of the first one', () => {
    expect(run('f.x + s.x', fast, slow)).toEqual([6, 12, 15.5, NAN]);
    expect(run('s.x + f.x', slow, fast)).toEqual([NAN, 12, expect.closeTo(20 + 3 + 0.75 / 1.25, 12)]);
    expect(evaluateExpression(parseExpression('1 + s.x + f.x'), [slow, fast]).times).toBe(slow.times);
  });

  test('held ones keep their value', () => {
    const mode = series(seconds(0.75, 1.1), [5, 6], true);
    expect(run('f.x * 0 + m.x', fast, mode)).toEqual([NAN, 5, 6, 6]);
    expect(run('f.x * 0 + (m.x == 6)', fast, mode)).toEqual([NAN, 0, 1, 1]);
    expect(run('where(m.x == 5, f.x, -1)', mode, fast)).toEqual([NAN, 2, -1, -1]);
    expect(run('f.x * 0 + linear(m.x)', fast, mode)[1]).toBeCloseTo(5 + 0.25 / 0.35, 12);
  });

  test('nothing is made up in a gap or beside a missing value', () => {
    const times = seconds(0, 1, 2, 3, 4, 8, 9);
    expect(run('g.x', series(times, [0, 1, 2, 3, 4, 8, 9]))).toHaveLength(7);
    const at = series(seconds(0.5, 5, 8.5), [0, 0, 0]);
    expect(run('t.x + g.x', at, series(times, [0, 1, 2, 3, 4, 8, 9]))).toEqual([0.5, NAN, 8.5]);
    expect(run('t.x + g.x', at, series(times, [0, NAN, 2, 3, 4, 8, 9]))).toEqual([NAN, NAN, 8.5]);
  });

  test('times without order or value do no harm', () => {
    const odd = series(seconds(3, NAN, 1, 2), [30, 99, 10, 20]);
    const also = new Series(odd.times, Float64Array.of(3, 9, 1, 2), odd.isHeld);
    const result = evaluateExpression(parseExpression('o.x + o.y'), [odd, also]);
    expect([...result.times]).toEqual([...seconds(1, 2, 3)]);
    expect([...result.values]).toEqual([11, 22, 33]);
  });

  test('a number of a field stands at all its times', () => {
    expect(run('mean(s.x)', slow)).toEqual([10, 10, 10]);
    expect(run('s.x - mean(s.x)', slow)).toEqual([-10, 0, 10]);
    expect(run('max(s.x) - min(s.x) + first(s.x) + last(s.x) + count(s.x) + median(s.x)', slow)[0]).toBe(53);
    expect(run('percentile(s.x, 25)', slow)[0]).toBe(5);
    expect(run('std(s.x) ^ 2', slow)[0]).toBeCloseTo(200 / 3, 12);
    expect(run('mean(s.x)', series(seconds(0), [NAN]))).toEqual([NAN]);
  });
});

describe('functions of time', () => {
  const uneven = Float64Array.from({ length: 50 }, (_, i) => (i * 0.1 + 0.03 * Math.sin(i)) * 1e6);
  const over = (of: (t: number) => number): Series =>
    new Series(
      uneven,
      uneven.map((t) => of(t / 1e6)),
    );

  test('deriv is exact for a parabola', () => {
    const slopes = run(
      'deriv(a.x)',
      over((t) => 3 * t * t - t),
    );
    for (let i = 1; i < 49; i++) expect(slopes[i]).toBeCloseTo((6 * uneven[i]) / 1e6 - 1, 9);
  });

  test('deriv passes over equal times, gaps and missing values', () => {
    expect(run('deriv(a.x)', series(seconds(0, 1, 1, 2, 9), [0, 1, 5, 6, 9]))).toEqual([1, 1, 1, 1, NAN]);
    expect(run('deriv(a.x)', series(seconds(0, 1, 2, 3), [0, NAN, 2, 5]))).toEqual([NAN, NAN, 3, 3]);
    expect(run('deriv(a.x)', series(seconds(0), [7]))).toEqual([NAN]);
  });

  test('integral sums trapezoids, or steps where values are held', () => {
    expect(run('integral(a.x)', series(seconds(0, 1, 3), [0, 2, 4]))).toEqual([0, 1, 7]);
    expect(run('integral(a.x)', series(seconds(0, 1, 3), [1, 2, 4], true))).toEqual([0, 1, 5]);
    expect(run('integral(a.x)', series(seconds(0, 1, 2), [1, NAN, 1]))).toEqual([0, NAN, 2]);
  });

  test('lowpass answers a step as 1 - exp(-2 pi f t), whatever the steps of time', () => {
    const times = seconds(0, 0.01, 0.05, 0.06, 0.2, 0.5);
    const smooth = run('lowpass(a.x, 2)', series(times, [0, 1, 1, 1, 1, 1]));
    for (let i = 1; i < times.length; i++) {
      expect(smooth[i]).toBeCloseTo(1 - Math.exp((-2 * Math.PI * 2 * times[i]) / 1e6), 12);
    }
    expect(run('highpass(a.x, 2) + lowpass(a.x, 2)', series(times, [0, 1, 1, 1, 1, 1]))[3]).toBeCloseTo(1, 15);
  });

  test('lowpass forgets an infinite value', () => {
    expect(run('lowpass(a.x, 1)', series(seconds(0, 1, 2), [1, Number.POSITIVE_INFINITY, 1]))).toEqual([1, NAN, 1]);
  });

  test('delay moves by its seconds', () => {
    const ramp = series(seconds(0, 1, 2, 3), [0, 1, 2, 3]);
    expect(run('a.x - delay(a.x, 0.5)', ramp)).toEqual([NAN, 0.5, 0.5, 0.5]);
    expect(run('a.x - delay(a.x, -1)', ramp)).toEqual([-1, -1, -1, NAN]);
  });

  test('unwrap takes out the jumps', () => {
    expect(run('unwrap(a.x)', series(seconds(0, 1, 2, 3), [350, 10, 350, 170]))).toEqual([350, 370, 350, 170]);
    expect(run('unwrap(a.x, 2)', series(seconds(0, 1, 2), [0, 1.8, 0]))).toEqual([0, expect.closeTo(-0.2, 12), 0]);
  });

  test('diff and time', () => {
    expect(run('diff(a.x)', series(seconds(0, 1, 2), [1, 4, 9]))).toEqual([NAN, 3, 5]);
    expect(run('time(a.x)', series(seconds(5, 6, 8), [1, 4, 9]))).toEqual([0, 1, 3]);
  });

  test('movavg is the mean of its window, and a huge value leaves nothing behind', () => {
    const many = { minLength: 1, maxLength: 60 };
    const sample = fc.tuple(
      fc.integer({ min: 0, max: 5 }),
      fc.oneof(fc.constant(NAN), fc.integer({ min: -99, max: 99 })),
    );
    fc.assert(
      fc.property(fc.array(sample, many), fc.integer({ min: 1, max: 12 }), (steps, window) => {
        let time = 0;
        const times = Float64Array.from(steps, ([step]) => {
          time += step;
          return time * 1e6;
        });
        const values = steps.map(([, value]) => value);
        const expected = values.map((value, i) => {
          const near = values.filter(
            (each, k) => !Number.isNaN(each) && Math.abs(times[k] - times[i]) <= (window * 1e6) / 2,
          );
          return Number.isNaN(value) ? NAN : near.reduce((sum, each) => sum + each, 0) / near.length;
        });
        expect(run(`movavg(a.x, ${window})`, series(times, values))).toEqual(expected);
      }),
    );
    expect(run('movavg(a.x, 1)', series(seconds(0, 1, 2, 3), [1e300, 1, 2, 3]))).toEqual([1e300, 1, 2, 3]);
  });
});

describe('what is wrong is said with its place', () => {
  test.each([
    ['', 0, 'an expression is empty at 0'],
    ['1 +', 3, 'expected a number, a field or a function, found the end at 3'],
    ['(a.x', 4, 'expected ) for the one opened at 0, found the end at 4'],
    ['a.x = 1', 4, 'expected an operator, found = at 4: did you mean ==?'],
    ['a.x ** 2', 4, 'expected an operator, found ** at 4: did you mean ^?'],
    ['lowpas(a.x, 1)', 0, 'no function lowpas at 0: did you mean lowpass?'],
    ['lowpass(a.x)', 0, 'lowpass takes 2 arguments, not 1 at 0'],
    ['sqrt', 0, 'function sqrt without its arguments at 0'],
    ['Roll + 1', 0, 'Roll is not a number and has no field (as TABLE.field) at 0'],
    ['1 < a.x < 3', 8, '< after another comparison: join them with and at 8'],
    ['a.x # 1', 4, '# means nothing here at 4'],
    ['a[0', 3, 'expected ] in a field (as TABLE[stream].field) at 3'],
    ['a[0] + 1', 4, 'expected . in a field (as TABLE[stream].field) at 4'],
    ['a. + 1', 2, 'expected a field of a at 2'],
    ['"a', 2, 'expected " in a field (as TABLE[stream].field) at 2'],
    ['1 2', 2, 'expected an operator, found 2 at 2'],
  ])('%j', (text, position, message) => {
    expect(errorOf(() => parseExpression(text))).toMatchObject({ position, message });
  });

  test.each([
    ['1 + 2', 'an expression without a field has no times at 0'],
    ['lowpass(a.x, a.x)', 'lowpass(x, hertz) needs a number there, not a field at 13'],
    ['lowpass(a.x, 0)', 'lowpass(x, hertz) needs a number above 0, not 0 at 13'],
    ['movavg(a.x, 1 / 0)', 'movavg(x, seconds) needs a number above 0, not Infinity at 12'],
    ['a.x + deriv(2)', 'deriv needs a field, not a number at 12'],
  ])('%j when it is evaluated', (text, message) => {
    expect(errorOf(() => run(text, series(seconds(0), [1]))).message).toBe(message);
  });

  test('too long, too deep, too many fields', () => {
    const { characters, depth, fields } = EXPRESSION_LIMITS;
    expect(errorOf(() => parseExpression('1'.repeat(characters + 1))).position).toBe(characters);
    for (const open of ['(', '-', '!', 'sin(', '2^']) {
      expect(errorOf(() => parseExpression(open.repeat(depth + 1))).message).toContain(`more than ${depth} levels`);
    }
    const sum = (count: number): string => Array.from({ length: count }, (_, i) => `a.f${i}`).join('+');
    expect(parseExpression(sum(fields)).fields).toHaveLength(fields);
    expect(errorOf(() => parseExpression(sum(fields + 1))).message).toContain(`more than ${fields} fields`);
    expect(result(`${'1+'.repeat(900)}1`)).toBe(901);
  });

  const piece = fc.constantFrom(
    ...'()[]",.+-*/^%<>=!&| \n0 1 2 9e9 a.x a[0].x "a".x and or not pi'.split(' '),
    ' ',
    ...FUNCTIONS.keys(),
  );
  test('any text is read or is an ExpressionError within it', () => {
    const text = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (typed) => {
        try {
          const expression = parseExpression(typed);
          const given = expression.fields.map(() => series(seconds(0, 1, 2), [1, NAN, -1]));
          expect(evaluateExpression(expression, given).values).toHaveLength(3);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
          const { position: at, length } = error as ExpressionError;
          expect(at + length).toBeLessThanOrEqual(typed.length + 1);
        }
      }),
      { numRuns: 1500 },
    );
  });
});

const sample = (name: string): string => fileURLToPath(new URL(`../../sample/${name}`, import.meta.url));

test.each(['copter-square.BIN', 'copter-square.tlog', 'copter-square.pcap', 'copter-square.nmea'])(
  'any field of %s can be named, and gives its own values in the order of time',
  async (name) => {
    const log = await openLog(sample(name));
    let fields = 0;
    for (const table of log.tables) {
      const field = table.fields.findLast(({ type }) => isNumeric(type));
      if (!field || log.tablesNamed(table.name).filter(({ stream }) => stream === table.stream).length > 1) continue;
      const isArray = field.count > 1 || field.isList;
      const text = `${writeTable(table.name, table.stream)}.${writeName(field.name)}${isArray ? `[${field.count - 1}]` : ''}`;
      const { times, columns } = await table.timedColumns([field.name]);
      const values = columns[0].numbers();
      const rows = [...times.keys()]
        .filter((row) => !Number.isNaN(times[row]))
        .sort((a, b) => times[a] - times[b] || a - b);
      const found = await readExpression(log, text);
      expect([...found.times]).toEqual(rows.map((row) => times[row]));
      expect([...found.values]).toEqual(rows.map((row) => values[(row + 1) * field.count - 1]));
      fields++;
    }
    expect(fields).toBeGreaterThanOrEqual(3);
  },
);

test('over the sample flight: rates are joined on the times of the first field', async () => {
  const log = await openLog(sample('copter-square.BIN'));
  const plain = await readExpression(log, 'ATT.Roll');
  const attitude = log.table('ATT');
  expect([...plain.values]).toEqual([...((await attitude?.column('Roll'))?.numbers() ?? [])]);
  const length = await readExpression(log, 'sqrt(IMU[0].AccX^2 + IMU[0].AccY^2 + IMU[0].AccZ^2)');
  const same = await readExpression(log, 'hypot(IMU[0].AccX, IMU[0].AccY, IMU[0].AccZ)');
  expect(length.values.length).toBe(log.table('IMU', '0')?.rows);
  for (let i = 0; i < length.values.length; i += 97) expect(length.values[i]).toBeCloseTo(same.values[i], 9);
  const mixed = await readExpression(log, 'ATT.Roll * 0 + deriv(BARO[0].Alt)');
  expect(mixed.times).toHaveLength(plain.times.length);
  expect(mixed.values.filter((each) => Math.abs(each) > 0.2).length).toBeGreaterThan(10);
});
