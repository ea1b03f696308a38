import {
  type Column,
  damageOf,
  EVENT_SEVERITIES,
  elementsOf,
  type Facts,
  type Field,
  factsOf,
  isHeldField,
  joinedNumbers,
  type Log,
  type ModeInterval,
  makeReport,
  openLog,
  type RecordTable,
  type Report,
  readExpression,
  Series,
} from '../../../src/entry/pages.ts';
import { transfer } from '../../shared/rpc.ts';
import type { FieldName } from '../fields/field-name.ts';
import type { FieldInfo, FileSummary, Insight, MessageInfo, ParameterInfo, TableInfo, TrackInfo } from './answers.ts';
import { bootTime } from './boot-time.ts';
import { firstView } from './first-view.ts';
import { type Input, sourceOf } from './input.ts';
import { namingOf, type States, statesOf } from './lanes.ts';
import { missionItems } from './mission-items.ts';
import { RowTimes } from './rows.ts';

/** Items that the page lists at most: each costs time to send. */
const MOST = { faults: 1000, events: 10_000, messages: 10_000, modes: 5000, parameters: 10_000 };

/** Up to this many bytes a log is hashed whole; of a larger one, this many pieces of this size, to save memory. */
const HASHED_WHOLE = 32 << 20;
const HASHED_PIECES = 64;
const HASHED_PIECE = 1 << 16;

/** Expressions whose values are kept; of fields all are. */
const EXPRESSIONS_KEPT = 64;

/** Tables whose times of all rows are kept. */
const ROW_TIMES_KEPT = 4;

const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'bytes', 'unknown']);

/** A series in order, with the unit of its values. */
export interface UnitSeries {
  readonly series: Series;
  readonly unit: string;
}

/** A log that the page has open, with what was read of it so far. */
export class OpenLog {
  readonly log: Log;
  private readonly facts: Facts;
  private readonly series = new Map<string, Promise<UnitSeries>>();
  private readonly expressions = new Map<string, Promise<UnitSeries>>();
  private readonly rowTimes = new Map<string, Promise<RowTimes>>();
  private readonly passes = new Map<string, { readonly fields: Set<string>; readonly read: Promise<ColumnPart[]> }>();

  private constructor(log: Log) {
    this.log = log;
    this.facts = factsOf(log);
  }

  static async open(input: Input, onProgress: (done: number) => void, entry?: string): Promise<OpenLog> {
    // half of the bar is reading, half is decoding, which starts before all is read
    const parts = { read: 0, decoded: 0 };
    const report = (part: keyof typeof parts) => (done: number, total: number) => {
      parts[part] = total > 0 ? done / total : 1;
      onProgress((parts.read + parts.decoded) / 2);
    };
    return new OpenLog(await openLog(await sourceOf(input, report('read')), { onProgress: report('decoded'), entry }));
  }

  async summary(): Promise<FileSummary> {
    const { log, facts } = this;
    const { faults, clock } = log;
    const vehicle = await facts.vehicle();
    return {
      format: log.format,
      size: log.source.size,
      packing: log.packing ?? null,
      records: log.records,
      ...(await facts.span()),
      view: await firstView(log, facts),
      utc: clock.utc,
      guessed: clock.guessed === true,
      clock: `${clock.kind}: ${clock.source}`,
      remarks: clock.remarks,
      vehicle: vehicle.kind ?? '',
      firmware: vehicle.firmware?.text ?? '',
      board: vehicle.board ?? '',
      tables: await this.tables(),
      faults: {
        count: faults.count,
        lostBytes: faults.lostBytes,
        damage: damageOf(log),
        byCode: [...faults.byCode].map(([code, { count, bytes }]) => ({ code, count, bytes })),
        kept: faults.kept.slice(0, MOST.faults).map(({ code, offset, length, lost, text }) => ({
          ...{ code, offset, length, lost, text },
        })),
      },
    };
  }

