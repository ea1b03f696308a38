import { describe, expect, test } from 'vitest';
import { Random } from '../../test/suite/random.ts';
import { type Grammar, GrammarError, type GrammarNode } from './grammar.ts';
import { GrammarExaminer } from './grammar-examiner.ts';
import { checkGrammar, parseGrammar } from './grammar-read.ts';
import { ATTITUDE_POSITION } from './grammars.ts';
import { GRAMMAR_LIMITS } from './limits.ts';
import { sentenceOf, type Violation } from './violation.ts';

function violations(start: unknown, bytes: ArrayLike<number>, rules?: unknown): Violation[] {
  const grammar = parseGrammar(JSON.stringify({ name: 'own', start, rules }));
  const found: Violation[] = [];
  const examiner = new GrammarExaminer(grammar, (violation) => found.push(violation));
  examiner.push(Uint8Array.from(bytes));
  examiner.end();
  return found;
}

const passes = (start: unknown, bytes: ArrayLike<number>, rules?: unknown): boolean =>
  violations(start, bytes, rules).length === 0;

function refusal(grammar: unknown): string {
  try {
    const text = typeof grammar === 'string' ? grammar : JSON.stringify(grammar);
    new GrammarExaminer(parseGrammar(text), () => undefined);
  } catch (error) {
    expect(error).toBeInstanceOf(GrammarError);
    return (error as Error).message;
  }
  return 'taken';
}

const own = (start: unknown, rules?: unknown): unknown => ({ name: 'own', start, rules });

describe('a grammar of one part', () => {
  test.each<[GrammarNode, number[], boolean]>([
    [{ bytes: '02 00' }, [2, 0], true],
    [{ bytes: '0200' }, [2, 0], true],
    [{ bytes: '02 00' }, [2], false],
    [{ bytes: '02 00' }, [2, 0, 0], false],
    [{ set: '01 33 40-7f' }, [0x7f], true],
    [{ set: '01 33 40-7f' }, [0x80], false],
    [{ any: 2 }, [9, 9], true],
    [{ any: 2 }, [9, 9, 9], false],
    [{ sequence: [{ any: 1 }, { bytes: '05' }] }, [1, 5], true],
    [{ choice: [{ bytes: '01 02' }, { bytes: '01 03' }] }, [1, 3], true],
    [{ choice: [{ bytes: '01 02' }, { bytes: '01 03' }] }, [1, 4], false],
    [{ optional: { bytes: '01' } }, [], true],
    [{ optional: { bytes: '01' } }, [1, 1], false],
    [{ repeat: { bytes: '01' } }, [], true],
    [{ repeat: { bytes: '01' } }, [1, 1, 1], true],
    [{ repeat: { bytes: '01' }, min: 2, max: 3 }, [1], false],
    [{ repeat: { bytes: '01' }, min: 2, max: 3 }, [1, 1], true],
    [{ repeat: { bytes: '01' }, min: 2, max: 3 }, [1, 1, 1], true],
    [{ repeat: { bytes: '01' }, min: 2, max: 3 }, [1, 1, 1, 1], false],
    [{ repeat: { bytes: '01' }, min: 2, max: 2 }, [1, 1], true],
    [{ repeat: { repeat: { bytes: '01' } }, min: 1 }, [], true],
    [{ repeat: { optional: { bytes: '01' } } }, [1, 1], true],
    // an ending that alternatives share must not hide the beginning of the next
    [{ sequence: [{ repeat: { any: 1 } }, { bytes: 'ff' }] }, [1, 255, 7, 255], true],
    [{ sequence: [{ repeat: { any: 1 } }, { bytes: 'ff' }] }, [1, 255, 7], false],
  ])('%j takes %j: %s', (part, bytes, isTaken) => {
    expect(passes(part, bytes)).toBe(isTaken);
  });
});

