// What a definition file may do to us: be refused, in less than 100 ms and 32 MiB, with file and line.
import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/suite/random.ts';
import { compileDialect } from './dialect/compile.ts';
import { DialectError } from './dialect/declarations.ts';
import { DIALECT_LIMITS } from './dialect/limits.ts';

const MILLION = 1_000_000;
const open = '<?xml version="1.0"?>\n<mavlink>\n';

/** An entity that names ten of the one before: a billion laughs. */
const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('\n');

const chain = (length: number): Map<string, string> =>
  new Map(
    Array.from({ length }, (_, i) => [`f${i}.xml`, `${open}<include>f${i + 1}.xml</include></mavlink>`] as const),
  );

const star = new Map([
  [
    'f0.xml',
    `${open}${Array.from({ length: 40 }, (_, i) => `<include>f${i}.xml</include>`)
      .slice(1)
      .join('\n')}</mavlink>`,
  ],
  ...Array.from({ length: 40 }, (_, i) => [`f${i}.xml`, `${open}</mavlink>`] as const).slice(1),
]);

const one = (text: string): Map<string, string> => new Map([['f0.xml', text]]);

const HOSTILE: readonly [title: string, files: () => Map<string, string>, reason: string][] = [
  [
    'a document type',
    () => one('<?xml version="1.0"?>\n<!-- -->\n<!DOCTYPE mavlink>\n<mavlink/>'),
    'f0.xml:3: a document type',
  ],
  [
    'a billion laughs',
    () => one(`<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]><mavlink>&l9;</mavlink>`),
    'f0.xml:1: a document',
  ],
  [
    'a document type without end',
    () => one(`\n<!doctype x [${'<!ENTITY a "b">'.repeat(500_000)}`),
    'f0.xml:2: a document',
  ],
  ['a late document type', () => one(`${open}<!DOCTYPE x></mavlink>`), 'f0.xml:3: not well-formed XML: '],
  ['an external entity', () => one('<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>'), 'f0.xml:1: a document type'],
  [
    'an unknown entity',
    () => one(`${open}<include>&file;</include></mavlink>`),
    'f0.xml:3: not well-formed XML: undefined',
  ],
  [
    'elements a million deep',
    () => one(open + '<a>'.repeat(MILLION)),
    'f0.xml:3: elements are nested 33 deep, at most 32',
  ],
  ['an include circle', () => one(`${open}<include>f0.xml</include></mavlink>`), 'f0.xml:3: circular include'],
  [
    'an include of another folder',
    () => one(`${open}<include>../../etc/passwd</include></mavlink>`),
    'f0.xml:3: include of',
  ],
  ['includes too deep', () => chain(50), 'f8.xml:3: include of f9.xml is 9 deep, at most 8 are accepted'],
  ['too many includes', () => star, 'f0.xml:34: include of f32.xml is one more than the 32 files that are accepted'],
  [
    'a million fields',
    () => one(`${open}<messages><message id="1" name="A">\n${'<field type="int8_t" name="a"/>\n'.repeat(MILLION / 4)}`),
    'f0.xml:5: field A.a is there twice',
  ],
  [
    'more than 64 fields',
    () =>
      one(
        `${open}<messages><message id="1" name="A">${numbered((i) => `<field type="int8_t" name="a${i}"/>\n`, 200_000)}`,
      ),
    'f0.xml:67: message A has more than 64 fields',
  ],
  [
    'a million messages',
    () => one(`${open}<messages>${numbered((i) => `<message id="${i}" name="A${i}"/>\n`, 200_000)}`),
    'f0.xml:4099: file has more than 4096 messages',
  ],
  [
    'a million enum entries',
    () => one(`${open}<enums><enum name="E">${numbered((i) => `<entry name="A${i}"/>\n`, 200_000)}`),
    'f0.xml:8195: enums have more than 8192 entries',
  ],
  [
    'a million attributes',
    () => one(`${open}<messages ${numbered((i) => `a${i}="" `, 500_000)}/></mavlink>`),
    'f0.xml:3: a piece',
  ],
  [
    'a name of a million characters',
    () => one(`${open}<messages><message id="1" name="${'A'.repeat(MILLION)}"/>`),
    'f0.xml:3: a',
  ],
  [
    'a name of 101 characters',
    () => one(`${open}<messages><message id="1" name="${'A'.repeat(101)}"/>`),
    'f0.xml:3: name of',
  ],
  [
    'a unit of 101 characters',
    () => one(`${open}<messages><message id="1" name="A"><field type="float" name="a" units="${'A'.repeat(101)}"/>`),
    'f0.xml:3: an attribute of A.a has 101 characters, at most 100',
  ],
  [
    'a name with a line break',
    () => one(`${open}<enums><enum name="A&#10;B"/></enums></mavlink>`),
    'f0.xml:3: name "A\\nB" of enum',
  ],
  [
    'a name with a terminal code',
    () => one(`${open}<enums><enum name="&#x9b;2J\u202e"/>`),
    'f0.xml:3: name "\\u009b2J\\u202e" of',
  ],
  [
    'a comment of many dashes',
    () => one(`${open}<!-- ${'- '.repeat(3 * MILLION)} -->`),
    'f0.xml:3: a piece of text is longer',
  ],
  [
    'an endless CDATA section',
    () => one(`${open}<![CDATA[${']'.repeat(6 * MILLION)}`),
    'f0.xml:3: a piece of text is longer',
  ],
  ['an endless tag name', () => one(`${open}<${'a'.repeat(6 * MILLION)}`), 'f0.xml:3: a piece of text is longer'],
  [
    'an endless instruction',
    () => one(`${open}<?a ${'? '.repeat(3 * MILLION)}`),
    'f0.xml:3: a piece of text is longer',
  ],
  [
    'more than 8 MiB',
    () => one(open + ' '.repeat(DIALECT_LIMITS.characters)),
    'f0.xml:1: the files have 8388640 characters',
  ],
];

