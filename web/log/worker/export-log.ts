import {
  caseFolded,
  columnNames,
  DerivedTable,
  fileName,
  LineWriter,
  type Log,
  type RecordTable,
  readBlocks,
  readTrack,
  rowFrom,
  type Table,
  type TableRange,
  TRACK_FORMATS,
  type Track,
  titleOf,
  uniqueNames,
  writeCsv,
  writeZip,
  type ZipEntry,
} from '../../../src/entry/pages.ts';
import type { Note } from '../notes.ts';
import type { OpenLog } from './open-log.ts';
import { type SubtitleFormat, subtitlesOf } from './subtitles.ts';

export type ExportFormat = 'csv' | 'jsonl' | 'parquet' | 'geojson' | 'kml' | 'gpx' | SubtitleFormat;

export interface ExportRequest {
  readonly format: ExportFormat;
  /** The name of the file, without extension. */
  readonly name: string;
  readonly tables?: readonly { readonly name: string; readonly stream: string }[] | undefined;
  /** Expressions, each written as one more table; JSON lines hold records only. */
  readonly expressions?: readonly string[] | undefined;
  /** Microseconds of the log's clock, the end not included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** What the user noted: a point each in tracks, a line in subtitles. */
  readonly notes?: readonly Note[] | undefined;
}

export interface ExportedFile {
  readonly name: string;
  readonly blob: Blob;
}

/** Microseconds after a position in which it is that of a note. */
const LATEST = 10e6;

/** Writes a log or a part of it, as `skein export` does. Several files come in a zip. */
export async function exportLog(file: OpenLog, request: ExportRequest): Promise<ExportedFile> {
  const { format, name, from, to } = request;
  const { log } = file;
  const tables = (
    request.tables ? request.tables.flatMap((table) => file.tablesOf(table.name, table.stream)) : log.tables
  ).filter(({ rows }) => rows > 0);
  const range = { from, to };
  const track = TRACK_FORMATS.find((each) => each.name === format);
  if (track && format !== 'csv') {
    const modes = await file.modes();
    const flown = await readTrack(log, { name, ...range });
    const noted = (request.notes ?? []).flatMap((note) => notePoint(flown, note));
    const tracks = noted.length === 0 ? flown : [flown, ...noted];
    return blobOf(`${name}.${track.extension}`, [...track.write(tracks, { modes })]);
  }
  if (format === 'srt' || format === 'vtt') {
    const { start, end } = await file.summary();
    const noted = (request.notes ?? []).map((note) => ({ time: note.from, text: note.text }));
    const messages = [...(await file.messages()), ...noted].sort((a, b) => a.time - b.time);
    const source = { modes: await file.modes(), messages, track: await readTrack(log) };
    return blobOf(`${name}.${format}`, [subtitlesOf(source, format, from ?? start ?? 0, to ?? end ?? 0)]);
  }
  if (format === 'jsonl') return blobOf(`${name}.jsonl`, await gathered(lines(log, tables, range)));
  const computed = (request.expressions ?? []).map((text) => expressionTable(file, text));
  const entries = [...tables, ...computed].map((table) => ({
    title: titleOf(table),
    bytes: () => tablePieces(table, format === 'csv' ? 'csv' : 'parquet', range),
  }));
  if (entries.length === 1) return blobOf(`${name}-${entries[0].title}.${format}`, await gathered(entries[0].bytes()));
  // tables whose definition changed have the same title
  const titles = uniqueNames(
    entries.map(({ title }) => fileName(title)),
    caseFolded,
  );
  const zipped = entries.map(({ bytes }, i): ZipEntry => ({ name: `${titles[i]}.${format}`, size: 0, bytes: bytes() }));
  return blobOf(`${name}-${format}.zip`, await gathered(writeZip(zipped)));
}

/** Where the vehicle was at a note, as a track of one point; none before or after the track. */
function notePoint(track: Track, { from, text }: Note): Track[] {
  const row = rowFrom(track.time, from + 1) - 1;
  if (row < 0 || from - track.time[row] > LATEST) return [];
  const at = (column: Float64Array): Float64Array => column.slice(row, row + 1);
  const { time, lat, lon, alt, speed, course } = track;
  const point = { time: at(time), lat: at(lat), lon: at(lon), alt: at(alt), speed: at(speed), course: at(course) };
  return [{ ...track, ...point, name: text, source: '', points: 1 }];
}

async function* lines(log: Log, tables: readonly RecordTable[], range: TableRange): AsyncGenerator<Uint8Array> {
  const writers = tables.map((table) => new LineWriter(table));
  for await (const block of readBlocks(log, { tables, ...range })) {
    let text = '';
    block.walk((index, row, time, offset) => {
      text += writers[index].line(block.columns[index], row, time, offset);
      return true;
    });
    yield encoder.encode(text);
  }
}

function expressionTable(file: OpenLog, text: string): DerivedTable {
  return new DerivedTable({
    name: text,
    stream: '',
    fields: [{ name: text, unit: '' }],
    async *records() {
      const { times, values } = (await file.expression(text)).series;
      for (let row = 0; row < times.length; row++) yield { time: times[row], at: 0, data: { [text]: values[row] } };
    },
  });
}

async function* tablePieces(table: Table, format: 'csv' | 'parquet', range: TableRange): AsyncGenerator<Uint8Array> {
  if (format === 'csv') {
    for await (const text of writeCsv(table, range)) yield encoder.encode(text);
    return;
  }
  const { parquetBytes } = await import('./parquet.ts');
  yield await parquetBytes(table, columnNames(table), range);
}

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>[]> {
  const all: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of pieces) all.push(piece as Uint8Array<ArrayBuffer>);
  return all;
}

function blobOf(name: string, parts: (string | Uint8Array<ArrayBuffer>)[]): ExportedFile {
  return { name: fileName(name), blob: new Blob(parts) };
}

const encoder = new TextEncoder();