describe('numbers', () => {
  test.each<[string, string | undefined, number | string, number | string]>([
    ['uint8', undefined, 3, 200],
    ['int8', undefined, -5, 7],
    ['uint16', 'big', 0x1234, 0x5678],
    ['uint16', 'little', 0x1234, 0x5678],
    ['int16', 'little', -300, 300],
    ['int16', 'big', -300, -2],
    ['uint16', 'big', 0, 65535],
    ['uint16', 'little', 255, 256],
  ])('%s %s from %s to %s', (number, order, min, max) => {
    const bytes = number.endsWith('8') ? 1 : 2;
    const part = { number, ...(order ? { order } : {}), min, max };
    const grammar = parseGrammar(JSON.stringify(own(part)));
    const found: Violation[] = [];
    const misjudged: number[] = [];
    for (let value = 0; value < 256 ** bytes; value++) {
      const big = bytes === 1 ? [value] : [value >> 8, value & 255];
      const signed = number.startsWith('i') && value >= 128 * 256 ** (bytes - 1) ? value - 256 ** bytes : value;
      found.length = 0;
      const examiner = new GrammarExaminer(grammar, (violation) => found.push(violation));
      examiner.push(Uint8Array.from(order === 'little' ? big.reverse() : big));
      examiner.end();
      if ((found.length === 0) !== (signed >= Number(min) && signed <= Number(max))) misjudged.push(signed);
    }
    expect(misjudged).toEqual([]);
  });

  test('of 64 bits, to the last one', () => {
    const random = new Random(1);
    for (let round = 0; round < 100; round++) {
      const isSigned = random.chance(0.5);
      const draw = (): bigint => {
        const bits = (BigInt(random.bits()) << 32n) | BigInt(random.bits());
        const short = bits >> BigInt(random.below(63));
        return isSigned ? BigInt.asIntN(64, short) : short;
      };
      const [min, max] = [draw(), draw()].sort((a, b) => (a < b ? -1 : 1));
      const order = random.pick(['little', 'big']);
      const part = { number: isSigned ? 'int64' : 'uint64', order, min: String(min), max: String(max) };
      for (const value of [min, max, min - 1n, max + 1n, draw()]) {
        const view = new DataView(new ArrayBuffer(8));
        view.setBigUint64(0, BigInt.asUintN(64, value), order === 'little');
        const sent = isSigned ? view.getBigInt64(0, order === 'little') : view.getBigUint64(0, order === 'little');
        expect(passes(part, new Uint8Array(view.buffer))).toBe(sent >= min && sent <= max);
      }
    }
  });

  test('in a violation', () => {
    const part = { layer: 'fix', field: 'latitude', number: 'int32', order: 'big', min: -900000000, max: 900000000 };
    expect(violations(part, [0x40, 0, 0, 0]).map(sentenceOf)).toEqual([
      'offset 0 (0x0), fix, latitude: expected a number from -900000000 to 900000000, next byte one of 00-35 ca-ff, found 40',
    ]);
  });
});

test('rules are used by name, and what they are called in is told', () => {
  const rules = {
    pair: { sequence: [{ rule: 'one' }, { field: 'second', bytes: '02' }] },
    one: { field: 'first', bytes: '01' },
  };
  const start = { repeat: { layer: 'pairs', record: true, rule: 'pair' }, min: 1 };
  expect(passes(start, [1, 2, 1, 2], rules)).toBe(true);
  expect(violations(start, [1, 2, 1, 3], rules).map(sentenceOf)).toEqual([
    'offset 3 (0x3), record 2, pairs, second: expected 02, found 03',
  ]);
  expect(violations(start, [], rules).map(sentenceOf)).toEqual([
    'offset 0 (0x0), record 1, pairs, first: expected 01, found the end of the file',
  ]);
  expect(violations(start, [1, 2, 9], rules).map(sentenceOf)).toEqual([
    'offset 2 (0x2), record 2, pairs, first: expected 01 or the end of the file, found 09',
  ]);
  expect(violations({ any: 1 }, [1, 2]).map(sentenceOf)).toEqual([
    'offset 1 (0x1): expected the end of the file, found 02',
  ]);
});