  /** Tables of one name and stream are one to the page, even if their definition changed. */
  private async tables(): Promise<TableInfo[]> {
    const found = new Map<string, TableInfo>();
    // streams of one schema share its fields, also when they are sent to the page
    const known = new Map<readonly Field[], readonly FieldInfo[]>();
    for (const table of this.log.tables) {
      if (table.rows === 0) continue;
      const key = JSON.stringify([table.name, table.stream]);
      const own = known.get(table.fields) ?? table.fields.map(fieldInfo);
      known.set(table.fields, own);
      const before = found.get(key);
      found.set(key, {
        ...{ name: table.name, stream: table.stream },
        rows: table.rows + (before?.rows ?? 0),
        rate: before?.rate ?? (await rateOf(table)),
        fields: before ? withOthers(before.fields, own) : own,
      });
    }
    const tables = [...found.values()];
    return tables.sort((a, b) => compare(a.name, b.name) || compare(a.stream, b.stream));
  }

  tablesOf(name: string, stream: string): RecordTable[] {
    return this.log.tables.filter((table) => table.name === name && table.stream === stream && table.rows > 0);
  }

  /** A field over time, read once. */
  field(name: FieldName): Promise<UnitSeries> {
    const key = JSON.stringify(name);
    const known = this.series.get(key) ?? this.readField(name);
    this.series.set(key, known);
    return known;
  }

  /** The states that a field has in the place of numbers; null for a number. */
  async states(name: FieldName): Promise<States | null> {
    const field = this.tablesOf(name.table, name.stream)
      .find((each) => each.field(name.field))
      ?.field(name.field);
    if (!field) return null;
    const { series } = await this.field(name);
    const naming = namingOf(name.table, field, series, await this.facts.modes());
    if (!naming) return null;
    const { end } = await this.facts.span();
    return statesOf(name.table, name.field, series, naming, end ?? series.times.at(-1) ?? 0);
  }

  has({ table, stream, field }: FieldName): boolean {
    return this.tablesOf(table, stream).some((each) => each.field(field) !== undefined);
  }

  /** An expression over fields, computed once. */
  expression(text: string): Promise<UnitSeries> {
    const known =
      this.expressions.get(text) ??
      readExpression(this.log, text).then((series) => ({ series: series.ordered(), unit: '' }));
    keepLast(this.expressions, text, known, EXPRESSIONS_KEPT);
    return known;
  }

  /** The times of all rows of a table. */
  timesOf(name: string, stream: string): Promise<RowTimes> {
    const key = JSON.stringify([name, stream]);
    const known =
      this.rowTimes.get(key) ??
      Promise.all(this.tablesOf(name, stream).map((table) => table.times())).then(
        (times) => new RowTimes(joinedNumbers(times)),
      );
    keepLast(this.rowTimes, key, known, ROW_TIMES_KEPT);
    return known;
  }

  /** Fields of one table that are asked for at the same time are read in one pass. */
  private async readField({ table, stream, field, element }: FieldName): Promise<UnitSeries> {
    const key = JSON.stringify([table, stream]);
    let pass = this.passes.get(key);
    if (!pass) {
      const fields = new Set<string>();
      const read = Promise.resolve().then(() => {
        this.passes.delete(key);
        return Promise.all(this.tablesOf(table, stream).map((each) => readPart(each, fields)));
      });
      pass = { fields, read };
      this.passes.set(key, pass);
    }
    pass.fields.add(field);
    return seriesOf(await pass.read, { table, stream, field, element });
  }

  /** Of very many the longest. */
  async modes(): Promise<ModeInterval[]> {
    return foremost(await this.facts.modes(), MOST.modes, ({ start, end }) => start - end);
  }

