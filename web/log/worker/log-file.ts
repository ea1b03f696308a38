import {
  type Field,
  findEvents,
  findFlights,
  findMessages,
  findModes,
  findParameters,
  findPhases,
  findSpan,
  findVehicle,
  isHeldField,
  type Log,
  type ModeSpan,
  makeReport,
  openLog,
  type Report,
  readExpression,
  readTrack,
  type Table,
  type Vehicle,
} from '../../../src/browser.ts';
import { give } from '../../shared/rpc.ts';
import type { FieldName } from '../field-name.ts';
import type { FieldInfo, FileSummary, Insight, MessageInfo, ParameterInfo, TableInfo, TrackInfo } from './answers.ts';
import { bootTime } from './boot-time.ts';
import { type Input, sourceOf } from './input.ts';
import { Series } from './series.ts';

/** Faults that the page shows one by one; all are counted. */
const FAULTS_SHOWN = 1000;

/** Expressions whose values are kept; fields are kept all. */
const EXPRESSIONS_KEPT = 64;

const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'bytes', 'unknown']);

/** A log that the page has open, and what was read of it so far. */
export class LogFile {
  readonly log: Log;
  private readonly vehicle: Vehicle;
  private readonly span: { readonly start: number | null; readonly end: number | null };
  private readonly series = new Map<string, Promise<Series>>();
  private readonly expressions = new Map<string, Promise<Series>>();

  private constructor(log: Log, vehicle: Vehicle, span: LogFile['span']) {
    this.log = log;
    this.vehicle = vehicle;
    this.span = span;
  }

  static async open(input: Input, onProgress: (done: number, total: number) => void): Promise<LogFile> {
    // half of the bar is reading, half is decoding
    const source = await sourceOf(input, (done, total) => onProgress(done, total * 2));
    const log = await openLog(source, { onProgress: (done, total) => onProgress(total + done, total * 2) });
    return new LogFile(log, await findVehicle(log), await findSpan(log));
  }

  async summary(): Promise<FileSummary> {
    const { log, vehicle, span } = this;
    const { faults, clock } = log;
    return {
      format: log.format,
      size: log.source.size,
      packedBytes: log.packedBytes ?? null,
      records: log.records,
      ...span,
      utc: clock.utc,
      clock: `${clock.kind}: ${clock.source}`,
      remarks: clock.remarks,
      vehicle: vehicle.kind ?? '',
      firmware: vehicle.firmware?.text ?? '',
      board: vehicle.board ?? '',
      tables: await this.tables(),
      faults: {
        count: faults.count,
        lostBytes: faults.lostBytes,
        lost: faults.lost,
        byCode: [...faults.byCode].map(([code, { count, bytes }]) => ({ code, count, bytes })),
        kept: faults.kept.slice(0, FAULTS_SHOWN).map(({ code, offset, length, lost, text }) => ({
          ...{ code, offset, length, lost, text },
        })),
      },
    };
  }

  /** Tables of one name and stream are one to the page, also where their definition changed on the way. */
  private async tables(): Promise<TableInfo[]> {
    const found = new Map<string, { info: TableInfo; fields: Map<string, FieldInfo> }>();
    for (const table of this.log.tables) {
      if (table.rows === 0) continue;
      const key = JSON.stringify([table.name, table.stream]);
      const known = found.get(key);
      const fields = known?.fields ?? new Map<string, FieldInfo>();
      for (const field of table.fields) if (!fields.has(field.name)) fields.set(field.name, fieldInfo(field));
      const rate = known?.info.rate ?? (await rateOf(table));
      const rows = table.rows + (known?.info.rows ?? 0);
      found.set(key, { info: { name: table.name, stream: table.stream, rows, rate, fields: [] }, fields });
    }
    const tables = [...found.values()].map(({ info, fields }) => ({ ...info, fields: [...fields.values()] }));
    return tables.sort((a, b) => compare(a.name, b.name) || compare(a.stream, b.stream));
  }

