import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CATALOGUE_KINDS } from '../lake/catalogue.ts';
import { type Lake, partitionValue } from '../lake/lake.ts';
import { LIVE_LIMITS } from '../live/limits.ts';
import { FolderLock } from '../node/folder-lock.ts';
import { ArchiveRecording } from './archive-recording.ts';
import {
  ArchiveFolder,
  BrokenStateError,
  type ClosedRecording,
  countOf,
  type OpenRecording,
  type StateOfArchive,
} from './archive-state.ts';
import { type BusBatch, timeOf } from './batch.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';
import { type BusMessage, readMessage } from './reader.ts';
import { Sequence } from './sequence.ts';
import { CollectorNames } from './subject.ts';

/** Another archive works on the lake now. */
export class ArchiveTakenError extends Error {
  override readonly name = 'ArchiveTakenError';
}

export interface ArchivedCounts {
  readonly frames: number;
  /** Messages that came again, that never came, and that are not telemetry. */
  readonly duplicates: number;
  readonly missing: number;
  readonly faults: number;
  /** Recordings that were cut, removed or replaced since they were written. */
  readonly broken: number;
  /** Frames that collectors lost before they could send them, as they say; names that two or more collectors have. */
  readonly lost: number;
  readonly conflicts: number;
}

/** A message of the stream in its place. */
type Placed = BusBatch & { readonly seq: number };

/** Milliseconds that an archive on another machine gets to see that it was replaced. */
const TAKE_OVER = 3000;

/** Archives a stream in a lake, each message once: `add`, `commit` to disk, and on from `position` after a crash. */
export class Archive {
  frames = 0;
  faults = 0;
  broken = 0;
  private readonly folder: ArchiveFolder;
  private readonly lock: FolderLock;
  private readonly owner: string = randomBytes(8).toString('hex');
  private readonly sequence: Sequence<Placed>;
  private readonly recordings: Map<string, ArchiveRecording> = new Map();
  private readonly names: CollectorNames;
  private readonly hardware: Map<string, string>;
  private readonly fault: (sentence: string) => void;
  /** That are over, but not all on the disk. */
  private ending: ArchiveRecording[] = [];
  private closed: ClosedRecording[];
  private stream: string;
  private files: number;
  private seen: number;
  private isChanged = true;

  private constructor(
    folder: ArchiveFolder,
    lock: FolderLock,
    { places, hardware, names, closed, stream, files, position, open: recordings }: StateOfArchive,
    fault: (sentence: string) => void,
  ) {
    this.folder = folder;
    this.lock = lock;
    this.fault = fault;
    this.sequence = new Sequence((collector, batch) => this.deliver(collector, batch), places, true);
    this.names = new CollectorNames(fault, names);
    this.hardware = new Map(Object.entries(hardware));
    this.closed = [...closed];
    this.stream = stream;
    this.files = files;
    this.seen = position;
    for (const recording of recordings) {
      const { collector, link, system } = recording;
      this.recordings.set(keyOf(collector, link, system), new ArchiveRecording(recording));
    }
  }

