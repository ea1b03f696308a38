import type { Random } from '../../suite/random.ts';

const ADDRESSES = [
  ...['GPGGA', 'GNRMC', 'GPGSV', 'GNGSA', 'GPGLL', 'GNGNS', 'GPVTG', 'GPZDA', 'GNGST', 'GPGRS', 'HEHDT', 'SDHDG'],
  ...['PQGSV', 'PLSHD', 'PASHR', 'PUBX', 'PTNL', 'PSTI', 'PGRME', 'PHTRO', 'XSVEL', 'IIXDR', 'GPRTE', 'GPTXT', 'AIVDM'],
  ...[
    'PFOO',
    'ZZZZZ',
    'P',
    'GP',
    'GPGSVH',
    'STALK',
    'PQTMPVT',
    'ABCDEFGHIJKLMNOPQRSTUVWX',
    'ABCDEFGHIJKLMNOPQRSTUVWXY',
  ],
];
const CELLS = [
  ...[
    '',
    '',
    '',
    '0',
    '1',
    '12',
    '-3',
    '+4.50',
    '00',
    '007',
    '3.',
    '.5',
    '.',
    '-',
    '1e3',
    ' 7',
    '8 ',
    '0x1F',
    'B',
    '0b',
  ],
  ...['123519', '235959.987', '235960.5', '240000', '000000.0000000001', '12', '1.2.3', '999999999', '9999999999'],
  ...['4807.038', '5960.0000', '5960.0001', '01131.000', '18000.0', '18000.1', '9000', '4807.1234567890123', '712.5'],
  ...[
    'N',
    'S',
    'E',
    'W',
    'n',
    'w',
    'NE',
    'M',
    'P',
    'T',
    'K',
    'A',
    'V',
    'U',
    'R',
    'EHT+25.478',
    'GHT',
    '00',
    '03',
    'POS',
  ],
  ...['230394', '310224', '290225', '290224', '300299', '20260101', '31', '2026', '1.5', '0.0000000000001'],
  ...[
    '\u00e9',
    'caf\u00c3\u00a9',
    '\xff\xfe',
    'a b',
    '*',
    '*Z',
    'x'.repeat(70),
    'waypoint-with-a-name',
    '$5',
    '!',
    'a\tb',
  ],
];
const ENDS = ['\r\n', '\r\n', '\r\n', '\n', '\r\r\n', '\r', '', '\r\r', '\n\n', ' \r\n', '\0', 'text\r\n'];
const TAGS = ['s:GP001,n:245', 'g:1-2-34,s:r1,c:1120959341', 'c:1120959341123', 't:hello', 'x', '', 's:*A,d:b', 'c:'];

/** A stream that could be one: sentences of random cells, most with the right checksum, and what else comes on lines. */
export function randomNmea(random: Random): Uint8Array {
  let text = '';
  for (let n = random.between(1, 30); n > 0; n--) {
    const kind = random.below(100);
    if (kind < 6)
      text += random.pick(['# comment\r\n', '\r\n', 'UdPbC\0', '\0\0\0', '\xb5\x62\x01\x07', '*4F', '$', '\\']);
    else if (kind < 8) text += `$GPTXT,${'y'.repeat(random.pick([1000, 1010, 1016, 1017, 1018, 1030, 3000]))}`;
    else if (kind < 9) text += `\\${'z'.repeat(random.pick([240, 249, 250, 251, 252, 300]))}`;
    else text += tag(random) + sentence(random);
  }
  const bytes = bytesOf(text);
  return random.chance(0.3) ? bytes.slice(0, bytes.length - random.below(60)) : bytes;
}

function tag(random: Random): string {
  if (random.chance(0.9)) return '';
  const content = random.pick(TAGS);
  return `\\${content}*${random.chance(0.8) ? sum(content) : '00'}\\`;
}

function sentence(random: Random): string {
  const count = random.pick([
    0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 25, 27, 29, 40, 300,
  ]);
  const cells = Array.from({ length: count }, () => (count > 40 ? '' : random.pick(CELLS)));
  const body = [random.pick(ADDRESSES), ...cells].join(',');
  const checksum = random.pick(['right', 'right', 'right', 'right', 'right', 'lower', 'none', 'wrong', 'cut']);
  const digits = checksum === 'wrong' ? '00' : sum(body);
  const end = checksum === 'none' ? '' : `*${checksum === 'cut' ? digits[0] : digits}`;
  return `${random.pick(['$', '$', '$', '$', '!'])}${body}${checksum === 'lower' ? end.toLowerCase() : end}${random.pick(ENDS)}`;
}

function sum(text: string): string {
  let value = 0;
  for (const char of text) value ^= char.charCodeAt(0);
  return (value & 0xff).toString(16).toUpperCase().padStart(2, '0');
}

/** A sentence with its checksum and line break. */
export function line(body: string): string {
  return `$${body}*${sum(body)}\r\n`;
}

/** One byte a character. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