  /** The SHA-256 of its bytes, by which notes on it are found again; of a large one of pieces from all of it. */
  async hash(): Promise<string> {
    const { source } = this.log;
    // browsers hash only in pages from a secure origin
    if (!globalThis.crypto?.subtle) return `${source.size} bytes`;
    const [count, length] = source.size > HASHED_WHOLE ? [HASHED_PIECES, HASHED_PIECE] : [1, source.size];
    const pieces = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        source.read(Math.floor(((source.size - length) * i) / Math.max(1, count - 1)), length),
      ),
    );
    const bytes = await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return count === 1 ? hex : `${hex} ${source.size}`;
  }

  /** Events, when it was armed and in flight, flights. */
  async insight(): Promise<Insight> {
    const events = await this.facts.events();
    const { armed, flying } = await this.facts.phases();
    const flights = await this.facts.flights();
    const shown = foremost(events, MOST.events, ({ severity }) => EVENT_SEVERITIES.indexOf(severity));
    return {
      events: shown.map((event) => ({ ...event, text: withoutColors(event.text) })),
      leftOut: events.length - shown.length,
      armed,
      flying,
      flights,
      items: await missionItems(this.log),
      boot: await bootTime(this.log),
    };
  }

  report(): Promise<Report> {
    // a page has less memory than a program: of a file that is in it, columns are rather read again
    return makeReport(this.log, undefined, { columnBytes: this.log.data.isInMemory ? 0 : undefined });
  }

  async messages(): Promise<MessageInfo[]> {
    const messages = await this.facts.messages();
    return messages.slice(0, MOST.messages).map(({ time, text }) => ({ time, text: withoutColors(text) }));
  }

  async parameters(): Promise<ParameterInfo[]> {
    const all = [...(await this.facts.parameters()).values()].sort((a, b) => compare(a.name, b.name));
    return all.slice(0, MOST.parameters).map(({ changes, ...each }) => ({ ...each, changes: changes.length - 1 }));
  }

  async track(): Promise<TrackInfo> {
    const { time, lon, lat, alt, speed } = await this.facts.track();
    // what is transferred is gone here, and the facts keep theirs
    const copy = (values: Float64Array): Float64Array => transfer(values.slice());
    return { time: copy(time), lon: copy(lon), lat: copy(lat), alt: copy(alt), speed: copy(speed) };
  }
}

/** The console of PX4 colours what it prints. */
function withoutColors(text: string): string {
  return text.replace(/\p{Cc}\[[\d;]*m/gu, '');
}

/** Keeps the values that were asked for last. */
function keepLast<T>(kept: Map<string, T>, key: string, value: T, most: number): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > most) kept.delete([...kept.keys()][0]);
}

function fieldInfo({ name, unit, count, type, isList }: Field): FieldInfo {
  const numeric = !TEXT_TYPES.has(type);
  return { name, unit, count: numeric ? count : 1, numeric, ...(isList ? { isList } : {}) };
}

function withOthers(fields: readonly FieldInfo[], others: readonly FieldInfo[]): readonly FieldInfo[] {
  const names = new Set(fields.map(({ name }) => name));
  return [...fields, ...others.filter(({ name }) => !names.has(name))];
}

/** Records a second over the whole table; NaN if its records have no time. */
async function rateOf(table: RecordTable): Promise<number> {
  if (table.rows < 2 || (!table.clock?.timesAll && table.clock?.field(table) === undefined)) return Number.NaN;
  const [first, last] = [await table.timeAt(0), await table.timeAt(table.rows - 1)];
  return last > first ? ((table.rows - 1) / (last - first)) * 1e6 : Number.NaN;
}

/** The items of least rank, in their own order. */
function foremost<T>(all: readonly T[], most: number, rank: (item: T) => number): T[] {
  if (all.length <= most) return [...all];
  const ranks = all
    .map((item, index) => ({ rank: rank(item), index }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const kept = new Set(ranks.slice(0, most).map(({ index }) => index));
  return all.filter((_, index) => kept.has(index));
}

/** Columns of a table, and the times of its rows. */
interface ColumnPart {
  readonly times: Float64Array;
  readonly columns: readonly Column[];
}

async function readPart(table: RecordTable, fields: ReadonlySet<string>): Promise<ColumnPart> {
  const names = table.fields.filter(({ name, type }) => fields.has(name) && !TEXT_TYPES.has(type));
  return names.length === 0
    ? { times: new Float64Array(0), columns: [] }
    : table.timedColumns(names.map(({ name }) => name));
}

function seriesOf(parts: readonly ColumnPart[], { table, field: name, element }: FieldName): UnitSeries {
  const found = parts.flatMap(({ times, columns }) => {
    const column = columns.find(({ field }) => field.name === name);
    return column ? [{ times, column }] : [];
  });
  if (found.length === 0) throw new RangeError(`the log has no numbers ${table}.${name}`);
  const values = found.map(({ column }) => elementsOf(column, Math.max(0, element)));
  const { field } = found[0].column;
  const times = joinedNumbers(found.map((part) => part.times));
  const series = new Series(times, joinedNumbers(values), isHeldField(field));
  return { series: series.ordered(), unit: field.unit };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
