import { describe, expect, it } from 'vitest';
import { compileDialect, loadDialect } from './compile.ts';
import { DialectError } from './declarations.ts';
import type { Dialect, MessageDefinition } from './definition.ts';

const file = (body: string): string => `<?xml version="1.0"?>\n<mavlink>\n${body}\n</mavlink>\n`;
const messages = (body: string): string => file(`<messages>${body}</messages>`);
const message = (fields: string, id = 1, name = 'M'): string =>
  `<message id="${id}" name="${name}">${fields}</message>`;

function compile(text: string, others: Record<string, string> = {}): Dialect {
  return compileDialect(new Map(Object.entries({ 'my.xml': text, ...others })), 'my.xml');
}

function only(text: string): MessageDefinition {
  return [...compile(text).messages.values()][0][0];
}

describe('a message', () => {
  it('has its fields in wire order, extensions behind in their own', () => {
    const { fields, baseLength, length } = only(
      messages(
        message(
          `<field type="uint8_t" name="a"/><field type="float[2]" name="b"/><field type="char[5]" name="c"/>
           <field type="uint64_t" name="d"/><field type="int16_t" name="e"/><field type="uint32_t" name="f"/>
           <extensions/><field type="int8_t" name="x"/><field type="double" name="y"/>`,
        ),
      ),
    );
    expect(fields.map(({ name, offset }) => `${name}${offset}`)).toEqual('a22 b8 c23 d0 e20 f16 x28 y29'.split(' '));
    expect(fields.map(({ extension }) => extension)).toEqual([false, false, false, false, false, false, true, true]);
    expect([baseLength, length]).toEqual([28, 37]);
    expect(fields[2]).toMatchObject({ type: 'text', count: 5 });
  });

  it('tells an array of one from a scalar in its checksum, and not otherwise', () => {
    const scalar = only(messages(message('<field type="float" name="a"/>')));
    const array = only(messages(message('<field type="float[1]" name="a"/>')));
    expect(array.crcExtra).not.toBe(scalar.crcExtra);
    expect(array.fields).toEqual(scalar.fields);
  });

  it('may have no fields at all', () => {
    expect(only(messages('<message id="3" name="EMPTY"/>'))).toMatchObject({ fields: [], length: 0 });
  });

  it('says what its attributes say', () => {
    const { fields, wip, deprecation } = only(
      file(`<version>7</version>
        <enums><enum name="E"><entry name="E_A"/></enum></enums>
        <messages>${message(
          `<wip/><deprecated since="2018-11" replaced_by="OTHER_ONE"/>
           <field type="uint8_t_mavlink_version" name="v"/>
           <field type="uint8_t" name="a" units="m/s" enum="E" display="bitmask" instance="true" multiplier="1E-2"
             minValue="-1" maxValue="1/4" print_format="0x%02x"/>
           <field type="uint8_t" name="b" enum="NOT_THERE" multiplier="many" minValue="1/0" maxValue="1/2/3" enum2="">prose</field>
           <field type="uint8_t" name="c" enum=""/>`,
        )}</messages>`),
    );
    expect(fields[0]).toMatchObject({ type: 'uint8', constant: 7 });
    expect(fields[1]).toMatchObject({ unit: 'm/s', instance: true, multiplier: 0.01, minimum: -1, maximum: 0.25 });
    expect(fields[1].enumeration).toMatchObject({ name: 'E', bitmask: true });
    expect([...(fields[1].enumeration?.names ?? [])]).toEqual([[0, 'E_A']]);
    expect(fields[2]).toMatchObject({
      enumeration: undefined,
      multiplier: undefined,
      minimum: undefined,
      maximum: undefined,
    });
    expect(wip).toBe(true);
    expect(deprecation).toEqual({ kind: 'deprecated', since: '2018-11', replacedBy: 'OTHER_ONE' });
  });

  it('may name an entry of its enum as what means missing', () => {
    const fields = ['E_B', 'E_C', '5']
      .map((invalid, i) => `<field type="uint8_t" name="f${i}" enum="${i < 2 ? 'E' : ''}" invalid="${invalid}"/>`)
      .join('');
    const text = file(
      `<enums><enum name="E"><entry name="E_A"/><entry name="E_B"/></enum></enums><messages>${message(
        `${fields}<field type="uint8_t" name="f3" invalid="E_B"/>`,
      )}</messages>`,
    );
    expect(only(text).fields.map(({ invalid }) => invalid)).toEqual([1, undefined, 5, undefined]);
  });

  it('keeps no sentence about what replaces it', () => {
    const text = messages(message('<superseded since="long ago" replaced_by="Something else, see there"/>'));
    expect(only(text).deprecation).toEqual({ kind: 'superseded', since: '', replacedBy: '' });
    expect(only(messages(message('<deprecated/>'))).deprecation?.kind).toBe('deprecated');
  });

  it('may stand beside elements that are not known, and among prose', () => {
    const text =
      file(`<about><message id="9" name="NOT_ONE"><field type="x"/></message><enum><entry/></enum></about> text &lt;
      <![CDATA[ <message> ]]><!-- <message/> --><?pi?>
      <messages><description>d<wip/></description><include>x</include>
        ${message('<x><message id="2" name="B"/><extensions/></x><y/><field type="char" name="c"/>')}</messages>
      <enums><about/><enum name="E"><x/><entry name="A"><entry/></entry></enum></enums>
      <field type="none" name="f"/><extensions/><wip/><enum/>`);
    const { messages: found, enums } = compile(text);
    expect([...found.keys()]).toEqual([1]);
    expect(found.get(1)?.[0].fields).toMatchObject([{ name: 'c', extension: false }]);
    expect([...enums.keys()]).toEqual(['E']);
    expect([...(enums.get('E')?.names.values() ?? [])]).toEqual(['A']);
  });
});

