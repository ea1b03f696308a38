import type { Row } from '../../core/table.ts';
import { LIVE_LIMITS } from '../limits.ts';
import { FTP_END_OF_FILE, FTP_LIST, type FtpAnswer, type FtpClient } from './ftp.ts';

/*
 * The logs on a vehicle's card, by the log protocol (https://mavlink.io/en/services/log_transfer.html: ids, sizes and
 * times) and by MAVFTP (paths and sizes). ArduPilot counts ids from 1, sends an entry of size 0 for a number that is
 * missing, and one with num_logs 0 where there is none. PX4 counts from 0, sends all from `start` on whatever `end` is,
 * and nothing at all where there is none. Ids belong to a listing: they move when logs come and go.
 */

/** Microseconds without an entry until the rest is asked for again, the longest of that, and how often. */
const SILENCE = 1e6;
const LONGEST = 5e6;
const MOST_TRIES = 4;
const ALL = 0xffff;
/** Microseconds between two requests to end a listing that runs on. */
const AGAIN = 1e6;

export type ListState = 'listing' | 'done' | 'failed';

/** A log as the log protocol lists it. */
export interface LogEntry {
  readonly id: number;
  readonly size: number;
  /** Seconds UTC of its last change; 0 if unknown. */
  readonly time: number;
}

/** A log as MAVFTP lists it. */
export interface LogPath {
  readonly path: string;
  readonly size: number;
}

/** A log of a vehicle, known by one way or by both. */
export interface VehicleLog {
  /** Tells it from the others of its list. */
  readonly key: string;
  readonly name: string;
  readonly size: number;
  /** Seconds UTC of its last change, null if unknown. */
  readonly time: number | null;
  readonly id: number | null;
  readonly path: string | null;
}

/** Lists by the log protocol; what is lost is asked for again. */
export class EntryList {
  state: ListState = 'listing';
  readonly entries: Map<number, LogEntry> = new Map();
  private readonly first: number;
  private readonly request: (what: 'LIST' | 'END', values?: Readonly<Record<string, number>>) => void;
  private count: number = Number.NaN;
  private tries = 0;
  private lastTime = Number.NEGATIVE_INFINITY;
  private endedAt = Number.NEGATIVE_INFINITY;

  /** @param first the lowest id */
  constructor(first: 0 | 1, request: EntryList['request']) {
    this.first = first;
    this.request = request;
  }

  tick(now: number): void {
    if (this.state !== 'listing') return;
    const wait = this.tries === 0 ? 0 : Math.min(LONGEST, SILENCE * 2 ** (this.tries - 1));
    if (Math.abs(now - this.lastTime) < wait) return;
    if (++this.tries > MOST_TRIES) {
      this.state = 'failed';
      return;
    }
    this.lastTime = now;
    let start = this.first;
    while (this.entries.has(start)) start++;
    // beyond the last one ArduPilot lists without end
    const end = Number.isNaN(this.count) ? ALL : this.first + this.count - 1;
    this.request('LIST', { start: this.entries.size === 0 ? 0 : start, end });
  }

  /** LOG_ENTRY came. */
  push(row: Row, now: number): void {
    const [id, count, size, time] = [row.id, row.num_logs, row.size, row.time_utc].map(Number);
    if (this.state !== 'listing') return;
    if (count === 0 || count > LIVE_LIMITS.logs) {
      this.state = count === 0 ? 'done' : 'failed';
      return;
    }
    if (!(id >= this.first && id < this.first + count)) {
      if (Math.abs(now - this.endedAt) > AGAIN) this.request('END');
      this.endedAt = now;
      return;
    }
    // one came or went: the ids are others now
    if (count !== this.count) this.entries.clear();
    this.count = count;
    if (!this.entries.has(id)) this.tries = 1;
    this.lastTime = now;
    this.entries.set(id, { id, size, time });
    if (this.entries.size === count) this.state = 'done';
  }
}

/** Whether the ids of two listings mean the same logs: all are as they were, but for one that may have grown. */
export function areSameIds(before: EntryList['entries'], after: EntryList['entries']): boolean {
  const others = [...before.values()].filter(({ id, size, time }) => {
    const now = after.get(id);
    return now?.size !== size || now.time !== time;
  });
  return (
    before.size === after.size && others.length < 2 && others.every(({ id, size }) => (after.get(id)?.size ?? 0) > size)
  );
}