  /** Takes over the archive of a lake from its last commit. @param fault gets each message that is not an archive's */
  static async open(lake: Lake, fault: (sentence: string) => void): Promise<Archive> {
    await lake.create(CATALOGUE_KINDS);
    const folder = new ArchiveFolder(lake);
    const lock = await FolderLock.acquire(folder.root);
    try {
      const before = await folder.read().catch((error: unknown) => {
        if (!(error instanceof BrokenStateError)) throw error;
        fault(`${error.message}: renamed, and the stream is archived from its start`);
        return folder.putAside();
      });
      // another archive on this machine is dead, or has the lock; one elsewhere must see that it was replaced
      const isElsewhere = before.owner !== '' && before.host !== hostname();
      const claimed = new Archive(folder, lock, before, fault);
      await claimed.store();
      if (isElsewhere) await sleep(TAKE_OVER);
      const archive = isElsewhere ? new Archive(folder, lock, await folder.read(), fault) : claimed;
      if (isElsewhere) await archive.store();
      await archive.mend();
      return archive;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Cuts files to the length that counts, and removes those that do not count at all. */
  private async mend(): Promise<void> {
    for (const [key, { state }] of this.recordings) {
      const { path, bytes } = state;
      const size = await this.cut(path, bytes).catch((error: Error) => error.message);
      if (size === bytes) continue;
      this.recordings.delete(key);
      this.breakUp(typeof size === 'string' ? `${path}: ${size}` : `${path} has ${size} bytes of ${bytes}`);
      // what is left of it is archived
      if (typeof size === 'number' && size > 0) this.closed.push(this.closedOf({ ...state, bytes: size }));
    }
    for (const { path } of this.closed) {
      if (await this.folder.isConfined(path).catch(() => false)) continue;
      this.done(path);
      this.breakUp(`${path} is no longer in the folder of recordings`);
    }
    for (const path of await this.folder.paths())
      if (countOf(path) >= this.files) await rm(this.folder.recording(path));
  }

  private breakUp(sentence: string): void {
    this.broken++;
    this.fault(`recording ${sentence}`);
  }

  /** @returns how many of the bytes are there */
  private async cut(path: string, bytes: number): Promise<number> {
    if (!(await this.folder.isConfined(path))) throw new Error('not a file in the folder of recordings');
    const file = await open(this.folder.recording(path), 'r+');
    try {
      const { size } = await file.stat();
      if (size > bytes) await file.truncate(bytes);
      return Math.min(size, bytes);
    } finally {
      await file.close();
    }
  }

  /**
   * The number in the stream after which to go on: some come again, in case the bus lost its latest.
   * @param stream when it was made: numbers of another one start again
   * @param last   the latest number in it
   */
  position(stream: string, last: number): number {
    if (stream !== this.stream) this.seen = 0;
    this.stream = stream;
    this.seen = Math.min(this.seen, last);
    return Math.max(0, this.seen - BUS_LIVE_LIMITS.overlap);
  }

  get latest(): number {
    return this.seen;
  }

  get counts(): ArchivedCounts {
    const { frames, faults, broken } = this;
    const { duplicates, missing, lost } = this.sequence;
    return { frames, duplicates, missing, faults, broken, lost, conflicts: this.names.conflicts };
  }

  add(message: BusMessage): void {
    const { seq } = message;
    this.seen = seq;
    this.isChanged = true;
    const read = readMessage(message);
    if (typeof read === 'string') {
      this.refuse(seq, read);
      return;
    }
    const { refused } = this.sequence;
    this.sequence.take(read.collector, { ...read.batch, seq });
    if (this.sequence.refused > refused) this.refuse(seq, 'too many collectors');
  }

  private refuse(seq: number, why: string): void {
    this.faults++;
    this.fault(`message ${seq}: ${why}`);
  }

  private deliver(name: string, batch: Placed): void {
    const { link, system, records } = batch;
    if (batch.frames === 0) return;
    const collector = this.names.of(name, batch.id);
    const key = keyOf(collector, link, system);
    const time = timeOf(records, 8);
    let recording = this.recordings.get(key);
    if (recording?.isOver(time)) {
      this.end(key, recording);
      recording = undefined;
    }
    if (!recording && !this.hasRoom(name, collector, link)) {
      this.refuse(batch.seq, `collector ${name} has more than ${BUS_LIVE_LIMITS.links} links at a time`);
      return;
    }
    if (!recording) {
      const state = { collector, link, system, started: time, latest: time, bytes: 0, disarmed: 0, isArmed: false };
      recording = new ArchiveRecording({ ...state, path: this.newPath(collector, system, time) });
      this.recordings.set(key, recording);
    }
    recording.take(batch);
    this.frames += batch.frames;
    if (recording.hardware === undefined) return;
    this.hardware.set(key, recording.hardware);
    if (this.hardware.size > BUS_LIVE_LIMITS.boards) this.hardware.delete(this.hardware.keys().next().value ?? '');
  }

  /** Limits the open recordings, so that made-up links cannot fill the disk: the most silent one makes room. */
  private hasRoom(name: string, collector: string, link: string): boolean {
    const latest = new Map<string, number>();
    for (const { state, arrived } of this.recordings.values()) {
      const { collector: other } = state;
      const key = `${other}/${state.link}`;
      if (other === name || other.startsWith(`${name}.`)) latest.set(key, Math.max(arrived, latest.get(key) ?? 0));
    }
    if (latest.has(`${collector}/${link}`) || latest.size < BUS_LIVE_LIMITS.links) return true;
    const [[silent, arrived]] = [...latest].sort(([, a], [, b]) => a - b);
    if (Date.now() - arrived < LIVE_LIMITS.silence / 1000) return false;
    for (const [key, recording] of this.recordings) {
      const { collector: other, link: used } = recording.state;
      if (`${other}/${used}` === silent) this.end(key, recording);
    }
    return true;
  }

  private newPath(collector: string, system: number, time: number): string {
    const date = new Date(Math.min(time / 1000, 8.64e15));
    const text = date.toISOString().replace(/[-:]/g, '').replace(/\..*$/, '');
    return join(collector, `${text}-${this.files++}-${system}.tlog`);
  }

  private end(key: string, recording: ArchiveRecording): void {
    this.recordings.delete(key);
    this.ending.push(recording);
  }

  /** Ends recordings of vehicles that were not heard for long; all of them where nothing more will come. */
  endSilent(all = false): void {
    const before = Date.now() - BUS_LIVE_LIMITS.silenceMicros / 1000;
    for (const [key, recording] of this.recordings) if (all || recording.arrived < before) this.end(key, recording);
    this.isChanged ||= this.ending.length > 0;
  }

  /** Brings all to the disk. What fails may be tried again. */
  async commit(): Promise<void> {
    if (!this.isChanged) return;
    const { owner } = await this.folder.read();
    if (owner !== this.owner) throw new ArchiveTakenError('another archive took over this lake');
    const dirty = [...this.recordings.values(), ...this.ending].filter(({ isDirty }) => isDirty);
    for (let at = 0; at < dirty.length; at += BUS_LIVE_LIMITS.files) {
      const some = dirty.slice(at, at + BUS_LIVE_LIMITS.files);
      await Promise.all(some.map((recording) => recording.write(this.folder.recording(recording.state.path))));
    }
    for (const { state } of this.ending) this.closed.push(this.closedOf(state));
    this.ending = [];
    await this.store();
    this.isChanged = false;
  }

  private closedOf({ collector, link, system, path, bytes }: OpenRecording): ClosedRecording {
    const vehicle = this.hardware.get(keyOf(collector, link, system)) ?? `${collector}-system-${system}`;
    return { path, bytes, vehicle: partitionValue(vehicle) };
  }

  private async store(): Promise<void> {
    // what waits for its predecessors is in no file: it must come again
    const waiting = Math.min(...[...this.sequence.waiting()].map(({ seq }) => seq - 1), this.seen);
    await this.folder.write({
      ...{ owner: this.owner, host: hostname(), stream: this.stream, position: waiting, files: this.files },
      places: this.sequence.places(),
      open: [...this.recordings.values()].map(({ state }) => state),
      closed: this.closed,
      names: this.names.names,
      hardware: Object.fromEntries(this.hardware),
    });
  }

  /** Recordings that are complete, on the disk, and not in the tables of the lake. */
  get complete(): readonly (ClosedRecording & { readonly file: string })[] {
    return this.closed.map((recording) => ({ ...recording, file: this.folder.recording(recording.path) }));
  }

  /** A recording is in the tables of the lake, or can never be. */
  done(path: string): void {
    this.closed = this.closed.filter((recording) => recording.path !== path);
    this.isChanged = true;
  }

  async close(): Promise<void> {
    await this.lock.release();
  }
}

function keyOf(collector: string, link: string, system: number): string {
  return `${collector}/${system}/${link}`;
}
