import { describe, expect, test } from 'vitest';
import { openInput } from '../open.ts';
import { withChecksum } from './encode.ts';
import { SentenceDecoder } from './frame.ts';
import { nmea } from './index.ts';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const open = (text: string, checksum?: 'required' | 'optional') => openInput(bytesOf(text), { format: nmea, checksum });

/** What was found wrong: code, place, length, and whether something is lost. */
async function faultsOf(text: string, checksum?: 'required' | 'optional'): Promise<unknown[][]> {
  const { faults } = await open(text, checksum);
  return faults.kept.map(({ code, offset, length, lost }) => [code, offset, length, lost]);
}

const HDT = withChecksum('HEHDT,4.0,T');

describe('what is no sentence', () => {
  test.each([
    ['text', '# a comment\r\n', 'text', false],
    ['binary of another protocol', '\xb5\x62\x01\x07\x02\x00ab\x12\x34', 'garbage', true],
    ['the rest of a sentence', '8.2,N,,*7E\r\n', 'headless-sentence', true],
    ['the header of a datagram', 'UdPbC\0', 'datagram-header', false],
  ])('%s is named with its place and length', async (_, gap, code, lost) => {
    const log = await open(HDT + gap + HDT);
    expect(log.records).toBe(2);
    expect(log.faults.kept).toEqual([expect.objectContaining({ code, offset: HDT.length, length: gap.length, lost })]);
  });

  test('zeros before the first sentence and after the last one are no loss', async () => {
    expect(await faultsOf(`${HDT}\0\0\0\0`)).toEqual([['padding', HDT.length, 4, false]]);
    expect(await faultsOf(`\0\0\0\0${HDT}`)).toEqual([['blank', 0, 4, false]]);
  });
});

test.each([
  ['\t\r\n ~', 'text', ': "~"'],
  ['\x08', 'garbage', ': 08'],
  ['\x1f', 'garbage', ': 1f'],
  ['\x7f', 'garbage', ': 7f'],
  ['\x80', 'garbage', ': 80'],
  ['#\xc3\xa9', 'text', ': "#é"'],
  ['#\x7f', 'garbage', ': 237f'],
  ['ABCDEFGHIJKLMNOP\x01', 'garbage', ': 4142434445464748494a4b4c4d4e4f50'],
  ['y'.repeat(49), 'text', `: "${'y'.repeat(48)}"`],
])('%j between sentences is %s', async (gap, code, shown) => {
  const { faults } = await open(HDT + gap + HDT);
  expect(faults.kept.map((fault) => [fault.code, fault.length])).toEqual([[code, gap.length]]);
  expect(faults.kept[0].text.replaceAll(' ', '')).toMatch(new RegExp(`${shown.replaceAll(' ', '')}$`));
});

/** A text sentence with its star at a place, and a tag block of a length. */
const starAt = (place: number): string => withChecksum(`GPTXT,${'x'.repeat(place - 7)}`);
const tagOf = (length: number): string => `\\${withChecksum(`t:${'z'.repeat(length - 7)}`).slice(1, -2)}\\`;

test.each([
  ['a star within 1,024 bytes', starAt(1023), ['TXT'], []],
  ['a star after them', starAt(1024), [], ['cut-sentence 1024', 'headless-sentence 5']],
  ['a tag block of 256 bytes', tagOf(256) + HDT, ['HDT'], []],
  ['one of 257', tagOf(257) + HDT, ['HDT'], ['headless-sentence 257']],
  ['an address of 24 letters', withChecksum('A'.repeat(24)), ['A'.repeat(24)], []],
  ['one of 25', withChecksum('A'.repeat(25)), [], ['headless-sentence 31']],
  ['one of 2', withChecksum('AB'), [], ['headless-sentence 8']],
])('%s', async (_, line, names, faults) => {
  for (const before of ['', withChecksum('HEHDM,4.0,M')]) {
    const log = await open(before + line);
    expect(log.tables.map(({ name }) => name)).toEqual(before ? ['HDM', ...names] : names);
    expect(log.faults.kept.map(({ code, length }) => `${code} ${length}`)).toEqual(faults);
  }
});

