import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import { chooseFields, type TableChoice } from '../../src/cli/choose.ts';
import { joined, linesOf } from '../../src/cli/lines.ts';
import type { Format } from '../../src/core/format.ts';
import type { Log } from '../../src/core/log.ts';
import { writeArrow } from '../../src/export/arrow.ts';
import { writeCsv } from '../../src/export/csv.ts';
import { trimDataflash } from '../../src/export/dataflash.ts';
import { writeRaw, writeTlog } from '../../src/export/frames.ts';
import { TRACK_FORMATS } from '../../src/export/index.ts';
import { writeMcap } from '../../src/export/mcap.ts';
import { writeParam } from '../../src/export/param.ts';
import { writePcap } from '../../src/export/pcap.ts';
import { writeWide } from '../../src/export/wide.ts';
import { factsOf } from '../../src/facts/facts.ts';
import { openInput } from '../../src/formats/open.ts';
import { findTracks, readTrack } from '../../src/geo/track.ts';
import { catalogueRows, destinationOf } from '../../src/lake/catalogue-rows.ts';
import { readIdentity } from '../../src/lake/log-identity.ts';
import { CompareError, compareLogs } from '../../src/report/compare.ts';
import { comparePage } from '../../src/report/compare-page.ts';
import { makeReports } from '../../src/report/report.ts';
import { reportPage } from '../../src/report/report-page.ts';
import { derivedTables } from '../../src/sensors/derived.ts';
import { readGnssData } from '../../src/sensors/gnss.ts';
import { readGnssRows } from '../../src/sensors/gnss-rows.ts';
import { readImuData } from '../../src/sensors/imu.ts';
import { readSatellites } from '../../src/sensors/satellites.ts';
import { readExpression } from '../../src/series/expression.ts';
import { FUNCTIONS } from '../../src/series/expression-functions.ts';
import { ExpressionError } from '../../src/series/expression-tree.ts';
import { writeName, writeTable } from '../../src/series/field-reference.ts';
import { ParquetWriter } from '../../src/sql/parquet.ts';
import { Random } from './random.ts';

/** All that one of the answers says, as text. @param isWhole whether nothing of it may be left out to save time */
type Answer = (log: Log, random: Random, isWhole: boolean) => Promise<string>;

/** An answer that cannot be true. */
class Unsound extends Error {}

/** Milliseconds of processor time that all answers to one log may take together. */
const MOST_MILLISECONDS = 2000;
/** How many expressions a log is asked for, and formats of tracks and pages of reports where not all are. */
const EXPRESSIONS = 6;
const FEW_EXPRESSIONS = 2;
const FEW_TRACKS = 0.3;
const FEW_PAGES = 0.3;
const MOST_TABLES = 12;
/** Lines of a wide table, whatever the times of a log are. */
const MOST_LINES = 300;

/** How a log is asked. */
export interface Asked {
  /** Gives what chance decides of the questions. */
  readonly seed: number;
  /** Whether all of each answer is asked for, or a few of its formats and expressions. */
  readonly isWhole: boolean;
  /** Whether it is opened and answered once more, and must say the same. */
  readonly isTwice: boolean;
  /** Whether one of the answers that take longest is among the questions. */
  readonly isDear: boolean;
}

/** The promise that a log's answers break, with the name of the answer; undefined where all is well. */
export async function brokenAnswer(bytes: Uint8Array, format: Format, asked: Asked): Promise<string | undefined> {
  const start = performance.now();
  const first = await answersTo(bytes, format, asked);
  if (typeof first === 'string') return first;
  // what took long is asked again: it may have waited for code to be loaded, or for other programs
  if (!asked.isTwice && performance.now() - start <= MOST_MILLISECONDS) return undefined;
  const before = process.cpuUsage();
  const second = await answersTo(bytes, format, asked);
  if (typeof second === 'string') return second;
  const { user, system } = process.cpuUsage(before);
  for (const [name, text] of first) if (second.get(name) !== text) return `${name}: another answer the second time`;
  const took = (user + system) / 1000;
  return took > MOST_MILLISECONDS ? `takes ${took.toFixed(0)} ms` : undefined;
}

