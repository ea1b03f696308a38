import {
  errorText,
  type ModeInterval,
  type Report,
  rowFrom,
  Series,
  SeveralLogsError,
} from '../../../src/entry/pages.ts';
import { transfer } from '../../shared/rpc.ts';
import { conversionOf, type UnitSystem } from '../../shared/units.ts';
import { type ExpressionProblem, problemOf } from '../fields/expression-help.ts';
import { parseField } from '../fields/field-name.ts';
import type { FigureKind } from '../plots/pane-kinds.ts';
import type {
  FileSummary,
  Insight,
  MessageInfo,
  ParameterInfo,
  ProgressNote,
  RawRecord,
  RowBlock,
  TrackInfo,
} from './answers.ts';
import { Differences, isDirection } from './differences.ts';
import { type Drawn, draw } from './draw.ts';
import { type ExportedFile, type ExportRequest, exportLog } from './export-log.ts';
import { type FieldFacts, fieldFacts, type Outline, outlinesOf } from './field-facts.ts';
import type { Figure } from './figures/figure.ts';
import { histogramFigure } from './figures/histogram.ts';
import { spectrogramImage } from './figures/spectrogram.ts';
import { spectrumFigure } from './figures/spectrum.ts';
import { xyFigure } from './figures/xy.ts';
import type { Input } from './input.ts';
import type { States } from './lanes.ts';
import { OpenLog, type UnitSeries } from './open-log.ts';
import { type FlightPlan, flightPlan } from './plan.ts';
import { rawRecords, tableRows } from './rows.ts';
import { type WindowStatistics, windowStatistics } from './statistics.ts';

/** Which series of which file; its times are those of the file plus `offset`. */
export interface SeriesRequest {
  readonly file: number;
  readonly text: string;
  readonly offset: number;
  /** The units of its values, by default those of the log. */
  readonly units?: UnitSystem | undefined;
  /** A file whose same series is subtracted. */
  readonly minus?: { readonly file: number; readonly offset: number } | undefined;
}

/** The answer for one of several series: if one fails, the others are still shown. */
export type Tried<T> = { readonly value: T; readonly unit: string } | { readonly problem: string };

type TableKey = readonly [name: string, stream: string];

export type Workspace = ReturnType<typeof workspace>;