describe('damaged sentences', () => {
  test.each([
    ['a wrong checksum', HDT.replace('4.0', '4.1'), 'bad-checksum', HDT.length],
    ['a checksum that is cut', '$HEHDT,4.0,T*2\r\n', 'bad-checksum', 16],
    ['another that begins in it', '$HEHDT,4.', 'cut-sentence', 9],
    ['a control character', '$HEHDT,4.\x01', 'cut-sentence', 9],
    ['no checksum and no text', '$HEHDT,4.\xff\r\n', 'damaged-sentence', 12],
    ['more bytes than any has', `$GPTXT,${'x'.repeat(1100)}\r\n`, 'cut-sentence', 1024],
  ])('%s', async (_, damaged, code, length) => {
    const log = await open(HDT + damaged + HDT);
    expect(log.records).toBe(2);
    expect(log.faults.kept[0]).toMatchObject({ code, offset: HDT.length, length, lost: true });
  });

  test('the end cuts the last one', async () => {
    expect(await faultsOf(`${HDT}$HEHDT,4.0`)).toEqual([['truncated', HDT.length, 10, true]]);
  });

  test('a fault says what, both numbers and where', async () => {
    const { faults } = await open(HDT.replace('4.0', '4.1'));
    expect(faults.kept[0].text).toBe('checksum of HEHDT at offset 0 is 2A, the sentence says 2B');
  });

  test.each([
    ['$HEHDT,4.0,T*\r\n', 0],
    ['$HEHDT,4.0,T*2\r\n', 1],
  ])('%j: a fault says how much of the checksum is there', async (text, digits) => {
    const { faults } = await open(text + HDT);
    expect(faults.kept[0].text).toBe(`checksum of HEHDT at offset 0 has ${digits} of 2 digits`);
  });
});

describe('line breaks', () => {
  test.each(['\r\n', '\n', '\r\r\n', '\r', ''])('%j belongs to the sentence before it', async (end) => {
    const line = HDT.trimEnd() + end;
    const log = await open(line + line + line);
    expect([log.records, log.faults.count]).toEqual([3, 0]);
  });

  test('three returns are one and text', async () => {
    const line = `${HDT.trimEnd()}\r\r\r`;
    expect(await faultsOf(line + HDT)).toEqual([['text', line.length - 2, 2, false]]);
  });

  test('an empty line is text', async () => {
    expect(await faultsOf(`${HDT}\r\n${HDT}`)).toEqual([['text', HDT.length, 2, false]]);
  });
});

describe('checksums', () => {
  const bare = '$HEHDT,4.0,T\r\n';

  test('may be left out: a remark for each kind of sentence', async () => {
    const log = await open(bare + bare + HDT + bare.replace('HDT', 'HDM') + bare);
    expect(log.records).toBe(5);
    expect(
      log.faults.kept.map(({ code, offset, length, lost, subject }) => [code, offset, length, lost, subject]),
    ).toEqual([
      ['no-checksum', 0, 0, false, 'HDT'],
      ['no-checksum', 2 * bare.length + HDT.length, 0, false, 'HDM'],
    ]);
  });

  test('may be required', async () => {
    const log = await open(bare + HDT, 'required');
    expect(log.records).toBe(1);
    expect(await faultsOf(bare + HDT, 'required')).toEqual([['no-checksum', 0, bare.length, true]]);
  });

  test('may have small letters', async () => {
    expect((await open(HDT.toLowerCase().replace('hehdt', 'HEHDT').replace(',t', ',T'))).records).toBe(1);
  });
});

