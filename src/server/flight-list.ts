import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import { getOrAdd } from '../core/maps.ts';
import { errorText } from '../core/text.ts';
import type { Box } from '../geo/geodesy.ts';
import { boxOfOutline, type Outline, outlineOfWkb, outlineSteps } from '../lake/flight-outline.ts';
import type { Lake } from '../lake/lake.ts';
import { LakeDatabase } from '../lake/lake-database.ts';
import { LakeFiles } from '../lake/lake-files.ts';
import { LAKE_LIMITS } from '../lake/limits.ts';
import { isFile, Originals } from '../lake/log-identity.ts';
import { namesIn } from '../lake/packs.ts';
import { listedFindingsQuestion, listQuestion } from '../lake/questions.ts';
import { jsonOf } from '../sql/result.ts';
import { type FlightListWire, type FlightWire, seconds } from './wire.ts';

type ListedFlight = Omit<FlightWire, 'isThere'>;
type ListedFinding = FlightWire['findings'][number];

/** All that is listed of a lake in one state. */
interface Listing {
  readonly revision: string;
  readonly flights: readonly ListedFlight[];
  readonly outlines: ReadonlyMap<string, Outline>;
  readonly problems: readonly string[];
}

const NOTHING: Listing = { revision: '', flights: [], outlines: new Map(), problems: [] };

/** The flights of a lake for a page that lists them. It is read again when the lake has changed. */
export class FlightList {
  private readonly lake: Lake;
  private readonly files: LakeFiles;
  private readonly originals = new Originals();
  private listing: Listing = NOTHING;
  private reading: Promise<void> | undefined;
  /** A large lake that changes all the time is read now and then. */
  private nextAt = 0;

  constructor(lake: Lake) {
    this.lake = lake;
    this.files = new LakeFiles(lake);
  }

  /** Looks whether the lake has changed, and says how it is. The first answer waits for the list, others do not. */
  async state(): Promise<FlightListWire> {
    const mark = await this.mark();
    if (mark !== this.listing.revision && performance.now() >= this.nextAt) {
      this.reading ??= this.read(mark).finally(() => {
        this.reading = undefined;
      });
      if (this.listing === NOTHING) await this.reading;
    }
    const { revision, flights, problems } = this.listing;
    const name = basename(this.lake.root);
    return { name, revision, flights: flights.length, more: flights.length >= LAKE_LIMITS.listedFlights, problems };
  }

  /** A part of the list, with whether the file of each is there; undefined if the list is another by now. */
  async flights(revision: string, offset: number, count: number): Promise<FlightWire[] | undefined> {
    if (revision !== this.listing.revision) return undefined;
    const part = this.listing.flights.slice(offset, offset + count);
    const paths = [...new Set(part.map(({ path }) => path))];
    const there = new Set<string>();
    await Promise.all(paths.map(async (path) => (await isFile(path)) && there.add(path)));
    return part.map((flight) => ({ ...flight, isThere: there.has(flight.path) }));
  }

  /** Outlines of a part of the list, each line with at most `most` points. */
  outlines(revision: string, offset: number, count: number, most: number): Record<string, number[][]> | undefined {
    if (revision !== this.listing.revision) return undefined;
    const part = this.listing.flights.slice(offset, offset + count);
    return this.outlinesOf(
      part.map(({ id }) => id),
      most,
    );
  }

  outlinesOf(ids: readonly string[], most: number): Record<string, number[][]> {
    const found: Record<string, number[][]> = {};
    for (const id of ids) {
      const outline = this.listing.outlines.get(id);
      if (outline) found[id] = outlineSteps(outline, most);
    }
    return found;
  }

  /** The file of a log, and why it cannot be had; undefined for a log that is not in the lake. */
  async original(log: string): Promise<{ name: string; path: string; problem: string | null } | undefined> {
    const found = this.listing.flights.find((flight) => flight.log === log);
    if (!found) return undefined;
    const { name, path } = found;
    return { name, path, problem: (await this.originals.problemOf({ log, path })) ?? null };
  }

  /** Tells one state of the lake from another, without opening a file. */
  private async mark(): Promise<string> {
    const hash = createHash('sha256');
    const { replaced, packs, quarantine } = this.lake;
    for (const folder of [this.lake.catalogue('logs'), replaced, packs.folder, packs.gone, quarantine]) {
      const names = await namesIn(folder);
      hash.update(`${names.sort().join('/')}\n`);
    }
    return hash.digest('hex').slice(0, 16);
  }

