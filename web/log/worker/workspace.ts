import { type Report, SeveralLogsError } from '../../../src/entry/pages.ts';
import { give } from '../../shared/rpc.ts';
import { type ExpressionProblem, problemOf } from '../fields/expression-help.ts';
import { parseField } from '../fields/field-name.ts';
import type { FigureKind } from '../plots/pane-kinds.ts';
import { conversionOf, type UnitSystem } from '../units.ts';
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
import { Differences, isTurn } from './differences.ts';
import { type Drawn, draw } from './draw.ts';
import { type ExportedFile, type ExportRequest, exportLog } from './export-log.ts';
import { type FieldFacts, fieldFacts } from './field-facts.ts';
import type { Figure } from './figures/figure.ts';
import { histogramFigure } from './figures/histogram.ts';
import { spectrogramImage } from './figures/spectrogram.ts';
import { spectrumFigure } from './figures/spectrum.ts';
import { xyFigure } from './figures/xy.ts';
import type { Input } from './input.ts';
import { LogFile } from './open-log.ts';
import { type Outline, outlinesOf } from './outlines.ts';
import { rawRecords } from './raw-records.ts';
import type { Series } from './series.ts';
import { type Statistics, statisticsOf } from './statistics.ts';
import { type RowBlock, tableRows } from './table-rows.ts';

/** Which series of which file; its times are those of the file plus `offset`. */
export interface SeriesRequest {
  readonly file: number;
  readonly text: string;
  readonly offset: number;
  /** The units of its values, those of the log unless told. */
  readonly units?: UnitSystem | undefined;
  /** A file whose same series is taken away from it. */
  readonly minus?: { readonly file: number; readonly offset: number } | undefined;
}

/** An answer for one of several series: one that cannot be had must not hide the others. */
export type Tried<T> = { readonly value: T; readonly unit: string } | { readonly problem: string };

/** The functions that the page calls; see `remote`. */
export type BookFunctions = ReturnType<LogBook['functions']>;

/** All logs that the page has open. */
export class LogBook {
  private readonly files = new Map<number, LogFile>();
  private readonly differences = new Differences();
  /** Of files that are archives with several logs, the names of these. */
  private readonly archives = new Map<number, readonly string[]>();
  private readonly note: (note: ProgressNote) => void;

  constructor(note: (note: ProgressNote) => void) {
    this.note = note;
  }