/** What a log answers, by the name of the answer; a text where one of them fails. */
async function answersTo(
  bytes: Uint8Array,
  format: Format,
  { seed, isWhole, isDear }: Asked,
): Promise<Map<string, string> | string> {
  const told = new Map<string, string>();
  const log = await openInput(bytes, { format });
  for (const [name, answer] of [...Object.entries(ANSWERS), ...(isDear ? [DEAR[seed % DEAR.length]] : [])]) {
    const text = await answer(log, new Random(seed), isWhole).catch((error: Error) => error);
    if (text instanceof Error) return `${name}: ${text.stack}`;
    told.set(name, text);
  }
  return told;
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  facts: async (log) => {
    const facts = factsOf(log);
    const texts: unknown[] = [await facts.span()];
    for (const [stream] of await facts.kinds()) {
      const { armed, flying } = await facts.phases(stream);
      for (const list of [armed, flying]) inOrder(list);
      const parameters = [...(await facts.parameters(stream))];
      texts.push(await facts.vehicle(stream), await facts.modes(stream), armed, flying, parameters);
      for (const text of writeParam(parameters.map(([, each]) => each))) texts.push(text);
    }
    return written([...texts, await facts.messages()]);
  },
  events: async (log) => {
    const events = await factsOf(log).events();
    for (const { kind, time, end } of events)
      if (end !== null && !(end >= time)) throw new Unsound(`${kind} from ${time} to ${end}`);
    return written(events);
  },
  flights: async (log) => {
    const flights = await factsOf(log).flights();
    inOrder(flights);
    for (const { inAir, duration } of flights)
      if (!(inAir >= 0 && inAir <= duration + 1e-6)) throw new Unsound(`${inAir} s in the air of ${duration} s`);
    return written(flights);
  },
  report: async (log, random, isWhole) => {
    const reports = await makeReports(log, undefined, { plots: true });
    const pages =
      isWhole || random.chance(FEW_PAGES) ? reports.map((report) => soundPage(reportPage('a', report))) : [];
    return written(reports) + pages.join('');
  },
  tracks: async (log, random, isWhole) => {
    const sources = await findTracks(log);
    const modes = await factsOf(log).modes();
    const tracks = [await readTrack(log)];
    for (const { name } of sources) tracks.push(await readTrack(log, { source: name }));
    for (const { lat, lon, time } of tracks)
      for (let i = 0; i < lat.length; i++)
        if (!(Math.abs(lat[i]) <= 90 && Math.abs(lon[i]) <= 180))
          throw new Unsound(`${lat[i]}, ${lon[i]} at ${time[i]}`);
    const formats = TRACK_FORMATS.filter(() => isWhole || random.chance(FEW_TRACKS));
    const texts = formats.flatMap((format) => tracks.map((track) => [...format.write(track, { modes })].join('')));
    for (const text of texts) if (text.startsWith('{')) JSON.parse(text);
    return texts.join('');
  },
  sensors: async (log) => {
    const texts = [
      written(await readGnssData(log)),
      written(await readSatellites(log)),
      written(await readImuData(log)),
    ];
    for await (const row of readGnssRows(log)) texts.push(written(row));
    for (const table of await derivedTables(log)) {
      texts.push(table.name);
      for await (const row of table.records()) texts.push(written(row));
    }
    return texts.join('');
  },
  expressions: async (log, random, isWhole) => {
    const texts: string[] = [];
    for (let n = 0; n < (isWhole ? EXPRESSIONS : FEW_EXPRESSIONS); n++) {
      const text = randomExpression(random, log);
      const answer = await readExpression(log, text).catch((error: unknown) => {
        if (error instanceof ExpressionError) return error.message;
        throw new Error(`${text}: ${error instanceof Error ? error.stack : error}`);
      });
      texts.push(text, written(answer));
    }
    return texts.join('');
  },
  logs: async (log) => {
    if (log.kind?.writes.includes('bin')) return whole(trimDataflash(log));
    if (!log.kind?.writes.includes('raw')) return '';
    return `${await whole(writeTlog(log))}${await whole(writeRaw(log))}${await whole(writePcap(log))}`;
  },
};

