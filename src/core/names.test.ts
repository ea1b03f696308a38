import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { needCommand } from '../../test/helpers/need.ts';
import { csvText, fileName, sqlName, terminalText, uniqueNames, xmlText } from './names.ts';

/** Names as a hostile file may give them to its records and fields. */
const HOSTILE: readonly string[] = [
  ...['../a', '/etc/x', 'C:\\x', 'a:b', 'a/b', '\\\\host\\share', '~', '.', '..', '...', '', ' ', '-rf', '%00', 'a\0b'],
  ...['CON', 'con', 'CON.txt', 'Nul.', 'COM1', 'lpt9.log', 'COM¹', 'AUX ', 'PRN .csv', 'CON .x', 'CONIN$', 'CLOCK$'],
  ...['trailing.', 'trailing ', '.hidden', ' .x', 'x'.repeat(300), '漢'.repeat(300), '😀'.repeat(300), 'a\nb', 'a\tb'],
  ...['\ud800', 'a\udc00', '\u202etxt.exe', '\u200b', 'é', 'e\u0301', '__proto__', 'constructor', '<img src=x>', '"x"'],
  ...[`${'x'.repeat(99)}. `, `${'x'.repeat(98)} .y`, `${'y'.repeat(99)}😀`, `a${'.'.repeat(65_536)}x`],
];

/** Any text, lone surrogates included. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units));

/** Of processor time, so that neighbours on the machine do not count. */
function milliseconds(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

describe('unique names', () => {
  test('repeated ones get a number', () => {
    expect(uniqueNames(['a', 'b', 'a', 'a'])).toEqual(['a', 'b', 'a_2', 'a_3']);
  });

  test('no name is lost and none is twice, whatever they are', () => {
    const name = fc.oneof(anyText, fc.constantFrom('a', 'a_2', 'a_2_2', '__proto__', 'constructor', 'toString', ''));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 60 }), (names) => {
        const unique = uniqueNames(names);
        expect(unique).toHaveLength(names.length);
        expect(new Set(unique).size).toBe(names.length);
        expect(unique.every((each, i) => each.startsWith(names[i]))).toBe(true);
        names.forEach((each, i) => {
          if (names.indexOf(each) === i && !unique.slice(0, i).includes(each)) expect(unique[i]).toBe(each);
        });
      }),
    );
  });

  test('ten thousand of one name take no longer than they must', () => {
    expect(milliseconds(() => uniqueNames(new Array(10_000).fill('a')))).toBeLessThan(100);
  });
});