describe('an enum', () => {
  const enums = (entries: string, attributes = ''): string =>
    file(`<enums><enum name="E"${attributes}>${entries}</enum></enums>`);
  const entries = (text: string): [number, string][] => [...(compile(text).enums.get('E')?.names ?? [])];

  it('has values of every form', () => {
    const text = enums(`<entry name="A" value="5"/><entry name="B"/><entry name="C" value="0x10"/>
      <entry name="D" value="2**7"/><entry name="E" value=" 0b101000 "/><entry name="F" value="-1"/><entry name="G"/>`);
    expect(entries(text)).toEqual([
      [-1, 'F'],
      [0, 'G'],
      [5, 'A'],
      [6, 'B'],
      [16, 'C'],
      [40, 'E'],
      [128, 'D'],
    ]);
  });

  it('keeps the first of two names for one value', () => {
    expect(entries(enums('<entry name="A" value="1"/><entry name="B" value="1"/>'))).toEqual([[1, 'A']]);
  });

  it('is put together from all files, and the file that includes has the last word', () => {
    const base = enums('<entry name="A" value="1"/><entry name="B" value="2"/>', ' bitmask="true"');
    const dialect = compile(
      file(`<include>base.xml</include><enums><enum name="E">
        <entry name="B2" value="2"/><entry name="C" value="4"/></enum></enums>
        <messages>${message('<field type="uint8_t" name="a" enum="E" display="bitmask"/>')}</messages>`),
      { 'base.xml': base },
    );
    expect(dialect.enums.get('E')?.bitmask).toBe(true);
    expect([...(dialect.enums.get('E')?.names ?? [])]).toEqual([
      [1, 'A'],
      [2, 'B2'],
      [4, 'C'],
    ]);
    expect(dialect.messages.get(1)?.[0].fields[0].enumeration).toBe(dialect.enums.get('E'));
  });
});

describe('includes', () => {
  it('are read once each, however often they are named', async () => {
    const asked: string[] = [];
    const texts: Record<string, string> = {
      'a.xml': file('<include>b.xml</include><include> c.xml </include>'),
      'b.xml': file(`<include>c.xml</include><messages>${message('', 2, 'B')}</messages>`),
      'c.xml': messages(message('', 1, 'C')),
    };
    const dialect = await loadDialect(async (name) => {
      asked.push(name);
      return texts[name];
    }, 'a.xml');
    expect(asked).toEqual(['a.xml', 'b.xml', 'c.xml']);
    expect(dialect.name).toBe('a');
    expect([...dialect.messages.keys()]).toEqual([1, 2]);
  });

  it('are the built-in files where none is given', () => {
    const mine = message('<field type="uint8_t" name="kind" enum="MAV_TYPE"/>', 40000, 'MINE');
    const dialect = compile(file(`<include>common.xml</include><messages>${mine}</messages>`));
    expect(dialect.messages.size).toBe(235);
    expect(dialect.messages.get(40000)?.[0].fields[0].enumeration?.names.get(2)).toBe('MAV_TYPE_QUADROTOR');
    expect(dialect.messages.get(0)?.[0]).toMatchObject({ name: 'HEARTBEAT', crcExtra: 50 });
  });

  it('must be there', () => {
    expect(() => compile(file('\n<include>gone.xml</include>'))).toThrow('my.xml:4: file "gone.xml" not found');
    expect(() => compileDialect(new Map(), 'common.xml')).toThrow('common.xml:1: file "common.xml" not found');
  });

  it('must not go round in a circle', () => {
    const others = { 'a.xml': file('<include>b.xml</include>'), 'b.xml': file('\n<include>a.xml</include>') };
    expect(() => compile(file('<include>a.xml</include>'), others)).toThrow(
      'b.xml:4: circular include: a.xml -> b.xml -> a.xml',
    );
    expect(() => compile(file('<include>my.xml</include>'))).toThrow('my.xml:3: circular include: my.xml -> my.xml');
  });

  it('start from a plain file name', () => {
    expect(() => compileDialect(new Map(), '../my.xml')).toThrow('"../my.xml" is not a file name such as common.xml');
    expect(compileDialect(new Map([['my own.XML', messages('')]]), 'my own.XML').name).toBe('my own');
  });
});

