import { crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { concat } from '../../test/suite/random.ts';
import { bytesSource } from '../core/source.ts';
import { readArchive } from './archive.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

/** A number of some bytes, the low one first. */
const number = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);

/** What a zip file says of a file in it, right or wrong. */
interface Zipped {
  readonly name: string;
  readonly content: string;
  readonly method?: number;
  readonly flags?: number;
  /** Whether the header before the file says its sizes, which the directory does in any case. */
  readonly sizesLater?: boolean;
  /** Sizes and place as 64 bits in the extra field, behind another. */
  readonly wide?: boolean;
  /** Of its header, where that is not its place. */
  readonly place?: number;
}

interface ZipOptions {
  readonly directory?: boolean;
  /** The place of the directory is in a record of 64 bits. */
  readonly wide?: boolean;
  readonly comment?: string;
}

const ELSEWHERE = 0xffffffff;
/** A field of some other kind. */
const OTHER_EXTRA = [0x55, 0x54, 2, 0, 9, 9];

function zip(files: readonly Zipped[], { directory = true, wide = false, comment = '' }: ZipOptions = {}): Uint8Array {
  let local: Uint8Array = new Uint8Array(0);
  let central: Uint8Array = new Uint8Array(0);
  for (const file of files) {
    const { name, content, method = 0, flags = 0, sizesLater = false, place = local.length } = file;
    const bytes = text(content);
    const packed = method === 8 ? new Uint8Array(deflateRawSync(bytes)) : bytes;
    const sums = [...number(crc32(bytes), 4), ...number(packed.length, 4), ...number(bytes.length, 4)];
    const begin = [20, 0, ...number(flags, 2), ...number(method, 2), 0, 0, 0, 0];
    const known = sizesLater ? [...number(crc32(bytes), 4), 0, 0, 0, 0, 0, 0, 0, 0] : sums;
    const lengths = [...number(name.length, 2), ...number(OTHER_EXTRA.length, 2)];
    const extra = [
      ...OTHER_EXTRA,
      ...(file.wide ? [1, 0, 24, 0, ...[bytes.length, packed.length, place].flatMap((each) => number(each, 8))] : []),
    ];
    const places = file.wide ? number(ELSEWHERE, 4) : number(place, 4);
    const sizes = file.wide ? [...sums.slice(0, 4), ...number(ELSEWHERE, 4), ...number(ELSEWHERE, 4)] : sums;
    const head = [0x50, 0x4b, 1, 2, 20, 0, ...begin, ...sizes, ...number(name.length, 2), ...number(extra.length, 2)];
    central = concat(
      central,
      Uint8Array.of(...head, ...number(3, 2), ...new Array(8).fill(0), ...places),
      text(name),
      Uint8Array.from(extra),
      text('abc'),
    );
    local = concat(
      local,
      Uint8Array.of(0x50, 0x4b, 3, 4, ...begin, ...known, ...lengths),
      text(name),
      Uint8Array.from(OTHER_EXTRA),
      packed,
    );
  }
  if (!directory) return local;
  const sizes = [...number(central.length, 4), ...number(local.length, 4)];
  const sizes64 = [...number(central.length, 8), ...number(local.length, 8)];
  const record64 = wide ? [0x50, 0x4b, 6, 6, ...new Array(36).fill(0), ...sizes64] : [];
  const locator = wide ? [0x50, 0x4b, 6, 7, ...new Array(16).fill(0)] : [];
  const end = [0x50, 0x4b, 5, 6, 0, 0, 0, 0, ...number(files.length, 2), ...number(files.length, 2)];
  const where = wide ? [...number(ELSEWHERE, 4), ...number(ELSEWHERE, 4)] : sizes;
  const tail = Uint8Array.of(...record64, ...locator, ...end, ...where, ...number(comment.length, 2));
  return concat(local, central, tail, text(comment));
}

/** A header of a tar file, with a sum that is right. */
function tarHead(name: string, size: string | number[], type = '0', parts: { prefix?: string; magic?: string } = {}) {
  const head = new Uint8Array(512);
  head.set(text(name));
  head.set(typeof size === 'string' ? text(size) : size, 124);
  head.set(text(' '.repeat(8)), 148);
  head[156] = type.charCodeAt(0);
  head.set(text(parts.magic ?? 'ustar\u000000'), 257);
  head.set(text(parts.prefix ?? ''), 345);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.set(text(`${sum.toString(8).padStart(6, '0')}\0 `), 148);
  return head;
}

/** A file of a tar file, filled up to 512 bytes. */
const tarFile = (name: string, content: string, ...rest: [type?: string, parts?: object]): Uint8Array => {
  const bytes = text(content);
  const fill = new Uint8Array(-bytes.length & 511);
  return concat(tarHead(name, bytes.length.toString(8).padStart(11, '0'), ...rest), bytes, fill);
};

/** All that is said of the files of an archive, with their content. */
async function listed(bytes: Uint8Array): Promise<unknown[]> {
  const archive = await readArchive(bytesSource(bytes));
  const rows: unknown[] = [];
  for (const { name, size, source, problem } of archive?.entries ?? []) {
    const whole = await source.read(0, source.size);
    // what crosses the seams of its parts is the same
    if (source.size > 2) expect(await source.read(1, source.size - 2)).toEqual(whole.subarray(1, -1));
    const content = whole[0] === 0x1f && whole[1] === 0x8b ? gunzipSync(whole) : whole;
    rows.push([name, size, problem ?? Buffer.from(content).toString()]);
  }
  return rows;
}