  tablesOf(name: string, stream: string): Table[] {
    return this.log.tables.filter((table) => table.name === name && table.stream === stream && table.rows > 0);
  }

  /** A field over time, read once. */
  field(name: FieldName): Promise<Series> {
    const key = JSON.stringify(name);
    const known = this.series.get(key) ?? this.readField(name);
    this.series.set(key, known);
    return known;
  }

  has({ table, stream, field }: FieldName): boolean {
    return this.tablesOf(table, stream).some((each) => each.field(field) !== undefined);
  }

  /** An expression over fields, computed once. */
  expression(text: string): Promise<Series> {
    const known =
      this.expressions.get(text) ??
      readExpression(this.log, text).then(({ times, values, isHeld }) => new Series(times, values, '', isHeld));
    // the one that was asked for last stands last
    this.expressions.delete(text);
    this.expressions.set(text, known);
    if (this.expressions.size > EXPRESSIONS_KEPT) this.expressions.delete([...this.expressions.keys()][0]);
    return known;
  }

  private async readField({ table: tableName, stream, field: fieldName, element }: FieldName): Promise<Series> {
    const parts: { times: Float64Array; values: Float64Array; unit: string; isHeld: boolean }[] = [];
    for (const table of this.tablesOf(tableName, stream)) {
      const field = table.field(fieldName);
      if (!field || TEXT_TYPES.has(field.type)) continue;
      const { times, columns } = await table.timedColumns([fieldName]);
      const all = columns[0].numbers();
      const values = field.count === 1 ? all : every(all, field.count, Math.max(0, element));
      parts.push({ times, values, unit: field.unit, isHeld: isHeldField(field) });
    }
    if (parts.length === 0) throw new RangeError(`the log has no numbers ${tableName}.${fieldName}`);
    const join = (pick: (part: (typeof parts)[number]) => Float64Array): Float64Array =>
      parts.length === 1 ? pick(parts[0]) : joined(parts.map(pick));
    return new Series(
      join(({ times }) => times),
      join(({ values }) => values),
      parts[0].unit,
      parts[0].isHeld,
    );
  }

  modes(): Promise<ModeSpan[]> {
    return findModes(this.log, this.vehicle.kind, this.span.end ?? Number.NaN);
  }

  /** What happened: events, when it was armed and under way, flights. */
  async insight(): Promise<Insight> {
    const events = await findEvents(this.log);
    const { armed, flying } = await findPhases(this.log);
    return { events, armed, flying, flights: await findFlights(this.log, events), boot: await bootTime(this.log) };
  }

  report(): Promise<Report> {
    return makeReport(this.log);
  }

  messages(): Promise<MessageInfo[]> {
    return findMessages(this.log);
  }

  async parameters(): Promise<ParameterInfo[]> {
    return [...(await findParameters(this.log)).values()].sort((a, b) => compare(a.name, b.name));
  }

  async track(): Promise<TrackInfo> {
    const { source, time, lon, lat, alt, speed } = await readTrack(this.log);
    return { source, time: give(time), lon: give(lon), lat: give(lat), alt: give(alt), speed: give(speed) };
  }
}

function fieldInfo({ name, unit, count, type, isList }: Field): FieldInfo {
  const numeric = !TEXT_TYPES.has(type);
  return { name, unit, count: numeric ? count : 1, numeric, ...(isList ? { isList } : {}) };
}

/** Records a second over the whole table. */
async function rateOf(table: Table): Promise<number> {
  if (table.rows < 2 || (!table.clock?.timesAll && table.clock?.field(table) === undefined)) return Number.NaN;
  const [first] = await table.times({ from: 0, to: 1 });
  const [last] = await table.times({ from: table.rows - 1 });
  return last > first ? ((table.rows - 1) / (last - first)) * 1e6 : Number.NaN;
}

function every(all: Float64Array, count: number, element: number): Float64Array {
  const values = new Float64Array(all.length / count);
  for (let row = 0; row < values.length; row++) values[row] = element < count ? all[row * count + element] : Number.NaN;
  return values;
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
