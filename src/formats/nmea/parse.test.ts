import { describe, expect, test } from 'vitest';
import { withChecksum } from './encode.ts';
import { bareSentence, parseSentence } from './parse.ts';

const GGA = '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47';

describe('a line', () => {
  test.each([
    ['as it is', GGA],
    ['with its line break', `${GGA}\r\n`],
    ['with blanks around it', `  ${GGA} \n`],
    ['as bytes', new TextEncoder().encode(GGA)],
  ])('%s', (_, line) => {
    expect(parseSentence(line)).toMatchObject({ valid: true, name: 'GGA', talker: 'GP', checked: true });
  });

  test('with a checksum in small letters', () => {
    expect(parseSentence('$HEHDT,4.0,T*2b')).toMatchObject({ valid: true, data: { heading: 4 } });
  });

  test('without a checksum, which may be required', () => {
    const bare = GGA.slice(0, -3);
    expect(parseSentence(bare)).toMatchObject({ valid: true, checked: false });
    expect(parseSentence(bare, { checksum: 'required' })).toEqual({
      valid: false,
      reason: 'sentence GPGGA has no checksum, which is required',
    });
  });

  test.each([
    ['an address of 3', '$ABC,1', 'ABC', ''],
    ['an address of 24', `$${'A'.repeat(24)},1`, 'A'.repeat(24), ''],
    ['an address with digits', '$P123,1', 'P123', ''],
    ['a ! at its beginning', '!AIVDM,1', 'VDM', 'AI'],
    ['no cells', withChecksum('GPZZZ'), 'ZZZ', 'GP'],
    ['a talker with a digit', withChecksum('U1HDT,1,T'), 'HDT', 'U1'],
    ['1,024 bytes without a checksum', `$GPTXT,${'x'.repeat(1017)}`, 'TXT', 'GP'],
    ['1,024 bytes with one', withChecksum(`GPTXT,${'x'.repeat(1014)}`), 'TXT', 'GP'],
    ['what begins none in it', withChecksum('GPTXT,1,1,1,$5 or !,*Z*1'), 'TXT', 'GP'],
    ['a tab and a backslash in it', withChecksum('GPTXT,1,1,1,a\tb\\'), 'TXT', 'GP'],
  ])('with %s', (_, line, name, talker) => expect(parseSentence(line)).toMatchObject({ valid: true, name, talker }));

  test('with a tag block', () => {
    const line = '\\g:1-2-73874,n:157036,s:r003669945,c:1241544035*4A\\!AIVDM,1,1,,B,15N4cJ`005Jrek0H@9n`DW5608EP,0*13';
    expect(parseSentence(line)).toMatchObject({
      ...{ valid: true, name: 'VDM', talker: 'AI' },
      data: { tag_source: 'r003669945', tag_time: 1_241_544_035, tag_group: '1-2-73874', tag_line: 157_036 },
    });
  });

  test('with letters beyond ASCII', () => {
    expect(parseSentence('$GPTXT,01,01,02,Größe')).toMatchObject({ data: { text: 'Größe' } });
  });

  test.each([
    ['', 'line is empty'],
    [' \r\n', 'line is empty'],
    ['GPGGA,1', 'line begins with neither $ nor !'],
    ['$GP,1', 'no address of 3 to 24 capital letters and digits followed by a comma or a checksum'],
    ['$gpgga,1', 'no address of 3 to 24 capital letters and digits followed by a comma or a checksum'],
    ['$GPGGA', 'no address of 3 to 24 capital letters and digits followed by a comma or a checksum'],
    [GGA.replace('*47', '*48'), 'checksum of GPGGA is 47, the sentence says 48'],
    [`${GGA}x`, '1 bytes follow the checksum of GPGGA'],
    [`$${'A'.repeat(25)},1`, 'no address of 3 to 24 capital letters and digits followed by a comma or a checksum'],
    ['$1ABC,1', 'no address of 3 to 24 capital letters and digits followed by a comma or a checksum'],
    ['$GPGGA,1*4', 'checksum of GPGGA is cut'],
    ['$GPGGA,1*', 'checksum of GPGGA is cut'],
    ['$GPGGA,1\0,2', 'byte 0x00 is 8 bytes after the start of GPGGA'],
    ['$GPGGA,1$GPRMC,2', 'another sentence begins 8 bytes after the start of GPGGA'],
    ['\\s:GP001*00\\$GPGGA,1', 'tag block is damaged, or no sentence follows it'],
    ['\\s:GP001', 'tag block is damaged, or no sentence follows it'],
    [` \\s:GP001`, 'tag block is damaged, or no sentence follows it'],
    [`$GPTXT,${'x'.repeat(1018)}`, 'sentence has 1025 bytes, at most 1024 are read'],
    [withChecksum(`GPTXT,${'x'.repeat(1015)}`), 'sentence has 1025 bytes, at most 1024 are read'],
    [`$GPTXT,${'x'.repeat(2000)}`, 'sentence has 2007 bytes, at most 1024 are read'],
  ])('%j is refused', (line, reason) => expect(parseSentence(line)).toEqual({ valid: false, reason }));
});

test.each([
  ['$GPHDT,4,T*0F\r\n$GPHDT', '$GPHDT,4,T*0F'],
  ['\\s:a*00\\$GPHDT,4,T*0fxyz', '$GPHDT,4,T*0f'],
  ['$GPHDT,4,T\r\nnext', '$GPHDT,4,T'],
  ['$GPTXT,*Z,1*11', '$GPTXT,*Z,1*11'],
  ['', ''],
])('%j has the bare sentence %j', (text, bare) => expect(bareSentence(text)).toBe(bare));

/** Satellites by the cells of a sentence: two before them and three or four after them in GSA, three before them in GSV. */
test.each([
  ...[3, 6, 9, 12, 15, 24].map((count) => ['GSA', `A,3,${'7,'.repeat(count)}1,2,3`, count] as const),
  ...[6, 12, 15, 24].map((count) => ['GSA', `A,3,${'7,'.repeat(count)}1,2,3,4`, count] as const),
  ...[0, 1, 4].map((count) => ['GSV', `1,1,4${',7,8,9,10'.repeat(count)}`, count] as const),
  ...[0, 1, 4].map((count) => ['GSV', `1,1,4${',7,8,9,10'.repeat(count)},1`, count] as const),
  ...[0, 1, 4].map((count) => ['GSV', `1,1,4${',7,8,9,10'.repeat(count)},1,2`, count] as const),
  ['GSV', '1,1,4,7,8,9', 1] as const,
])('%s,%s names %i satellites', (name, cells, count) => {
  const parsed = parseSentence(`$GP${name},${cells}`);
  const { satellite_ids, prn, pdop } = (parsed.valid && parsed.data) || {};
  const named = ((satellite_ids ?? prn) as (number | null)[]).filter((each) => each !== null);
  expect(named).toEqual(new Array(count).fill(7));
  if (name === 'GSA') expect(pdop).toBe(1);
});
