import { joined } from '../core/bytes.ts';
import { bytesSource, type Source } from '../core/source.ts';
import { textOf } from '../core/text.ts';
import { ARCHIVE_LIMITS } from './limits.ts';

/*
 * Archives that logs come in. Nothing of them is ever written: a file in one is a source.
 *
 * zip, https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT: files, each after a header; then a directory of them,
 * which an end record of 22 bytes points to. Where the directory is lost, the headers are walked.
 *
 *     local header      50 4b 03 04 ... method (8)  sum (14)  packed (18)  size (22)  name length (26)  extra length (28)
 *     directory entry   50 4b 01 02 ... flags (8)  method (10)  sum (16)  packed (20)  size (24)  name (28)  extra (30)
 *                       comment (32)  attributes (38)  place (42)  name  extra  comment
 *     end               50 4b 05 06 ... entries (10)  directory size (12)  its place (16)
 *
 * tar, https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html: a header of 512 bytes before each file, which
 * is filled up to 512. Numbers are octal text; the sum of the header's bytes proves it.
 *
 *     name (0, 100)   size (124, 12)   sum (148, 8)   type (156)   "ustar" (257)   prefix (345, 155)
 */

export interface ArchiveEntry {
  /** Its name with its folders, as the archive has it: of use for showing and choosing only. */
  readonly name: string;
  readonly size: number;
  /** Its bytes; where they are compressed, as a gzip file. */
  readonly source: Source;
  /** Why it cannot be read, if it cannot. */
  readonly problem: string | undefined;
}

export interface Archive {
  readonly kind: 'zip' | 'tar';
  readonly entries: readonly ArchiveEntry[];
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const END64_LOCATOR = 20;
const END64_BYTES = 56;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
/** The sizes are after the file, not before it. */
const SIZES_LATER = 8;
/** A number of 32 bits in place of one of 64 in the extra field 1. */
const ELSEWHERE = 0xffffffff;

const BLOCK = 512;
/** Types of tar entries: a file in three ways, a long name of GNU, attributes of pax. */
const TAR_FILE: ReadonlySet<string> = new Set(['0', '\0', '7']);
const TAR_LONG_NAME = 'L';
const TAR_PAX = 'x';

export async function readArchive(source: Source): Promise<Archive | undefined> {
  const head = await source.read(0, BLOCK);
  if (isZip(head)) return { kind: 'zip', entries: filesOf(await zipEntries(source)) };
  if (isTarHeader(head)) return { kind: 'tar', entries: filesOf(await tarEntries(source)) };
  return undefined;
}

function isZip(head: Uint8Array): boolean {
  if (head.length < 4) return false;
  const first = viewOf(head).getUint32(0, true);
  return first === LOCAL || first === END;
}

/** Without folders, empty files, and what macOS and file managers add. */
function filesOf(entries: readonly ArchiveEntry[]): ArchiveEntry[] {
  return entries.filter(
    ({ name, size }) => size > 0 && !/[/\\]$|(^|\/)(__MACOSX\/|\._|\.DS_Store$|Thumbs\.db$)/.test(name),
  );
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function shownName(bytes: Uint8Array): string {
  return textOf(bytes, 0, Math.min(bytes.length, ARCHIVE_LIMITS.nameBytes)).replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}

async function zipEntries(source: Source): Promise<ArchiveEntry[]> {
  const directory = await zipDirectory(source);
  const entries: ArchiveEntry[] = [];
  if (!directory) return localEntries(source);
  const { bytes, shift } = directory;
  const view = viewOf(bytes);
  let at = 0;
  while (at + CENTRAL_BYTES <= bytes.length && entries.length < ARCHIVE_LIMITS.entries) {
    if (view.getUint32(at, true) !== CENTRAL) break;
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const next = at + CENTRAL_BYTES + name + extra + comment;
    if (next > bytes.length) break;
    const extras = bytes.subarray(at + CENTRAL_BYTES + name, at + CENTRAL_BYTES + name + extra);
    const [size, packed, place] = wide(
      extras,
      [24, 20, 42].map((field) => view.getUint32(at + field, true)),
    );
    entries.push(
      await zipEntry(source, {
        name: shownName(bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + name)),
        flags: view.getUint16(at + 8, true),
        method: view.getUint16(at + 10, true),
        sum: view.getUint32(at + 16, true),
        ...{ packed, size, place: place + shift },
      }),
    );
    at = next;
  }
  return entries;
}

/** Sizes and place of an entry, those of 64 bits from the extra field 1. */
function wide(extras: Uint8Array, numbers: readonly number[]): number[] {
  const view = viewOf(extras);
  for (let at = 0; at + 4 <= extras.length; ) {
    const [id, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    if (id === 1) {
      let from = at + 4;
      const stop = Math.min(from + length, extras.length);
      return numbers.map((number) => {
        if (number !== ELSEWHERE || from + 8 > stop) return number;
        from += 8;
        return Number(view.getBigUint64(from - 8, true));
      });
    }
    at += 4 + length;
  }
  return [...numbers];
}

interface Directory {
  readonly bytes: Uint8Array;
  /** What comes before the archive: places count from its beginning. */
  readonly shift: number;
}

async function zipDirectory(source: Source): Promise<Directory | undefined> {
  const from = Math.max(0, source.size - END_BYTES - 0xffff);
  const tail = await source.read(from, source.size - from);
  const view = viewOf(tail);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== END) continue;
    let end = from + at;
    let [size, place] = [view.getUint32(at + 12, true), view.getUint32(at + 16, true)];
    if (size === ELSEWHERE || place === ELSEWHERE) {
      end = Math.max(0, end - END64_LOCATOR - END64_BYTES);
      const wider = await source.read(end, END64_BYTES);
      if (wider.length < END64_BYTES || viewOf(wider).getUint32(0, true) !== END64) return undefined;
      [size, place] = [40, 48].map((field) => Number(viewOf(wider).getBigUint64(field, true)));
    }
    const start = end - size;
    if (start < 0 || size > ARCHIVE_LIMITS.directoryBytes) continue;
    return { bytes: await source.read(start, size), shift: Math.max(0, start - place) };
  }
  return undefined;
}