describe('a file name', () => {
  const expectPlain = (name: string): void => {
    const safe = fileName(name);
    expect(safe).not.toBe('');
    expect(safe).not.toMatch(/[/\\:*?"<>|\p{C}]/u);
    expect(safe).not.toMatch(/^[. ]|[. ]$/);
    // a device is one with anything behind a dot, and Windows passes over blanks before it
    expect(safe).not.toMatch(/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i);
    // with an ending of ten bytes it still is within the 255 that file systems take
    expect(Buffer.byteLength(safe), `${safe.length} characters`).toBeLessThanOrEqual(245);
  };

  test.each(HOSTILE.map((name) => [JSON.stringify(name).slice(0, 40), name]))('of %s is one plain name', (_, name) => {
    expectPlain(name);
  });

  test('is one plain name, whatever was there', () => {
    fc.assert(fc.property(fc.oneof(anyText, fc.string({ unit: 'grapheme', maxLength: 200 })), expectPlain), {
      numRuns: 2000,
    });
  });

  test.each(['GPS', 'IMU[0]', 'XKF1 (2)', 'a.b-c_d', 'Größe'])('of %s stays as it is', (name) => {
    expect(fileName(name)).toBe(name);
  });

  test('of 64 KiB takes no time, whatever it is made of', () => {
    for (const unit of ['.', ' ', '. ', 'a', '/', '\ud800'])
      expect(
        milliseconds(() => fileName(`a${unit.repeat(65_536)}x`)),
        unit,
      ).toBeLessThan(100);
  });
});

describe('a cell of CSV', () => {
  /** A reader as spreadsheets are: one row, cells parted by commas, quotes doubled. */
  const readCell = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);

  const DANGEROUS = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    ' =1',
    '\u00a0=1',
    '\u2003@x',
    'a\n=1',
    'a\r\n -1',
  ];

  test.each(DANGEROUS)('%j is marked as text', (text) => {
    expect(readCell(csvText(text))).toBe(`'${text}`);
  });

  test.each(DANGEROUS)('%j stays as it is when asked for', (text) => {
    expect(readCell(csvText(text, true))).toBe(text);
  });

  test.each(['a', 'a-b', 'x=1', '1', 'STABILIZE', 'a\nb', "it's"])('%j needs no mark', (text) => {
    expect(readCell(csvText(text))).toBe(text);
  });

  test('is one cell on reading, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const cell = csvText(text);
        if (cell.startsWith('"')) expect(cell.slice(1, -1).replaceAll('""', '')).not.toContain('"');
        else expect(cell).not.toMatch(/[",\r\n]/);
        expect([text, `'${text}`]).toContain(readCell(cell));
        expect(readCell(cell)).not.toMatch(/^[=+\-@\t\r]/);
      }),
      { numRuns: 5000 },
    );
  });

  test('of 64 KiB takes no time, whatever it is made of', () => {
    for (const unit of ['\n', ' ', '\n ', '=', '"', '\u00a0'])
      expect(
        milliseconds(() => csvText(unit.repeat(65_536))),
        JSON.stringify(unit),
      ).toBeLessThan(100);
  });
});

describe('text in XML', () => {
  test('holds no character that XML does not allow, for all code units', () => {
    for (let unit = 0; unit < 65_536; unit++) {
      const safe = xmlText(`a${String.fromCharCode(unit)}b`);
      const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
      const isAllowed = unit === 9 || unit === 10 || unit === 13 || (unit >= 32 && unit < 0xfffe && !isSurrogate);
      if (!isAllowed) expect(safe, unit.toString(16)).toBe('a\ufffdb');
    }
    expect(xmlText('😀 & <a href="x">\'\r\n')).toBe('😀 &amp; &lt;a href=&quot;x&quot;&gt;&apos;&#13;\n');
  });

  needCommand('xmllint')('a strict parser', () => {
    test('takes all code units, in an element and in an attribute', () => {
      const all = Array.from({ length: 65_536 }, (_, unit) => String.fromCharCode(unit)).join('');
      const xml = `<?xml version="1.0" encoding="UTF-8"?><a t="${xmlText(all)}">${xmlText(`${all} 😀 ]]> <!--`)}</a>`;
      expect(execFileSync('xmllint', ['--noout', '-'], { input: xml, encoding: 'utf8', stdio: 'pipe' })).toBe('');
    });
  });
});

describe('text on a terminal', () => {
  /** Controls but tab and line feed, C1, and all that turns the direction of writing. */
  const UNSAFE = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

  test('holds no control, no C1 and no turn of direction, for all code units', () => {
    for (let unit = 0; unit < 65_536; unit++) {
      const safe = terminalText(String.fromCharCode(unit));
      expect(safe, unit.toString(16)).not.toMatch(UNSAFE);
    }
  });

  test('shows what was taken out', () => {
    expect(terminalText('\u001b]52;c;x\u0007 a\rb\u202e\u009b')).toBe('\\x1b]52;c;x\\x07 a\\x0db\\x202e\\x9b');
    expect(terminalText('Größe\t1\n')).toBe('Größe\t1\n');
  });
});

describe('a name in SQL', () => {
  test.each([
    ['GPS', '"GPS"'],
    ['a"; DROP TABLE x; --', '"a""; DROP TABLE x; --"'],
    ['a\0b', '"a\ufffdb"'],
    ['', '""'],
  ])('%j is %s', (name, quoted) => {
    expect(sqlName(name)).toBe(quoted);
  });
});