function numbered(make: (index: number) => string, count: number): string {
  let text = '';
  for (let i = 0; i < count; i++) text += make(i);
  return text;
}

describe('a hostile definition file is refused at once', () => {
  it.each(HOSTILE)('%s', (_title, make, reason) => {
    const files = make();
    // other work on the machine must not decide: the quickest of a few counts
    let milliseconds = Number.POSITIVE_INFINITY;
    let bytes = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 5 && (run === 0 || milliseconds > 50); run++) {
      const heap = process.memoryUsage().heapUsed;
      const start = performance.now();
      expect(() => compileDialect(files, 'f0.xml')).toThrow(DialectError);
      milliseconds = Math.min(milliseconds, performance.now() - start);
      bytes = Math.min(bytes, process.memoryUsage().heapUsed - heap);
    }
    expect(() => compileDialect(files, 'f0.xml')).toThrow(reason);
    expect(milliseconds).toBeLessThan(100);
    expect(bytes).toBeLessThan(32 << 20);
  });
});

const WHOLE = `${open}<include>minimal.xml</include><version>3</version><enums><enum name="E" bitmask="true">
<entry name="A" value="2**3"><description>&lt;</description></entry><entry name="B" value="0x10"/></enum></enums>
<messages><message id="77" name="M"><wip/><field type="uint16_t[4]" name="f" units="m/s" enum="E" invalid="[0:]"
 multiplier="1/3" instance="true"/><!-- - --><extensions/><field type="char[9]" name="g"/></message></messages></mavlink>`;

/** What stands there may do the most. */
const PIECES = [
  '<',
  '>',
  '"',
  '&',
  ';',
  '/',
  '<!--',
  ']]>',
  '<![CDATA[',
  '<?',
  '&#0;',
  '[',
  ']',
  '**',
  ':',
  ',',
  '-',
  '\0',
];

it('a damaged definition file is read or refused, never anything else', () => {
  const random = new Random(7);
  let refused = 0;
  for (let i = 0; i < 3000; i++) {
    let text = WHOLE;
    for (let edits = random.between(1, 4); edits > 0; edits--) {
      const at = random.below(text.length);
      const cut = random.chance(0.5) ? random.below(12) : 0;
      const piece = random.chance(0.7) ? random.pick(PIECES) : text.slice(at, at + random.below(40));
      text = text.slice(0, at) + piece + text.slice(at + cut);
    }
    try {
      const [[first]] = compileDialect(one(text), 'f0.xml').messages.values();
      expect(first.fields.length).toBeLessThan(65);
    } catch (error) {
      refused++;
      expect(error, text).toBeInstanceOf(DialectError);
      expect((error as Error).message).toMatch(/^[a-z0-9]+\.xml:\d+: /);
    }
  }
  expect(refused).toBeGreaterThan(1000);
  expect(refused).toBeLessThan(3000);
});
