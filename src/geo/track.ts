import type { Log } from '../core/log.ts';
import { getOrAdd } from '../core/maps.ts';
import type { RecordTable } from '../core/table.ts';
import { type Fixes, fixColumns, nothingDropped, readFixes, type TimeRange } from './fixes.ts';
import type { PacketMotion } from './packet-motion.ts';
import { hasPositions, isReceiver, POSITION_TABLES } from './position.ts';

/** A source of the vehicle's position. */
export interface TrackSource {
  /** The table's name, with the instance where it has one: 'GPS', 'GPS[1]', 'GPS2', 'POS', 'LatLon[255]'. */
  readonly name: string;
  /** Whether it is a satellite receiver; otherwise it is an estimate that the autopilot made. */
  readonly receiver: boolean;
  readonly rows: number;
  /** Rows that are a new valid fix: the points of its track. */
  readonly fixes: number;
}

/** The path of a vehicle: a point an entry of the columns. */
export interface Track extends Fixes {
  /** The given name, or else its source. */
  readonly name: string;
  /** The source that it was read from, '' for a log that has none. */
  readonly source: string;
  /** The name of the source's table. */
  readonly table: string;
  readonly points: number;
  /** Whether `time` is UTC; otherwise it counts from boot. */
  readonly utc: boolean;
}

export interface TrackOptions extends TimeRange {
  /** The source to read; by default the receiver that had most fixes. */
  readonly source?: string | undefined;
  /** What to call the track. */
  readonly name?: string | undefined;
}

/** The first receiver is taken unless it has less than this part of what the best one has. */
const NEARLY_BEST = 0.8;

/** Made for each track: its memory may be given away. */
function noFixes(): Fixes {
  const columns = fixColumns(() => new Float64Array(0));
  return { ...columns, rows: 0, dropped: nothingDropped(), badAltitudes: 0 };
}

/** All sources that a log has for tracks, those of receivers first. */
export async function findTracks(log: Log): Promise<TrackSource[]> {
  const sources: TrackSource[] = [];
  for (const { name, tables } of candidates(log)) {
    const { rows, time } = await readFixes(tables, {});
    sources.push({ name, receiver: isReceiver(tables[0].name), rows, fixes: time.length });
  }
  return sources;
}

/** The flown path: of the given source, else of the receiver with most fixes (an earlier one if nearly as good). */
export async function readTrack(log: Log, options: TrackOptions = {}): Promise<Track> {
  const { from, to } = options;
  if (Number.isNaN(from) || Number.isNaN(to)) throw new RangeError(`track from ${from} to ${to}: not a range of time`);
  const all = candidates(log);
  const wanted =
    options.source === undefined
      ? all.filter(({ tables }) => isReceiver(tables[0].name))
      : [named(all, options.source)];
  const tracks: Track[] = [];
  for (const { name, tables } of wanted) {
    const fixes = await readFixes(tables, { from, to }, (table) => motionOf(log, table));
    tracks.push(trackOf(fixes, name, tables[0].name, log.clock.utc, options));
  }
  const best = Math.max(0, ...tracks.map(({ points }) => points));
  return (
    tracks.find(({ points }) => points >= best * NEARLY_BEST) ?? trackOf(noFixes(), '', '', log.clock.utc, options)
  );
}

/** Altitude, speed and course that are apart from the positions; only XBUS devices send them so. */
async function motionOf(log: Log, table: RecordTable): Promise<Partial<PacketMotion>> {
  return table.name === 'LatLon' ? (await import('./packet-motion.ts')).packetMotion(log, table) : {};
}

function trackOf(fixes: Fixes, source: string, table: string, utc: boolean, { name }: TrackOptions): Track {
  return { ...fixes, name: name ?? (source || 'track'), source, table, utc, points: fixes.time.length };
}

interface Candidate {
  readonly name: string;
  readonly instance: string;
  readonly tables: readonly RecordTable[];
}

/** Tables with positions, grouped by whose they are, in the order in which they are preferred. */
function candidates(log: Log): Candidate[] {
  return POSITION_TABLES.flatMap((tableName) => {
    const byInstance = new Map<string, RecordTable[]>();
    for (const table of log.tablesNamed(tableName)) {
      if (table.rows === 0 || !hasPositions(table)) continue;
      // a firmware that does not number its receivers means the first one
      getOrAdd(byInstance, table.stream || '0', () => []).push(table);
    }
    return [...byInstance]
      .map(([instance, tables]) => ({ name: nameOf(tableName, tables), instance, tables }))
      .sort((a, b) => Number(a.instance) - Number(b.instance) || 0);
  });
}

function nameOf(tableName: string, tables: readonly RecordTable[]): string {
  const stream = tables.find((table) => table.stream !== '')?.stream;
  return stream === undefined ? tableName : `${tableName}[${stream}]`;
}

/** The candidate of that name; a name without an instance means the first that the table has. */
function named(all: readonly Candidate[], name: string): Candidate {
  const found =
    all.find((candidate) => candidate.name === name) ??
    all.find(({ tables, instance }) => tables[0].name === name || `${tables[0].name}[${instance}]` === name);
  if (found) return found;
  const known = all.map((candidate) => candidate.name).join(', ');
  throw new RangeError(`log has no track source ${name}: it has ${known || 'none'}`);
}