  functions() {
    return {
      open: (file: number, input: Input, entry?: string): Promise<FileSummary> => this.open(file, input, entry),
      /** The logs in the archive that a file turned out to be. */
      choices: (file: number): readonly string[] => this.archives.get(file) ?? [],
      close: (file: number): boolean => {
        this.differences.clear();
        this.archives.delete(file);
        return this.files.delete(file);
      },
      draw: (wanted: readonly SeriesRequest[], from: number, to: number, pixels: number): Promise<Tried<Drawn>[]> =>
        this.each(wanted, (series, offset) => shifted(draw(series, from - offset, to - offset, pixels), offset)),
      values: (wanted: readonly SeriesRequest[], time: number): Promise<Tried<number>[]> =>
        this.each(wanted, (series, offset) => series.at(time - offset)),
      along: async (request: SeriesRequest, times: Float64Array): Promise<{ values: Float64Array; unit: string }> => {
        const series = await this.series(request);
        return { values: give(times.map((time) => series.at(time - request.offset))), unit: series.unit };
      },
      statistics: (wanted: readonly SeriesRequest[], from: number, to: number): Promise<Tried<Statistics>[]> =>
        this.each(wanted, (series, offset) => statisticsOf(series, from - offset, to - offset)),
      figure: (
        kind: FigureKind,
        wanted: readonly SeriesRequest[],
        from: number,
        to: number,
        width: number,
        height: number,
      ): Promise<Figure> => this.figure(kind, wanted, from, to, width, height),
      spectrogram: async (wanted: SeriesRequest, from: number, to: number, pixels: number) =>
        spectrogramImage({ series: await this.series(wanted), offset: wanted.offset }, from, to, pixels),
      problem: (file: number, text: string): Promise<ExpressionProblem | null> =>
        this.plainSeries({ file, text }).then(() => null, problemOf),
      modes: (file: number): Promise<ModeInfo[]> => this.file(file).modes(),
      insight: (file: number): Promise<Insight> => this.file(file).insight(),
      report: (file: number): Promise<Report> => this.file(file).report(),
      messages: (file: number): Promise<MessageInfo[]> => this.file(file).messages(),
      parameters: (file: number): Promise<ParameterInfo[]> => this.file(file).parameters(),
      track: (file: number): Promise<TrackInfo> => this.file(file).track(),
      exported: (file: number, request: ExportRequest): Promise<ExportedFile> => exportLog(this.file(file), request),
      outlines: (file: number, table: string, stream: string, names: readonly string[]): Promise<Outline[]> =>
        outlinesOf(this.file(file).tablesOf(table, stream), names),
      facts: (file: number, table: string, stream: string): FieldFacts[] =>
        fieldFacts(this.file(file).tablesOf(table, stream)),
      records: (file: number, table: string, stream: string, from: number, count: number): Promise<RawRecord[]> =>
        rawRecords(this.file(file), table, stream, from, count),
      rows: (
        file: number,
        table: readonly [name: string, stream: string],
        fields: readonly string[],
        from: number,
        count: number,
      ): Promise<RowBlock> => tableRows(this.file(file), table, fields, from, count),
      rowAt: async (file: number, [name, stream]: readonly [name: string, stream: string], time: number) =>
        (await this.file(file).timesOf(name, stream)).rowAt(time),
    };
  }

  private async open(file: number, input: Input, entry?: string): Promise<FileSummary> {
    let told = 0;
    const onProgress = (done: number): void => {
      if (done < 1 && performance.now() - told < 50) return;
      told = performance.now();
      this.note({ file, done });
    };
    const opened = await LogFile.open(input, onProgress, entry).catch((error: unknown) => {
      if (error instanceof SeveralLogsError) this.archives.set(file, error.logs);
      throw error;
    });
    this.files.set(file, opened);
    return opened.summary();
  }

  private file(key: number): LogFile {
    const file = this.files.get(key);
    if (!file) throw new RangeError(`file ${key} is not open`);
    return file;
  }

  private async series(request: SeriesRequest): Promise<Series> {
    const { minus, text, offset } = request;
    const own = await this.plainSeries(request);
    if (!minus) return own;
    const other = await this.plainSeries({ ...request, file: minus.file });
    return this.differences.of(own, other, offset - minus.offset, isTurn(parseField(text)?.field));
  }

  /** A field or an expression. */
  private async plainSeries({ file, text, units = 'log' }: Omit<SeriesRequest, 'offset'>): Promise<Series> {
    const [opened, name] = [this.file(file), parseField(text)];
    // a field may be written without its stream: what that means is known where expressions are read
    const isField = name && (name.element >= 0 || opened.has(name));
    const series = await (isField ? opened.field(name) : opened.expression(text));
    const { factor, unit } = conversionOf(series.unit, name?.field ?? '', units);
    return series.scaled(factor, unit);
  }

  private async figure(
    kind: FigureKind,
    wanted: readonly SeriesRequest[],
    ...[from, to, width, height]: [from: number, to: number, width: number, height: number]
  ): Promise<Figure> {
    const placed = await Promise.all(
      wanted.map((request) =>
        this.series(request).then(
          (series) => ({ series, offset: request.offset }),
          () => null,
        ),
      ),
    );
    if (kind === 'xy') return xyFigure(placed, from, to, width, height);
    return kind === 'spectrum' ? spectrumFigure(placed, from, to) : histogramFigure(placed, from, to);
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