/** What logs are called, and how many bytes of a name are believed. */
const LOG_NAME = /^[\w.-]{1,100}\.(?:bin|ulg)$/i;
const FOLDER_NAME = /^[\w-]{1,100}$/;

/** Lists by MAVFTP: the first of several folders that is there, and those in it. */
export class PathList {
  state: ListState = 'listing';
  readonly logs: LogPath[] = [];
  private readonly client: FtpClient;
  private roots: readonly string[];
  private folders: string[] = [];
  /** The entry that is next in the folder that is being listed. */
  private at = 0;
  private isRootFound = false;

  constructor(client: FtpClient, roots: readonly string[]) {
    this.client = client;
    this.roots = roots;
  }

  tick(now: number): void {
    if (this.state !== 'listing' || this.client.isBusy) return;
    const path = this.isRootFound ? this.folders[0] : this.roots[0];
    if (path === undefined) {
      this.state = this.isRootFound ? 'done' : 'failed';
      return;
    }
    this.client.ask({ opcode: FTP_LIST, offset: this.at, path }, now, (answer, at) => {
      if (answer) this.answered(path, answer);
      else this.state = 'failed';
      this.tick(at);
    });
  }

  private answered(path: string, { error, data }: FtpAnswer): void {
    const entries = new TextDecoder().decode(data).split('\0').filter(Boolean);
    if (error !== 0 && error !== FTP_END_OF_FILE && !this.isRootFound) {
      this.roots = this.roots.slice(1);
      return;
    }
    if (!this.isRootFound) this.folders = [path];
    this.isRootFound = true;
    if (error !== 0 || entries.length === 0) {
      this.folders.shift();
      this.at = 0;
      return;
    }
    this.at += entries.length;
    if (this.logs.length + this.folders.length + entries.length > LIVE_LIMITS.logs || this.at > LIVE_LIMITS.logs) {
      this.state = 'failed';
      return;
    }
    const isRoot = this.roots.includes(path);
    for (const entry of entries) {
      const [name, size] = entry.slice(1).split('\t');
      if (entry[0] === 'D' && isRoot && FOLDER_NAME.test(name)) this.folders.push(`${path}/${name}`);
      else if (entry[0] === 'F' && LOG_NAME.test(name) && /^\d+$/.test(size ?? ''))
        this.logs.push({ path: `${path}/${name}`, size: Number(size) });
    }
  }
}

/** Boards without a clock are in 1980. */
const EARLIEST = 1_000_000_000;

/** Joins both lists by size. Of several with one size only the ids are taken: which path is which would be a guess. */
export function joinLogs(entries: Iterable<LogEntry>, paths: readonly LogPath[]): VehicleLog[] {
  const listed = [...entries].filter(({ size }) => size > 0).sort((a, b) => a.id - b.id);
  const sizes = new Set(listed.map(({ size }) => size));
  const others = paths.filter(({ size }) => size > 0 && !sizes.has(size));
  const isPaired = (size: number): boolean => paths.some((each) => each.size === size);
  const unpaired = listed.filter(({ size }) => !isPaired(size));
  // the log that is being written grew between the two lists
  const growing = unpaired.length === 1 && others.length === 1 ? unpaired[0] : undefined;
  const logs = listed.map((entry): VehicleLog => {
    const { id, size, time } = entry;
    if (entry === growing) return logOf(others[0].size, time, null, others[0].path);
    const isAlone = listed.filter((each) => each.size === size).length === 1;
    const same = paths.filter((each) => each.size === size);
    return logOf(size, time, id, isAlone && same.length === 1 ? same[0].path : null);
  });
  return growing ? logs : [...logs, ...others.map(({ path, size }) => logOf(size, 0, null, path))];
}

function logOf(size: number, time: number, id: number | null, path: string | null): VehicleLog {
  // PX4 has a folder for each day
  const name =
    path
      ?.split('/')
      .slice(/\.bin$/i.test(path) ? -1 : -2)
      .join('/') ?? `log ${id}`;
  return { key: path ?? String(id), name, size, time: time > EARLIEST ? time : null, id, path };
}