describe('tables', () => {
  test('are told by the sentence and the talker, those of makers by their address', async () => {
    const bodies = [
      'GPGLL,,,,,,V',
      'GNGLL,,,,,,V',
      'PQGSV,1,1,00',
      'PGRME,,,,,,',
      'PUBX,04,,',
      'PUBX,00,,',
      'ABCDEFG,1',
    ];
    const log = await open(bodies.map(withChecksum).join(''));
    expect(log.tables.map(({ name, stream }) => [name, stream])).toEqual([
      ['GLL', 'GP'],
      ['GLL', 'GN'],
      ['GSV', 'PQ'],
      ['PGRME', ''],
      ['PUBX04', ''],
      ['PUBX00', ''],
      ['ABCDEFG', ''],
    ]);
  });

  test('with tag blocks have theirs beside the fields of the sentence', async () => {
    const log = await open(`\\s:a,c:1241544035*58\\${HDT}${HDT}`);
    expect(log.tables.map(({ fields, rows }) => [rows, fields.map(({ name }) => name)])).toEqual([
      [1, ['heading', 'tag_time', 'tag_source', 'tag_destination', 'tag_group', 'tag_line', 'tag_text']],
      [1, ['heading']],
    ]);
    expect((await log.tables[0].column('tag_source')).at(0)).toBe('a');
  });

  test('grow with what their sentences hold: repetitions, and texts of any length', async () => {
    const long = 'x'.repeat(200);
    const bodies = ['PFOO,1', `PFOO,1,2,${long}`, 'IIXDR,A,1,D,A', 'IIXDR,A,1,D,A,B,2,C,D', `GPTXT,1,1,1,${long}`];
    const log = await open(bodies.map(withChecksum).join(''));
    expect(log.table('PFOO')?.fields.map(({ name }) => name)).toEqual(['field_1', 'field_2', 'field_3']);
    expect((await log.table('PFOO')?.column('field_3'))?.at(1)).toBe(long);
    expect((await log.table('PFOO')?.column('field_3'))?.at(0)).toBe('');
    expect((await log.table('XDR')?.column('value_2'))?.at(1)).toBe(2);
    expect((await log.table('TXT')?.column('text'))?.at(0)).toBe(long);
    const counts = ['field_1', 'field_2', 'field_3'].map((name) => log.table('PFOO')?.field(name)?.count);
    expect([...counts, log.table('TXT')?.field('text')?.count]).toEqual([16, 16, 208, 208]);
  });

  test('of which there are too many go into one', async () => {
    const name = (n: number): string =>
      String.fromCharCode(65 + Math.floor(n / 676), 65 + (Math.floor(n / 26) % 26), 65 + (n % 26));
    const log = await open(Array.from({ length: 1200 }, (_, n) => withChecksum(`GP${name(n)},${n}`)).join(''));
    expect(log.records).toBe(1200);
    expect(log.tables.length).toBe(1025);
    expect(log.faults.kept).toEqual([expect.objectContaining({ code: 'too-many-tables', length: 0, lost: false })]);
    expect((await log.table('OTHER')?.columns())?.map((column) => column.at(0))).toEqual(['GPBNK', '1024']);
  });
});

/** How many sentences of some bytes are read the careful way, which takes several times as long as the usual one. */
function carefulIn(bytes: Uint8Array): number {
  const decoder = new SentenceDecoder({ table: () => {}, records: () => {}, fault: () => {} });
  const ways = decoder as unknown as { sentence(...args: unknown[]): number };
  const careful = ways.sentence.bind(decoder);
  let count = 0;
  ways.sentence = (...args) => {
    count++;
    return careful(...args);
  };
  decoder.push(bytes);
  decoder.end();
  return count;
}

describe('the usual way is taken after the first sentence of a kind', () => {
  const lines = Array.from({ length: 40 }, (_, k) => withChecksum(`HEHDT,${'7'.repeat(k)}`));
  const shifted = (text: string, shift: number): Uint8Array => bytesOf(' '.repeat(shift) + text).subarray(shift);

  test.each([0, 1, 2, 3])('by sentences of any length, %i bytes into the memory', (shift) => {
    expect(carefulIn(shifted(lines.join(''), shift))).toBe(1);
    // the line break of the last one might go on
    expect(carefulIn(shifted(lines.join('').replaceAll('\r', ''), shift))).toBe(2);
  });

  test.each([
    ['two kinds', [lines[3], withChecksum('GPHDT,1,T')], 2],
    [
      'kinds that a number in the first cell rules out',
      [withChecksum('PASHR,POS,1'), withChecksum('PASHR,2026,1')],
      11,
    ],
    ['an address of other than five letters', [withChecksum('PFOOBAR,1'), lines[1]], 11],
    ['a text that may grow', [withChecksum('GPTXT,1,1,1,abc')], 1],
    ['no checksum', ['$HEHDT,1\r\n'], 10],
    ['a wrong checksum', ['$HEHDT,1*00\r\n'], 10],
    ['a byte beyond ASCII', [withChecksum('HEHDT,123\x80').replace('*', '\x80*')], 10],
    ['as many bytes as a sentence has', [starAt(1023), lines[1]], 2],
    ['another line break', [lines[2].replace('\n', ''), lines[1]], 10],
  ])('%s', (_, texts, count) => expect(carefulIn(bytesOf(texts.join('').repeat(10)))).toBe(count));
});
