import type { Report } from '../../../src/browser.ts';
import { parseField } from '../field-name.ts';
import type {
  FileSummary,
  Insight,
  MessageInfo,
  ModeInfo,
  ParameterInfo,
  ProgressNote,
  RawRecord,
  TrackInfo,
} from './answers.ts';
import { type Drawn, draw } from './draw.ts';
import { type ExportedFile, type ExportRequest, exportLog } from './export-log.ts';
import type { Input } from './input.ts';
import { LogFile } from './log-file.ts';
import { rawRecords } from './raw-records.ts';
import type { Series } from './series.ts';
import { type Statistics, statisticsOf } from './statistics.ts';

/** Which series of which file; its times are those of the file plus `offset`. */
export interface SeriesRequest {
  readonly file: number;
  readonly text: string;
  readonly offset: number;
}

/** An answer for one of several series: one that cannot be had must not hide the others. */
export type Tried<T> = { readonly value: T; readonly unit: string } | { readonly problem: string };

/** The functions that the page calls; see `remote`. */
export type BookFunctions = ReturnType<LogBook['functions']>;

/** All logs that the page has open. */
export class LogBook {
  private readonly files = new Map<number, LogFile>();
  private readonly note: (note: ProgressNote) => void;

  constructor(note: (note: ProgressNote) => void) {
    this.note = note;
  }

  functions() {
    return {
      open: (file: number, input: Input): Promise<FileSummary> => this.open(file, input),
      close: (file: number): boolean => this.files.delete(file),
      draw: (wanted: readonly SeriesRequest[], from: number, to: number, pixels: number): Promise<Tried<Drawn>[]> =>
        this.each(wanted, (series, offset) => shifted(draw(series, from - offset, to - offset, pixels), offset)),
      values: (wanted: readonly SeriesRequest[], time: number): Promise<Tried<number>[]> =>
        this.each(wanted, (series, offset) => series.at(time - offset)),
      statistics: (wanted: readonly SeriesRequest[], from: number, to: number): Promise<Tried<Statistics>[]> =>
        this.each(wanted, (series, offset) => statisticsOf(series, from - offset, to - offset)),
      modes: (file: number): Promise<ModeInfo[]> => this.file(file).modes(),
      insight: (file: number): Promise<Insight> => this.file(file).insight(),
      report: (file: number): Promise<Report> => this.file(file).report(),
      messages: (file: number): Promise<MessageInfo[]> => this.file(file).messages(),
      parameters: (file: number): Promise<ParameterInfo[]> => this.file(file).parameters(),
      track: (file: number): Promise<TrackInfo> => this.file(file).track(),
      exported: (file: number, request: ExportRequest): Promise<ExportedFile> => exportLog(this.file(file), request),
      records: (file: number, table: string, stream: string, from: number, count: number): Promise<RawRecord[]> =>
        rawRecords(this.file(file), table, stream, from, count),
    };
  }

  private async open(file: number, input: Input): Promise<FileSummary> {
    let told = 0;
    const opened = await LogFile.open(input, (done) => {
      if (done < 1 && performance.now() - told < 50) return;
      told = performance.now();
      this.note({ file, done });
    });
    this.files.set(file, opened);
    return opened.summary();
  }

  private file(key: number): LogFile {
    const file = this.files.get(key);
    if (!file) throw new RangeError(`file ${key} is not open`);
    return file;
  }

  private async series({ file, text }: SeriesRequest): Promise<Series> {
    const name = parseField(text);
    if (!name) throw new RangeError(`${text} names no field`);
    return this.file(file).field(name);
  }

  private each<T>(wanted: readonly SeriesRequest[], ask: (series: Series, offset: number) => T): Promise<Tried<T>[]> {
    return Promise.all(
      wanted.map(async (request) => {
        try {
          const series = await this.series(request);
          return { value: ask(series, request.offset), unit: series.unit };
        } catch (error) {
          return { problem: error instanceof Error ? error.message : String(error) };
        }
      }),
    );
  }
}

function shifted(drawn: Drawn, offset: number): Drawn {
  if (offset !== 0) for (let i = 0; i < drawn.x.length; i++) drawn.x[i] += offset;
  return drawn;
}