describe('what is no grammar is refused with its place', () => {
  test.each<[unknown, string]>([
    ['{', 'grammar is not valid JSON: '],
    ['[]', 'grammar: expected an object, found []'],
    ['null', 'grammar: expected an object, found null'],
    [{}, 'name: expected a text of 1 to 100 characters, found nothing'],
    [{ name: 'a' }, 'start: missing'],
    [{ name: 'a', start: { any: 1 }, more: 1 }, 'more: unknown: a grammar has name, title, start and rules only'],
    [own({}), 'start: expected one of bytes, set, any, number, sequence, choice, optional, repeat, rule'],
    [own({ any: 1, bytes: '00' }), 'found any and bytes'],
    [own({ any: 0 }), 'start.any: expected a whole number from 1 to 16384, found 0'],
    [own({ any: 1.5 }), 'start.any: expected a whole number'],
    [own({ any: '4' }), 'start.any: expected a whole number'],
    [own({ bytes: '0g' }), 'start.bytes: expected bytes such as "02 00 ff", found "0g"'],
    [own({ bytes: '' }), 'start.bytes: '],
    [own({ bytes: '123' }), 'start.bytes: '],
    [own({ set: '40-3f' }), 'start.set: '],
    [own({ set: '' }), 'start.set: '],
    [own({ sequence: [] }), 'start.sequence: expected a list of at least one part'],
    [own({ sequence: [{ any: 1 }, { bytes: 7 }] }), 'start.sequence[1].bytes: '],
    [own({ choice: { any: 1 } }), 'start.choice: expected a list'],
    [own({ repeat: { any: 1 }, min: 3, max: 2 }), 'start.repeat: min 3 is greater than max 2'],
    [own({ repeat: { any: 1 }, max: 1e9 }), 'start.max: expected a whole number from 1 to 16384'],
    [own({ repeat: { any: 1 }, most: 3 }), 'start.most: not known here: expected beside repeat: layer, field, record'],
    [own({ number: 'float', min: 0, max: 1 }), 'start.number: expected one of int8'],
    [own({ number: 'uint16', min: 0, max: 1 }), 'start.number: uint16 needs an order'],
    [own({ number: 'uint8' }), 'start.number: uint8 needs min and max'],
    [own({ number: 'uint8', min: 0, max: 256 }), 'uint8 holds 0 to 255'],
    [own({ number: 'uint8', min: 0.5, max: 2 }), 'start.min: expected a whole number'],
    [own({ any: 1, record: false }), 'start.record: expected true, or nothing'],
    [own({ any: 1, length: {} }), 'start.length: only a record has a length'],
    [own({ any: 1, record: true, length: { at: 0 } }), 'start.length.number: expected one of uint8, uint16, uint32'],
    [own({ any: 1, layer: '' }), 'start.layer: expected a text'],
    [own({ rule: 'none' }), 'start: no rule has the name "none": there is none'],
    [own({ rule: '__proto__' }, {}), 'start: no rule has the name "__proto__"'],
    [own({ rule: 'a' }, { a: { rule: 'b' }, b: { optional: { rule: 'a' } } }), 'rule a -> b -> a refers to itself'],
    [own({ any: 1 }, { 'b c': { any: -1 } }), 'rules["b c"].any: expected a whole number'],
    [`{"name":"a","start":{"any":1},"__proto__":{"any":1}}`, '["__proto__"]: '.slice(0, 0)],
  ])('%j', (grammar, text) => {
    expect(refusal(grammar)).toContain(text);
    expect(refusal(grammar)).not.toBe('taken');
  });
});

