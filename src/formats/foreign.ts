import type { ForeignFile } from '../core/format.ts';
import { hexOf, textOf } from '../core/text.ts';
import { knownSentence } from './nmea/catalog.ts';
import { refusal } from './ulog/flags.ts';

/*
 * Files that Skein does not read, and what to do with each. A refusal that names the file is an answer; one that
 * names nothing is not.
 */

const NOT_A_LOG = 'not a log';
const MADE = 'not supported; open the log that it was made from';
const unpack = (command: string): string => `unpack it first: ${command}`;

/** What a file begins with, or has at an offset: bytes as hexadecimal digits, for files that are not text, or text. */
type Signature = readonly [bytes: string, name: string, advice: string, offset?: number];

const SIGNATURES: readonly Signature[] = [
  ['894d434150300d0a', 'MCAP recording', MADE],
  ['PAR1', 'Parquet table', `${MADE}, or query it with DuckDB`],
  ['ARROW1', 'Arrow table', `${MADE}, or query it with DuckDB`],
  ['#ROSBAG V', 'ROS 1 bag', 'not supported; export its MAVLink or NMEA topics as a stream of bytes'],
  ['SQLite format 3\0', 'SQLite database', NOT_A_LOG],
  ['504b0304', 'zip archive', unpack('unzip FILE')],
  ['504b0506', 'empty zip archive', NOT_A_LOG],
  ['ustar', 'tar archive', unpack('tar xf FILE'), 257],
  ['377abcaf271c', '7-Zip archive', unpack('7z x FILE')],
  ['314159265359', 'bzip2 file', unpack('bunzip2 FILE'), 4],
  ['fd377a585a00', 'xz file', unpack('unxz FILE')],
  ['28b52ffd', 'Zstandard file', unpack('unzstd FILE')],
  ['04224d18', 'LZ4 file', unpack('lz4 -d FILE')],
  ['1f9d', 'compress file (.Z)', unpack('gunzip FILE')],
  ['Rar!', 'RAR archive', unpack('unrar x FILE')],
  ['89504e470d0a1a0a', 'PNG image', NOT_A_LOG],
  ['ffd8ff', 'JPEG image', NOT_A_LOG],
  ['GIF8', 'GIF image', NOT_A_LOG],
  ['49492a00', 'TIFF image', NOT_A_LOG],
  ['4d4d002a', 'TIFF image', NOT_A_LOG],
  ['RIFF', 'RIFF file (AVI, WAV or WebP)', NOT_A_LOG],
  ['%PDF-', 'PDF document', NOT_A_LOG],
  ['ftyp', 'MP4 or MOV video', NOT_A_LOG, 4],
  ['7f454c46', 'ELF program', NOT_A_LOG],
  ['4d5a', 'Windows program', NOT_A_LOG],
  ['894844460d0a1a0a', 'HDF5 or MATLAB 7.3 file', MADE],
  ['MATLAB 5.0 MAT-file', 'MATLAB file', MADE],
  ['d0cf11e0a1b11ae1', 'old Microsoft Office document', NOT_A_LOG],
  ['1b67', 'ArduPilot parameters (param.pck)', NOT_A_LOG],
  ['1c67', 'ArduPilot parameters (param.pck)', NOT_A_LOG],
  ['H Product:Blackbox', 'Betaflight or INAV blackbox log', 'not supported'],
  ['version https://git-lfs.github.com/spec/', 'Git LFS pointer', 'the log itself is not here; get it: git lfs pull'],
  ['QGC WPL', 'mission file', NOT_A_LOG],
];

/** What XML and HTML have near their beginning. */
const MARKUP: readonly (readonly [tag: RegExp, name: string, advice: string])[] = [
  [/<kml[\s>]/i, 'KML map', MADE],
  [/<gpx[\s>]/i, 'GPX track', MADE],
  [/<mavlink[\s>]/i, 'MAVLink dialect', 'not a log; read a log with it: skein info --dialect FILE LOG'],
  [/<!doctype html|<html[\s>]/i, 'web page', 'not a log; the download gave a page in place of the file'],
  [/<\?xml|<svg[\s>]/i, 'XML document', NOT_A_LOG],
];