  private async read(revision: string): Promise<void> {
    const began = performance.now();
    try {
      // a file that was there a moment ago may be gone: a second look does without it
      const read = (): Promise<Listing> => listingOf(this.files, revision);
      this.listing = await read().catch(read);
    } catch (error) {
      const problem = `cannot read the catalogue: ${errorText(error)}`;
      this.listing = { ...NOTHING, revision, problems: [problem] };
    }
    const ended = performance.now();
    this.nextAt = ended + REST * (ended - began);
  }
}

/** How much longer than reading the list it stays as it is. */
const REST = 2;

async function listingOf(files: LakeFiles, revision: string): Promise<Listing> {
  const database = await LakeDatabase.open(files.lake, {
    milliseconds: Number.POSITIVE_INFINITY,
    files,
    isCatalogueOnly: true,
  });
  try {
    const findings = await findingsByLog(database);
    const flights: ListedFlight[] = [];
    const outlines = new Map<string, Outline>();
    let points = 0;
    const result = await database.query(listQuestion(LAKE_LIMITS.listedFlights));
    for await (const row of result.rows()) {
      const values = Object.fromEntries(result.names.map((name, i) => [name, row[i]]));
      const id = `${String(values.log)}.${Number(values.flight)}`;
      const room = points < LAKE_LIMITS.listedPoints ? LAKE_LIMITS.outlinePoints : FEW_POINTS;
      const outline = outlineOfWkb(bytesOf(values.outline), room);
      points += outline.reduce((sum, { length }) => sum + length / 2, 0);
      if (outline.length > 0) outlines.set(id, outline);
      flights.push(listedFlight(id, values, findings.get(String(values.log)) ?? [], boxOfOutline(outline)));
    }
    const problems = files.sentences;
    const more = problems.length - LAKE_LIMITS.problems;
    if (more > 0) problems.splice(LAKE_LIMITS.problems, more, `and ${more} more files`);
    return { revision, flights, outlines, problems };
  } finally {
    database.close();
  }
}

/** Points of an outline where there are very many. */
const FEW_POINTS = 16;

type LoggedFinding = ListedFinding & { readonly start: number | null; readonly end: number | null };

async function findingsByLog(database: LakeDatabase): Promise<Map<string, LoggedFinding[]>> {
  const byLog = new Map<string, LoggedFinding[]>();
  for await (const row of (await database.query(listedFindingsQuestion())).rows()) {
    const [log, check, severity, title, start, end] = row;
    getOrAdd(byLog, String(log), () => []).push({
      check: String(check),
      severity: String(severity),
      title: String(title),
      start: numberOf(start),
      end: numberOf(end),
    });
  }
  return byLog;
}

function listedFlight(
  id: string,
  values: Readonly<Record<string, DuckDBValue>>,
  findings: readonly LoggedFinding[],
  box: Box | null,
): ListedFlight {
  const [start, end] = [numberOf(values.start), numberOf(values.end)];
  // one that has a time is of the flight in which it was
  const own = findings.filter(
    (finding) =>
      finding.start === null ||
      start === null ||
      end === null ||
      (finding.start <= end && (finding.end ?? finding.start) >= start),
  );
  const path = String(values.path);
  return {
    id,
    log: String(values.log),
    flight: Number(values.flight),
    vehicle: String(values.vehicle),
    kind: values.kind === null ? null : String(values.kind),
    firmware: String(values.firmware),
    format: String(values.format),
    path,
    name: basename(path),
    utc: values.utc === true,
    logStart: seconds(numberOf(values.log_start)),
    start: seconds(start),
    end: seconds(end),
    inAir: numberOf(values.in_air),
    distance: numberOf(values.distance),
    maxHeight: numberOf(values.max_height),
    modes: (jsonOf(values.modes) ?? []) as ListedFlight['modes'],
    milliampHours: numberOf(values.milliamp_hours),
    percent: numberOf(values.percent),
    startVolts: numberOf(values.start_volts),
    endVolts: numberOf(values.end_volts),
    lost: values.lost === true,
    once: values.once === true,
    findings: own.map(({ check, severity, title }) => ({ check, severity, title })),
    box,
  };
}

function numberOf(value: DuckDBValue): number | null {
  if (value === null) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function bytesOf(value: DuckDBValue): Uint8Array {
  return typeof value === 'object' && value !== null && 'bytes' in value ? value.bytes : new Uint8Array(0);
}