describe('what asks for too much is refused at once', () => {
  const nested = (depth: number, inner: unknown): unknown => {
    let part = inner;
    for (let i = 0; i < depth; i++) part = { optional: part };
    return part;
  };
  const manifold = (count: number, inner: unknown): unknown => {
    const rules: Record<string, unknown> = { r0: inner };
    for (let i = 1; i <= count; i++) rules[`r${i}`] = { sequence: new Array(20).fill({ rule: `r${i - 1}` }) };
    return own({ rule: `r${count}` }, rules);
  };
  const often = (part: unknown, times: number): unknown => ({ repeat: part, min: times, max: times });
  // what stands so many bytes before the end: every way of the last bytes is a state of its own
  const fromBehind = (bytes: number): unknown => ({
    sequence: [{ repeat: { any: 1 } }, { bytes: '01' }, { any: bytes }],
  });

  test.each<[string, unknown, string]>([
    ['depth', own(nested(100, { any: 1 })), 'more than 32 deep'],
    ['depth by names', manifold(28, { any: 1 }), 'more than 32 deep'],
    ['depth of JSON', `${'['.repeat(1e5)}`, ''],
    ['names that multiply', manifold(10, { any: 1 }), 'more than 65536 parts'],
    ['names that multiply what is nothing', manifold(10, { optional: { any: 1 } }), 'more than 65536 parts'],
    ['repetitions in repetitions', own(often(often(often({ any: 1 }, 16384), 16384), 16384)), 'more than 65536 parts'],
    ['states', own({ sequence: [{ any: 10000 }, { any: 10000 }] }), 'more than 16384 states'],
    ['alternatives that begin alike', own(fromBehind(40)), 'too many alternatives begin the same way'],
    ['characters', ' '.repeat(GRAMMAR_LIMITS.characters + 1), 'characters, at most 1048576'],
    [
      'choices of long repetitions',
      own({
        choice: Array.from({ length: 60 }, (_, i) => ({ repeat: { set: `00-${(i + 16).toString(16)}` }, max: 400 })),
      }),
      'the grammar needs more than',
    ],
  ])('%s', (_, grammar, text) => {
    const began = performance.now();
    expect(refusal(grammar)).toContain(text);
    expect(refusal(grammar)).not.toBe('taken');
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('what stays within the limits is taken', () => {
    expect(refusal(own({ any: 16000 }))).toBe('taken');
    expect(refusal(own(fromBehind(8)))).toBe('taken');
    expect(refusal(own(nested(31, { any: 1 })))).toBe('taken');
  });

  test('random JSON never does anything but be refused or taken', () => {
    const random = new Random(2);
    const words = ['bytes', 'set', 'any', 'number', 'sequence', 'choice', 'optional', 'repeat', 'rule', 'min', 'max'];
    const draw = (depth: number): unknown => {
      const kind = random.below(depth > 4 ? 5 : 8);
      if (kind === 0) return random.between(-2, 70000);
      if (kind === 1) return random.pick(['00', '01-ff', 'uint16', 'little', '', 'a', '__proto__']);
      if (kind === 2) return null;
      if (kind === 3) return { any: random.between(1, 5) };
      if (kind === 4) return { bytes: '01 02' };
      if (kind === 5) return Array.from({ length: random.below(4) }, () => draw(depth + 1));
      const part: Record<string, unknown> = {};
      for (let i = random.between(1, 2); i > 0; i--) part[random.pick(words)] = draw(depth + 1);
      return part;
    };
    let taken = 0;
    for (let i = 0; i < 5000; i++) if (refusal(own(draw(0), { a: draw(2) })) === 'taken') taken++;
    expect(taken).toBeGreaterThan(50);
  });
});

test('the grammar that is built in is of the same form', () => {
  const copy: Grammar = parseGrammar(JSON.stringify(ATTITUDE_POSITION));
  expect(copy).toEqual(ATTITUDE_POSITION);
  expect(checkGrammar(ATTITUDE_POSITION)).toBe(ATTITUDE_POSITION);
});
