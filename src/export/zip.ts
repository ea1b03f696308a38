/*
 * A zip file of several files, each compressed as it comes, so that none must fit in memory.
 *
 *     per file   50 4b 03 04 | version | flags | method | time | date | crc, sizes (0: after the data) | name | extra
 *                data
 *                50 4b 07 08 | crc | size compressed | size
 *     at the end 50 4b 01 02 ... | an entry a file with its sizes and where it begins
 *                50 4b 05 06 ... | how many entries, where they begin
 *
 * Sizes are 64 bits where 32 may not do. All files are dated 1980, the first date that the format knows: the same input
 * gives the same bytes.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
import { crc32 } from '../core/checksum.ts';

export interface ZipEntry {
  readonly name: string;
  /** How many bytes there are, or a little fewer than it may be: it decides how sizes are written. */
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const DEFLATED = 8;
/** Sizes come after the data; names are UTF-8. */
const FLAGS = 0x0808;
const FIRST_DATE = 0x21;
const VERSION = 20;
const VERSION_64 = 45;
const MOST_32 = 0xffff_ffff;
const MOST_16 = 0xffff;
/** From here on compression might make more than 32 bits of it. */
const LARGE = 0xf000_0000;

interface Written {
  readonly name: Uint8Array;
  readonly crc: number;
  readonly size: number;
  readonly packed: number;
  readonly at: number;
}

const encoder = new TextEncoder();

export async function* writeZip(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const written: Written[] = [];
  let at = 0;
  for await (const entry of entries) {
    const name = encoder.encode(entry.name);
    const isLarge = entry.size >= LARGE;
    const head = localHeader(name, isLarge);
    yield head;
    const sums = { crc: 0, size: 0 };
    let packed = 0;
    for await (const piece of deflate(counted(entry.bytes, sums))) {
      packed += piece.length;
      yield piece;
    }
    const tail = descriptor(sums.crc, packed, sums.size, isLarge);
    yield tail;
    written.push({ name, crc: sums.crc, size: sums.size, packed, at });
    at += head.length + packed + tail.length;
  }
  const start = at;
  for (const each of written) {
    const record = centralRecord(each);
    at += record.length;
    yield record;
  }
  yield endRecords(written.length, start, at - start);
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  sums: { crc: number; size: number },
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    sums.crc = crc32(piece, sums.crc);
    sums.size += piece.length;
    yield piece;
  }
}

async function* deflate(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = new CompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  const feeding = (async () => {
    for await (const piece of bytes) await writer.write(piece.slice());
    await writer.close();
  })();
  // an error of the source must end the reading too
  feeding.catch((error: unknown) => writer.abort(error));
  const reader = stream.readable.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    yield value;
  }
  await feeding;
}

/** Numbers of 2, 4 and 8 bytes one after the other, the lowest byte first. */
class Record {
  private readonly bytes: number[] = [];

  two(...values: number[]): this {
    return this.put(2, values);
  }

  four(...values: number[]): this {
    return this.put(4, values);
  }

  eight(...values: number[]): this {
    return this.put(8, values);
  }

  text(bytes: Uint8Array): this {
    this.bytes.push(...bytes);
    return this;
  }

  private put(width: number, values: readonly number[]): this {
    for (let rest of values) for (let i = 0; i < width; i++, rest = Math.floor(rest / 256)) this.bytes.push(rest % 256);
    return this;
  }

  done(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}

function localHeader(name: Uint8Array, isLarge: boolean): Uint8Array {
  const record = new Record().four(LOCAL).two(isLarge ? VERSION_64 : VERSION, FLAGS, DEFLATED, 0, FIRST_DATE);
  const size = isLarge ? MOST_32 : 0;
  record
    .four(0, size, size)
    .two(name.length, isLarge ? 20 : 0)
    .text(name);
  // the presence of this field says that the sizes after the data have 64 bits
  if (isLarge) record.two(1, 16).eight(0, 0);
  return record.done();
}

function descriptor(crc: number, packed: number, size: number, isLarge: boolean): Uint8Array {
  const record = new Record().four(DESCRIPTOR, crc);
  return (isLarge ? record.eight(packed, size) : record.four(packed, size)).done();
}

function centralRecord({ name, crc, size, packed, at }: Written): Uint8Array {
  const isLarge = Math.max(size, packed, at) >= LARGE;
  const version = isLarge ? VERSION_64 : VERSION;
  const small = (value: number): number => (isLarge ? MOST_32 : value);
  const record = new Record().four(CENTRAL).two(version, version, FLAGS, DEFLATED, 0, FIRST_DATE);
  record.four(crc, small(packed), small(size)).two(name.length, isLarge ? 28 : 0, 0, 0, 0);
  record.four(0, small(at)).text(name);
  if (isLarge) record.two(1, 24).eight(size, packed, at);
  return record.done();
}

function endRecords(entries: number, start: number, size: number): Uint8Array {
  const record = new Record();
  if (entries >= MOST_16 || start + size >= LARGE) {
    record.four(END_64).eight(44).two(VERSION_64, VERSION_64).four(0, 0).eight(entries, entries, size, start);
    record
      .four(LOCATOR_64, 0)
      .eight(start + size)
      .four(1);
  }
  const count = Math.min(entries, MOST_16);
  record.four(END).two(0, 0, count, count);
  return record
    .four(size >= LARGE ? MOST_32 : size, start + size >= LARGE ? MOST_32 : start)
    .two(0)
    .done();
}