/** Texts that are refused, and the beginning of why. */
const REFUSED: readonly [title: string, text: string, reason: string][] = [
  ['another root', '<html/>', 'my.xml:1: the root element is "html", not mavlink'],
  ['no XML', 'hello', 'my.xml:1: not well-formed XML: text data outside of root node'],
  ['nothing', '', 'my.xml:1: not well-formed XML: document must contain a root element'],
  ['an open comment', '<!-- a', 'my.xml:1: not well-formed XML: '],
  ['an open element', '<mavlink>\n<messages>', 'my.xml:2: not well-formed XML: unclosed tag: messages'],
  ['a version too large', file('<version>256</version>'), 'my.xml:3: version "256" is not 0 to 255'],
  ['no name', messages('<message id="1"/>'), 'my.xml:3: message has no name'],
  ['a long name', messages(`<message id="1" name="${'-'.repeat(70)}"/>`), `my.xml:3: name "${'-'.repeat(57)}..." of`],
  ['a name with a quote', messages('<message id="1" name="A&quot;B"/>'), 'my.xml:3: name "A\\"B" of message has other'],
  [
    'an id too large',
    messages('<message id="16777216" name="A"/>'),
    'my.xml:3: id "16777216" of message A is not 0 to',
  ],
  ['no id', messages('<message name="A"/>'), 'my.xml:3: id "" of message A is not 0 to 16777215'],
  ['an id that is no number', messages('<message id="1e3" name="A"/>'), 'my.xml:3: id "1e3" of message A is not'],
  ['an unknown type', messages(message('\n<field type="bool" name="f"/>')), 'my.xml:4: unknown type "bool" of M.f'],
  [
    'a type of Object',
    messages(message('<field type="constructor" name="f"/>')),
    'my.xml:3: unknown type "constructor" of M.f',
  ],
  ['no type', messages(message('<field name="f"/>')), 'my.xml:3: unknown type "" of M.f'],
  [
    'an empty array',
    messages(message('<field type="int8_t[0]" name="f"/>')),
    'my.xml:3: array M.f has 0 elements, 1 to',
  ],
  [
    'a huge array',
    messages(message('<field type="int8_t[99999999]" name="f"/>')),
    'my.xml:3: array M.f has 99999999 el',
  ],
  [
    'more than 255 bytes',
    messages(message('<field type="uint32_t[63]" name="a"/><field type="uint32_t" name="b"/>')),
    'my.xml:3: message M has 256 bytes with b, at most 255 fit',
  ],
  [
    'a field that is there twice',
    messages(message('<field type="int8_t" name="a"/>\n<field type="int8_t" name="a"/>')),
    'my.xml:4: field M.a is there twice',
  ],
  [
    'an id that is there twice',
    messages(`${message('', 7, 'A')}\n${message('', 7, 'B')}`),
    'my.xml:4: id 7 of message B is already used by the one in my.xml:3',
  ],
  [
    'a name that is there twice',
    messages(`${message('', 7, 'A')}\n${message('', 8, 'A')}`),
    'my.xml:4: name of message A is already used by the one in my.xml:3',
  ],
  [
    'an id of an included file',
    file(`<include>minimal.xml</include><messages>${message('', 0, 'A')}</messages>`),
    'my.xml:3: id 0 of message A is already used by the one in the built-in minimal.xml',
  ],
  [
    'an enum value that is no number',
    file('<enums><enum name="E"><entry name="A" value="one"/></enum></enums>'),
    'my.xml:3: value "one" of A is not a number',
  ],
  [
    'an enum value beyond 2^53',
    file('<enums><enum name="E"><entry name="A" value="2**53"/></enum></enums>'),
    'my.xml:3: value "2**53" of A is beyond 2^53',
  ],
];

describe('refused', () => {
  it.each(REFUSED)('%s', (_title, text, reason) => {
    expect(() => compile(text)).toThrow(DialectError);
    expect(() => compile(text)).toThrow(reason);
  });

  it.each(['../up.xml', '/etc/passwd', 'a\\b.xml', '..xml', 'a..xml', 'http://x/y.xml', 'a.txt', 'a b.xml', ''])(
    'include of %s',
    (name) => {
      const text = file(`<include>${name}</include>`);
      expect(() => compile(text)).toThrow(
        /^my\.xml:3: include of ".*": must be a name such as common\.xml, in the same folder/,
      );
    },
  );

  it('tells file and line apart from the text', () => {
    try {
      compile('<html/>');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ name: 'DialectError', file: 'my.xml', line: 1 });
    }
  });
});