/** The logs that the page has open, as functions that it calls; see `remote`. */
export function workspace(note: (note: ProgressNote) => void) {
  const logs = new Map<number, OpenLog>();
  /** The names of the logs in files that are archives with several. */
  const archives = new Map<number, readonly string[]>();
  const differences = new Differences();
  /** Series in other units. Only one is kept of each, since all are shown in the same units. */
  const converted = new WeakMap<Series, UnitSeries>();

  function logOf(file: number): OpenLog {
    const log = logs.get(file);
    if (!log) throw new RangeError(`file ${file} is not open`);
    return log;
  }

  /** A field or an expression. */
  async function plainSeries({ file, text, units = 'log' }: Omit<SeriesRequest, 'offset'>): Promise<UnitSeries> {
    const [log, name] = [logOf(file), parseField(text)];
    // a field without its stream is resolved where expressions are read
    const isField = name && (name.element >= 0 || log.has(name));
    const found = await (isField ? log.field(name) : log.expression(text));
    const { factor, unit } = conversionOf(found.unit, name?.field ?? '', units);
    if (factor === 1 && unit === found.unit) return found;
    const known = converted.get(found.series);
    if (known?.unit === unit) return known;
    const { times, values, isHeld } = found.series;
    const made = {
      series: new Series(
        times,
        values.map((value) => value * factor),
        isHeld,
      ),
      unit,
    };
    converted.set(found.series, made);
    return made;
  }

  async function seriesOf(request: SeriesRequest): Promise<UnitSeries> {
    const { minus, text, offset } = request;
    const own = await plainSeries(request);
    if (!minus) return own;
    const other = await plainSeries({ ...request, file: minus.file });
    const direction = isDirection(parseField(text)?.field);
    return { ...own, series: differences.of(own, other.series, offset - minus.offset, direction) };
  }

  function each<T>(requests: readonly SeriesRequest[], ask: (series: Series, offset: number) => T) {
    return Promise.all(
      requests.map(async (request): Promise<Tried<T>> => {
        try {
          const { series, unit } = await seriesOf(request);
          return { value: ask(series, request.offset), unit };
        } catch (error) {
          return { problem: errorText(error) };
        }
      }),
    );
  }

  return {
    async open(file: number, input: Input, entry?: string): Promise<FileSummary> {
      let notedAt = 0;
      const onProgress = (done: number): void => {
        if (done < 1 && performance.now() - notedAt < 50) return;
        notedAt = performance.now();
        note({ file, done });
      };
      const log = await OpenLog.open(input, onProgress, entry).catch((error: unknown) => {
        if (error instanceof SeveralLogsError) archives.set(file, error.logs);
        throw error;
      });
      logs.set(file, log);
      return log.summary();
    },
    /** The logs in the archive that a file turned out to be. */
    choices: (file: number): readonly string[] => archives.get(file) ?? [],
    close(file: number): boolean {
      differences.clear();
      archives.delete(file);
      return logs.delete(file);
    },
    draw: (requests: readonly SeriesRequest[], from: number, to: number, pixels: number): Promise<Tried<Drawn>[]> =>
      each(requests, (series, offset) => shifted(draw(series, from - offset, to - offset, pixels), offset)),
    values: (requests: readonly SeriesRequest[], time: number): Promise<Tried<number>[]> =>
      each(requests, (series, offset) => series.at(time - offset)),
    /** The sample nearest to a time, the next one after it or the last one before it, whichever series has it. */
    async sampleAt(requests: readonly SeriesRequest[], time: number, step: -1 | 0 | 1): Promise<number | null> {
      const tried = await each(requests, (series, offset) => sampleNear(series, time - offset, step) + offset);
      const found = tried.flatMap((each) => ('value' in each && !Number.isNaN(each.value) ? [each.value] : []));
      if (found.length === 0) return null;
      if (step !== 0) return step > 0 ? Math.min(...found) : Math.max(...found);
      return found.reduce((best, next) => (Math.abs(next - time) < Math.abs(best - time) ? next : best));
    },
    /** The states of a field that has names in the place of numbers; null for a number. */
    async states(file: number, text: string): Promise<States | null> {
      const name = parseField(text);
      return name ? logOf(file).states(name) : null;
    },
    async along(request: SeriesRequest, times: Float64Array): Promise<{ values: Float64Array; unit: string }> {
      const { series, unit } = await seriesOf(request);
      return { values: transfer(times.map((time) => series.at(time - request.offset))), unit };
    },
    statistics: (requests: readonly SeriesRequest[], from: number, to: number): Promise<Tried<WindowStatistics>[]> =>
      each(requests, (series, offset) => windowStatistics(series, from - offset, to - offset)),
    async figure(
      kind: FigureKind,
      requests: readonly SeriesRequest[],
      from: number,
      to: number,
      width: number,
      height: number,
    ): Promise<Figure> {
      const tried = await each(requests, (series, offset) => ({ series, offset }));
      const placed = tried.map((each) => ('value' in each ? each.value : null));
      if (kind === 'xy') return xyFigure(placed, from, to, width, height);
      return kind === 'spectrum' ? spectrumFigure(placed, from, to) : histogramFigure(placed, from, to);
    },
    async spectrogram(request: SeriesRequest, from: number, to: number, pixels: number) {
      const { series } = await seriesOf(request);
      return spectrogramImage({ series, offset: request.offset }, from, to, pixels);
    },
    problem: (file: number, text: string): Promise<ExpressionProblem | null> =>
      plainSeries({ file, text }).then(() => null, problemOf),
    modes: (file: number): Promise<ModeInterval[]> => logOf(file).modes(),
    insight: (file: number): Promise<Insight> => logOf(file).insight(),
    report: (file: number): Promise<Report> => logOf(file).report(),
    messages: (file: number): Promise<MessageInfo[]> => logOf(file).messages(),
    parameters: (file: number): Promise<ParameterInfo[]> => logOf(file).parameters(),
    track: (file: number): Promise<TrackInfo> => logOf(file).track(),
    hash: (file: number): Promise<string> => logOf(file).hash(),
    plan: (file: number): Promise<FlightPlan> => flightPlan(logOf(file).log),
    exported: (file: number, request: ExportRequest): Promise<ExportedFile> => exportLog(logOf(file), request),
    outlines: (file: number, [name, stream]: TableKey, fields: readonly string[]): Promise<Outline[]> =>
      outlinesOf(logOf(file).tablesOf(name, stream), fields),
    facts: (file: number, [name, stream]: TableKey): FieldFacts[] => fieldFacts(logOf(file).tablesOf(name, stream)),
    records: (file: number, [name, stream]: TableKey, from: number, count: number): Promise<RawRecord[]> =>
      rawRecords(logOf(file), name, stream, from, count),
    rows: (file: number, table: TableKey, fields: readonly string[], from: number, count: number): Promise<RowBlock> =>
      tableRows(logOf(file), table, fields, from, count),
    rowAt: async (file: number, [name, stream]: TableKey, time: number): Promise<number> =>
      (await logOf(file).timesOf(name, stream)).rowAt(time),
  };
}

/** The time of the sample nearest to a time, or of the next one after it (1) or before it (-1); NaN if there is none. */
function sampleNear({ times, values }: Series, time: number, step: -1 | 0 | 1): number {
  const nearby = (from: number, by: 1 | -1): number => {
    let row = from;
    while (row >= 0 && row < times.length && !(Number.isFinite(values[row]) && (step === 0 || times[row] !== time)))
      row += by;
    return times[row] ?? Number.NaN;
  };
  const next = rowFrom(times, time);
  const [before, after] = [step <= 0 ? nearby(next - 1, -1) : Number.NaN, step >= 0 ? nearby(next, 1) : Number.NaN];
  return Number.isNaN(before) || after - time < time - before ? after : before;
}

function shifted(drawn: Drawn, offset: number): Drawn {
  if (offset !== 0) for (let i = 0; i < drawn.x.length; i++) drawn.x[i] += offset;
  return drawn;
}