/** What JSON has near its beginning. */
const JSON_KINDS: readonly (readonly [key: RegExp, name: string, advice: string])[] = [
  [/"type"\s*:\s*"(Feature|FeatureCollection|Point|LineString|Polygon|Multi\w+)"/, 'GeoJSON map', MADE],
  [/^\s*\{\s*"meta"\s*:\s*\{[^{}]*"type"\s*:/, 'JSON of mavlogdump.py', 'open the log that it was made from'],
  [
    /^\s*\{\s*"type"\s*:[^\n]*"at"\s*:\s*\d+[^\n]*"data"\s*:/,
    'output of skein dump',
    'open the log that it was made from',
  ],
  [/"fileType"\s*:\s*"Plan"/, 'mission plan of QGroundControl', NOT_A_LOG],
];

/** A parameter: `NAME,1`, `NAME 1`, `NAME = 1`, or that of QGroundControl: `1 1 NAME 1 9`. */
const PARAMETER =
  /^\s*(?:\d+\s+\d+\s+)?[A-Z][A-Z0-9_]{1,16}(?:\s*[,=:]\s*|\s+)[-+]?[\d.]+(?:e[-+]?\d+)?(?:\s+\d+)?\s*(?:[#@].*)?$/i;
/** A message as mavlogdump.py prints it: `2024-01-01 12:00:00.00: ATTITUDE {roll : 0.1}`. */
const PRINTED_MESSAGE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: \w+ \{/;
/** Four bytes or more in hexadecimal, after a time or an offset if there is one. */
const HEX_LINE = /^\s*(?:[\d:.]+\s+)?(?:(?:0x)?[\da-f]{4,8}:?\s+)?(?:(?:0x)?[\da-f]{2}[\s,]+){4}|^\s*[\da-f]{16,}\s*$/i;
const SENTENCE = /^\s*[$!]([A-Z]{2}[A-Z0-9]{3}|P[A-Z0-9]{3,}),[^*]*\*[0-9A-F]{2}\s*$/i;

/** A record of a text log of ArduPilot: `ATT, 123456, 0.1, 0.2`. */
const TEXT_RECORD = /^\s*[A-Z][A-Z0-9]{1,3}(?:, [^,]+){2,}$/;
const NUMBER = /^\s*"?[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"?\s*$/i;

/** Part of the lines that must be of a kind. */
const MOST = 0.6;
const LINES = 200;

/** Bytes of a signature that is enough, whatever else is in the file. */
const SURE = 4;

/** What a file is by a signature that is not chance: what is inside such a file is not a log. */
export function signedFile(head: Uint8Array): ForeignFile | undefined {
  const refused = refusal(head);
  if (refused !== undefined) return { name: 'PX4 ULog', advice: refused };
  if (begins(head, 'ULogEnc', 0)) return encryptedLog(head);
  return signed(head, ([bytes]) => lengthOf(bytes) >= SURE);
}

/** What a file is that no format claims, by its beginning; for bytes that are nothing known, how they begin. */
export function foreignFile(head: Uint8Array, size: number): ForeignFile {
  const text = textIn(head);
  const isText = typeof text === 'string';
  const found = signed(head, ([bytes]) => !(isText && isHex(bytes)));
  if (found) return found;
  if (text === undefined)
    return { name: `${size} bytes of unknown binary data`, advice: `they begin with ${hexOf(head.subarray(0, 16))}` };
  return isText ? foreignText(text) : text;
}

function signed(head: Uint8Array, isOf: (signature: Signature) => boolean): ForeignFile | undefined {
  const found = SIGNATURES.find((each) => isOf(each) && begins(head, each[0], each[3] ?? 0));
  if (!found) return undefined;
  const [, name, advice] = found;
  return name === 'SQLite database' ? database(head) : { name, advice };
}

/** A signature of an even number of lower-case digits is bytes, all others are text. */
function isHex(signature: string): boolean {
  return /^(?:[\da-f]{2})+$/.test(signature);
}

function lengthOf(signature: string): number {
  return isHex(signature) ? signature.length / 2 : signature.length;
}

function begins(head: Uint8Array, signature: string, offset: number): boolean {
  const isBytes = isHex(signature);
  const length = lengthOf(signature);
  if (head.length < offset + length) return false;
  for (let i = 0; i < length; i++) {
    const expected = isBytes ? Number.parseInt(signature.slice(2 * i, 2 * i + 2), 16) : signature.charCodeAt(i);
    if (head[offset + i] !== expected) return false;
  }
  return true;
}

/** A header says which of the keys that the vehicle had wraps that of the log; the maker of the vehicle has both. */
function encryptedLog(head: Uint8Array): ForeignFile {
  const key = head.length > KEY_AT ? ` ${head[KEY_AT]}` : '';
  return {
    name: 'encrypted PX4 ULog (.ulge)',
    advice: `its key is wrapped by public key${key} of the vehicle: --key FILE with the private key opens it`,
  };
}

/** Where the header of an encrypted log has the number of the key. */
const KEY_AT = 17;

/** The tables of a database are named on its first page. */
function database(head: Uint8Array): ForeignFile {
  let text = '';
  for (const byte of head.subarray(0, 8192)) text += String.fromCharCode(byte);
  const isBag = /CREATE TABLE topics/i.test(text) && /CREATE TABLE messages/i.test(text);
  return isBag
    ? { name: 'ROS 2 bag', advice: 'not supported; export its MAVLink or NMEA topics as a stream of bytes' }
    : { name: 'SQLite database', advice: NOT_A_LOG };
}

/** The beginning as text; undefined if it is not text. Of other encodings only the name is of use. */
function textIn(head: Uint8Array): string | ForeignFile | undefined {
  const wide = (name: string): ForeignFile => ({
    name: `${name} text`,
    advice: `convert it first: iconv -f ${name} -t UTF-8 FILE`,
  });
  if (begins(head, 'fffe', 0) || begins(head, 'feff', 0)) return wide('UTF-16');
  const zeros = [0, 0];
  let controls = 0;
  for (let i = 0; i < head.length; i++) {
    if (head[i] === 0) zeros[i & 1]++;
    else if (head[i] < 0x20 && (head[i] < 9 || head[i] > 13) && head[i] !== 0x1b) controls++;
  }
  const half = head.length / 2;
  if (zeros[1] > 0.9 * half && zeros[0] < 0.1 * half) return wide('UTF-16LE');
  if (zeros[0] > 0.9 * half && zeros[1] < 0.1 * half) return wide('UTF-16BE');
  if (zeros[0] + zeros[1] > 0 || controls > head.length / 100) return undefined;
  try {
    // a letter may be cut at the end of what was read
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    if (controls > 0) return undefined;
  }
  return textOf(head, 0, head.length);
}

function foreignText(text: string): ForeignFile {
  const start = text.trimStart().slice(0, 4096);
  if (start.startsWith('<')) {
    const found = MARKUP.find(([tag]) => tag.test(start));
    if (found) return { name: found[1], advice: found[2] };
  }
  if (/^[{[]/.test(start)) {
    const found = JSON_KINDS.find(([key]) => key.test(start));
    if (found) return { name: found[1], advice: found[2] };
    if (/^(?:\{\s*(?:"|\})|\[\s*(?:[{["\d-]|\]))/.test(start)) return { name: 'JSON', advice: NOT_A_LOG };
  }
  const lines = text
    .split(/\r\n|\n|\r/, LINES)
    .map((line) => line.slice(0, 1024))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const isMostly = (kind: (line: string) => boolean): boolean =>
    lines.length > 0 && lines.filter(kind).length >= MOST * lines.length;
  if (isMostly(isSentence)) {
    const advice = 'not read: damage cannot be detected; was the file edited or converted?';
    return { name: 'NMEA 0183 in which every checksum is wrong', advice };
  }
  if (isMostly((line) => PARAMETER.test(line)))
    return { name: 'parameter file', advice: 'not a log; compare it with one: skein params LOG --diff FILE' };
  if (isMostly((line) => PRINTED_MESSAGE.test(line)))
    return { name: 'text of mavlogdump.py', advice: 'open the log that it was made from' };
  if (isMostly((line) => HEX_LINE.test(line)))
    return { name: 'hex dump', advice: 'bytes written as text; convert it back to bytes first, as xxd -r does' };
  if (isMostly((line) => TEXT_RECORD.test(line))) {
    const advice = 'not read, since FMT lines say what its fields are; get the whole log, from its beginning';
    return { name: 'text log of ArduPilot without its FMT lines', advice };
  }
  for (const [separator, name] of [
    [',', 'CSV table'],
    ['\t', 'table with tabs'],
    [';', 'CSV table with semicolons'],
  ] as const) {
    const rows = lines.slice(0, -1).map((line) => line.split(separator));
    const isEven = rows.filter(({ length }) => length === rows[0].length).length >= 0.9 * rows.length;
    // prose may have a comma in each line
    const isTable = rows[0]?.length > 2 || isMostly((line) => line.split(separator).some((cell) => NUMBER.test(cell)));
    if (rows.length > 1 && rows[0].length > 1 && isEven && isTable) return { name, advice: MADE };
  }
  return {
    name: 'text',
    advice: `not a log; it begins with ${JSON.stringify(start.split(/[\r\n]/, 1)[0].slice(0, 60))}`,
  };
}

/** A line that is a sentence but for its checksum, of a kind that is known. */
function isSentence(line: string): boolean {
  const name = SENTENCE.exec(line)?.[1].toUpperCase();
  return name !== undefined && (name.startsWith('P') || knownSentence(name.slice(2)) !== undefined);
}