/** What takes longer than all of these: a log gets one of them. */
const DEAR: readonly (readonly [string, Answer])[] = Object.entries<Answer>({
  lines: async (log) => {
    const derived = await derivedTables(log);
    const text = await whole(joined(linesOf(log, {}, derived, { names: true })));
    for (const line of text.split('\n')) if (line !== '') JSON.parse(line);
    return text;
  },
  tables: async (log, random) => {
    const all = await someTables(log, random);
    const texts: string[] = [];
    for (const table of all) texts.push(await whole(writeCsv(table)), await whole(writeArrow(table)));
    const { start, end } = await factsOf(log).span();
    const last = Math.min((end ?? -1) + 1, (start ?? 0) + MOST_LINES * 1e5);
    texts.push(await whole(writeWide(all, { rate: 10, start: start ?? 0, end: last })));
    return texts.join('');
  },
  mcap: (log) => whole(writeMcap(log)),
  compare: async (log, random) => {
    const align = random.pick(['takeoff', 'arm', 'utc', 1.5] as const);
    const other = await openInput(await log.source.read(0, log.source.size), {});
    try {
      const comparison = await compareLogs(log, other, { align, plots: 3 });
      return `${written(comparison)}${soundPage(comparePage(['a', 'b'], comparison))}`;
    } catch (error) {
      if (error instanceof CompareError) return error.message;
      throw error;
    }
  },
  ingest: async (log) => {
    const identity = await readIdentity(log.source);
    const destination = await destinationOf(log, identity.id, 'a.log', {});
    const rows = await catalogueRows(log, 'a.log', identity, destination, []);
    const [{ remark }] = rows.logs;
    if (remark !== null) throw new Unsound(String(remark));
    // the one thing that is not of the log
    return written({ ...rows, logs: rows.logs.map((row) => ({ ...row, ingested: 0 })) });
  },
  parquet: async (log, random) => {
    const all = await someTables(log, random);
    const path = join(tmpdir(), `skein-behind-${process.pid}.parquet`);
    const writer = await ParquetWriter.create();
    try {
      const texts: string[] = [];
      for (const table of all) {
        await writer.write(table, path);
        const bytes = readFileSync(path);
        const { num_rows } = parquetMetadata(new Uint8Array(bytes).buffer);
        // derived tables know their rows once they are read
        if (table.rows > 0 && Number(num_rows) !== table.rows)
          throw new Unsound(`${num_rows} of ${table.rows} rows of ${table.name}`);
        texts.push(bytes.toString('latin1'));
      }
      return texts.join('');
    } finally {
      writer.close();
      rmSync(path, { force: true });
    }
  },
});

/** A dozen of the tables of a log: a file for each of a hundred takes most of the time. */
async function someTables(log: Log, random: Random): Promise<TableChoice['all']> {
  const { all } = await chooseFields(log, {});
  return all.filter(() => random.chance(MOST_TABLES / all.length));
}

function inOrder(stretches: readonly { readonly start: number; readonly end: number }[]): void {
  for (const { start, end } of stretches) if (!(end >= start)) throw new Unsound(`from ${start} to ${end}`);
}

/** A page that shows no number that is none. */
function soundPage(page: string): string {
  const odd = /\b(?:NaN|Infinity|undefined)\b/.exec(page);
  if (odd) throw new Unsound(page.slice(Math.max(0, odd.index - 60), odd.index + 60));
  return page;
}

/** A value as JSON in which nothing is lost that two answers could differ in. */
function written(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'bigint' || (typeof each === 'number' && !Number.isFinite(each))) return String(each);
    if (each instanceof Map) return [...each];
    return ArrayBuffer.isView(each) ? Array.from(each as Uint8Array, String) : each;
  });
}

async function whole(pieces: AsyncIterable<Uint8Array | string>): Promise<string> {
  const texts: string[] = [];
  for await (const piece of pieces)
    texts.push(typeof piece === 'string' ? piece : Buffer.from(piece).toString('latin1'));
  return texts.join('');
}

/** A formula over any fields of a log, sometimes one that cannot be. */
function randomExpression(random: Random, log: Log, depth = 2): string {
  if (depth === 0 || log.tables.length === 0) {
    if (log.tables.length === 0 || random.chance(0.3))
      return random.pick(['0', '1e308', '-1', 'pi', 'missing', '2^53']);
    const { name, stream, fields } = random.pick(log.tables);
    return `${writeTable(name, stream)}.${writeName(fields.length > 0 ? random.pick(fields).name : 'x')}`;
  }
  const part = (): string => randomExpression(random, log, depth - 1);
  if (random.chance(0.4))
    return `(${part()} ${random.pick(['+', '-', '*', '/', '%', '^', '<', '==', 'and', 'or'])} ${part()})`;
  const [name, { arity }] = random.pick([...FUNCTIONS]);
  return `${name}(${Array.from({ length: random.between(arity[0], Math.min(3, arity[1])) }, part).join(', ')})`;
}