/** The files of a zip file whose directory is lost, as far as their headers lead to each other. */
async function localEntries(source: Source): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (let place = 0; place + LOCAL_BYTES <= source.size && entries.length < ARCHIVE_LIMITS.entries; ) {
    const head = viewOf(await source.read(place, LOCAL_BYTES));
    if (head.byteLength < LOCAL_BYTES || head.getUint32(0, true) !== LOCAL) break;
    const start = place + LOCAL_BYTES + head.getUint16(26, true) + head.getUint16(28, true);
    const flags = head.getUint16(6, true);
    // without its size a file goes on as far as it can be unpacked
    const isOpen = (flags & SIZES_LATER) !== 0 && head.getUint32(18, true) === 0;
    const packed = isOpen ? Math.max(0, source.size - start) : head.getUint32(18, true);
    entries.push(
      await zipEntry(source, {
        name: shownName(await source.read(place + LOCAL_BYTES, head.getUint16(26, true))),
        flags,
        method: head.getUint16(8, true),
        sum: head.getUint32(14, true),
        size: isOpen ? packed : head.getUint32(22, true),
        ...{ packed, place },
      }),
    );
    place = start + packed;
  }
  return entries;
}

interface ZipFile {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly sum: number;
  readonly packed: number;
  readonly size: number;
  /** Of its local header. */
  readonly place: number;
}

const METHODS: Readonly<Record<number, string>> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'xz',
};