describe('a zip file', () => {
  const two: Zipped[] = [
    { name: 'a.bin', content: 'some bytes' },
    { name: 'folder/b.bin', content: 'b'.repeat(3000), method: 8 },
  ];
  const both = [
    ['a.bin', 10, 'some bytes'],
    ['folder/b.bin', 3000, 'b'.repeat(3000)],
  ];

  test.each<[string, Uint8Array, unknown[]]>([
    ['stored and deflated', zip(two), both],
    ['with a comment', zip(two, { comment: 'a comment of some length' }), both],
    ['with sizes of 64 bits', zip(two.map((each) => ({ ...each, wide: true }))), both],
    ['with a directory of 64 bits', zip(two, { wide: true }), both],
    ['behind another archive', concat(zip([{ name: 'x', content: 'first' }]), zip(two)), both],
    ['without a directory', zip(two, { directory: false }), both],
    ['cut in its second file', zip(two, { directory: false }).subarray(0, -1).subarray(0, 60), [both[0]]],
    ['with an open file', zip([{ ...two[0], sizesLater: true, flags: 8 }], { directory: false }), [both[0]]],
    ['with sizes in the directory alone', zip([{ ...two[0], sizesLater: true, flags: 8 }]), [both[0]]],
    ['of nothing', zip([]), []],
  ])('%s', async (_, bytes, expected) => {
    expect((await readArchive(bytesSource(bytes)))?.kind).toBe('zip');
    expect(await listed(bytes)).toEqual(expected);
  });

  test.each<[string, Partial<Zipped>, string]>([
    ['an encrypted file', { flags: 1 }, 'is encrypted'],
    ['Deflate64', { method: 9 }, 'is compressed by Deflate64'],
    ['LZMA', { method: 14 }, 'is compressed by LZMA'],
    ['an unknown method', { method: 77 }, 'is compressed by method 77'],
    ['a place with no header', { place: 3 }, 'is not where the directory of the archive says'],
    ['a place behind the end', { place: 1e6 }, 'is not where the directory of the archive says'],
  ])('%s is listed with its problem', async (_, part, problem) => {
    const file = { name: 'a', content: 'abc', ...part };
    expect(await listed(zip([file, { name: 'b', content: 'well' }]))).toEqual([
      ['a', 3, problem],
      ['b', 4, 'well'],
    ]);
  });

  test('leaves out what is no file of the user, and shows no control characters', async () => {
    const names = ['folder/', '__MACOSX/a', 'x/__MACOSX/a', 'x/._a', '.DS_Store', 'x/Thumbs.db', 'real', 'a\x1b[0m'];
    const files = [...names.map((name) => ({ name, content: 'abc' })), { name: 'empty', content: '' }];
    expect((await listed(zip(files))).map((row) => (row as string[])[0])).toEqual(['real', 'a\ufffd[0m']);
  });
});

describe('a tar file', () => {
  const long = `${'folder/'.repeat(20)}flight.bin`;

  test.each<[string, Uint8Array, unknown[]]>([
    [
      'of two files',
      concat(tarFile('a.bin', 'one'), tarFile('b.bin', 'x'.repeat(512)), tarFile('c', 'last', '7')),
      [
        ['a.bin', 3, 'one'],
        ['b.bin', 512, 'x'.repeat(512)],
        ['c', 4, 'last'],
      ],
    ],
    ['with a prefix', tarFile('b.bin', 'two', '0', { prefix: 'some/folder' }), [['some/folder/b.bin', 3, 'two']]],
    [
      'of GNU, where a prefix is something else',
      tarFile('b.bin', 'two', '0', { prefix: '123', magic: 'ustar  \0' }),
      [['b.bin', 3, 'two']],
    ],
    [
      'with a long name, of one file alone',
      concat(tarFile('././@LongLink', long, 'L'), tarFile('cut', 'one'), tarFile('own', 'two')),
      [
        [long, 3, 'one'],
        ['own', 3, 'two'],
      ],
    ],
    [
      'with attributes of pax',
      concat(tarFile('x', `20 mtime=1700000000\n30 path=${long}\n`, 'x'), tarFile('cut', 'one')),
      [[long, 3, 'one']],
    ],
    [
      'with a folder and a link',
      concat(tarFile('f/', '', '5'), tarFile('l', '', '2'), tarFile('a', 'b')),
      [['a', 1, 'b']],
    ],
    [
      'with a size as bytes',
      concat(tarHead('a', [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]), text('y'.repeat(1024))),
      [['a', 258, 'y'.repeat(258)]],
    ],
    ['whose second header is damaged', concat(tarFile('a', 'b'), tarFile('c', 'd').fill(1, 3, 4)), [['a', 1, 'b']]],
  ])('%s', async (_, bytes, expected) => {
    expect((await readArchive(bytesSource(bytes)))?.kind).toBe('tar');
    expect(await listed(bytes)).toEqual(expected);
  });
});

test('anything else is none', async () => {
  for (const bytes of [text('PK'), text('PK\x01\x02'), new Uint8Array(512), tarHead('a', '1').fill(2, 0, 1)])
    expect(await readArchive(bytesSource(bytes))).toBeUndefined();
});