async function zipEntry(source: Source, file: ZipFile): Promise<ArchiveEntry> {
  const { name, size, packed, method, sum, flags, place } = file;
  const head = await source.read(place, LOCAL_BYTES);
  const view = viewOf(head);
  const isThere = head.length === LOCAL_BYTES && view.getUint32(0, true) === LOCAL;
  let problem: string | undefined;
  if (!isThere) problem = 'is not where the directory of the archive says';
  else if (flags & ENCRYPTED) problem = 'is encrypted';
  else if (method !== STORED && method !== DEFLATED)
    problem = `is compressed by ${METHODS[method] ?? `method ${method}`}`;
  if (problem !== undefined) return { name, size, source: bytesSource(new Uint8Array(0)), problem };
  const start = place + LOCAL_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
  const bytes = sliceSource(source, start, packed);
  return { name, size, source: method === STORED ? bytes : asGzip(bytes, sum, size), problem };
}

/** Deflated bytes with what gzip has around them: a sum and a size, which zip knows too. */
function asGzip(deflated: Source, sum: number, size: number): Source {
  const head = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
  const tail = new Uint8Array(8);
  viewOf(tail).setUint32(0, sum, true);
  viewOf(tail).setUint32(4, size % 2 ** 32, true);
  return joinedSource([bytesSource(head), deflated, bytesSource(tail)]);
}

function sliceSource(source: Source, start: number, length: number): Source {
  const size = Math.max(0, Math.min(length, source.size - start));
  const { readNow } = source;
  const least = (offset: number, count: number): number => Math.max(0, Math.min(count, size - offset));
  return {
    size,
    read: (offset, count, scratch) => source.read(start + offset, least(offset, count), scratch),
    ...(readNow
      ? { readNow: (offset, count, scratch) => readNow.call(source, start + offset, least(offset, count), scratch) }
      : {}),
  };
}

function joinedSource(parts: readonly Source[]): Source {
  return {
    size: parts.reduce((sum, part) => sum + part.size, 0),
    read: async (offset, length) => {
      const pieces: Uint8Array[] = [];
      let from = offset;
      let left = length;
      for (const part of parts) {
        if (from < part.size && left > 0) {
          const piece = await part.read(from, left);
          pieces.push(piece);
          left -= piece.length;
          from = 0;
        } else {
          from = Math.max(0, from - part.size);
        }
      }
      return joined(pieces);
    },
  };
}

async function tarEntries(source: Source): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= source.size && entries.length < ARCHIVE_LIMITS.entries; ) {
    const head = await source.read(at, BLOCK);
    if (!isTarHeader(head)) break;
    const size = tarNumber(head, 124, 12);
    const type = String.fromCharCode(head[156]);
    const start = at + BLOCK;
    if (type === TAR_LONG_NAME || type === TAR_PAX) {
      const bytes = await source.read(start, Math.min(size, ARCHIVE_LIMITS.nameBytes));
      longName = type === TAR_PAX ? (paxPath(bytes) ?? longName) : shownName(bytes);
    } else {
      if (TAR_FILE.has(type)) {
        const prefix =
          textOf(head, 257, 262) === 'ustar' && head[263] === 0x30 ? shownName(head.subarray(345, 500)) : '';
        const own = shownName(head.subarray(0, 100));
        const name = longName ?? (prefix === '' ? own : `${prefix}/${own}`);
        entries.push({ name, size, source: sliceSource(source, start, size), problem: undefined });
      }
      longName = undefined;
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}

/** Whether the sum of a header is right; its own field counts as blanks. */
function isTarHeader(head: Uint8Array): boolean {
  if (head.length < BLOCK || head[0] === 0) return false;
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += head[i];
  return sum === tarNumber(head, 148, 8) && Number.isSafeInteger(tarNumber(head, 124, 12));
}

/** A number as octal text, or, with its highest bit set, as bytes. */
function tarNumber(head: Uint8Array, at: number, length: number): number {
  if (head[at] === 0x80) return head.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256 + byte, 0);
  const digits = textOf(head, at, at + length).trim();
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

/** The path among attributes such as `30 path=folder/flight.bin`. */
function paxPath(bytes: Uint8Array): string | undefined {
  return /^\d+ path=(.*)$/m.exec(shownName(bytes).replaceAll('\ufffd', '\n'))?.[1];
}
