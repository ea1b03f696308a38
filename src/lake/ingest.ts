import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { mkdir, readdir, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { damageOf } from '../core/fault.ts';
import { LIMITS } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import type { Source } from '../core/source.ts';
import { errorText } from '../core/text.ts';
import { UnknownFormatError } from '../formats/index.ts';
import { type OpenOptions, openUnpacked } from '../formats/open.ts';
import { unpack } from '../formats/unpack.ts';
import { syncPath } from '../node/atomic.ts';
import { FileSource } from '../node/file.ts';
import { placeOf } from '../node/open.ts';
import { fileSpill } from '../node/spill.ts';
import { CATALOGUE_KINDS, writeCatalogueFile } from './catalogue.ts';
import { catalogueRows, type Destination, destinationOf } from './catalogue-rows.ts';
import { isThere, type KnownLog, LogIndex, replacedBy } from './catalogue-state.ts';
import { locate, type Root, reasonOf } from './find-logs.ts';
import { failedResult } from './ingest-process.ts';
import { commitFile, type Lake } from './lake.ts';
import { type IngestEngine, type LakeFile, openIngestEngine, writeTables } from './lake-file.ts';
import { LakeFiles } from './lake-files.ts';
import { beginsWith, type LogIdentity, mayBegin, readIdentity } from './log-identity.ts';
import { ageOf } from './packs.ts';
import { removeLog, sweep } from './removal.ts';
import { hashOfFile, type SealedRule, sealText } from './seal.ts';
import type { VehicleRule } from './vehicle-id.ts';

export interface IngestOptions extends VehicleRule {
  readonly open?: OpenOptions | undefined;
  /** Where files of other machines are on this one; if given, nothing else is read. */
  readonly roots?: readonly Root[] | undefined;
}

/** What became of a file. */
type IngestStatus =
  /** It is in the lake now. */
  | 'ingested'
  /** It was there before, by this name or another. */
  | 'present'
  /** A longer or newer copy of the same recording is there. */
  | 'outdated'
  | 'empty'
  | 'unknown'
  | 'failed';

export interface IngestResult {
  readonly path: string;
  readonly status: IngestStatus;
  readonly bytes: number;
  readonly log: string | null;
  readonly vehicle: string | null;
  readonly date: string | null;
  readonly rows: number;
  readonly flights: number;
  /** Whether damage was found by which data was lost; whether the last record alone is cut. */
  readonly lost: boolean;
  readonly cut: boolean;
  /** Logs whose rows it took the place of. */
  readonly replaced: readonly string[];
  /** Why, where it is not in the lake; or what could not be found out about it. */
  readonly reason: string | null;
}

/** Puts logs into a lake, one after the other. Any number of these may work on one lake. */
export class Ingester {
  private readonly lake: Lake;
  private readonly options: IngestOptions;
  /** Starting it takes longer than finding that a log is there. */
  private reading: Promise<IngestEngine> | undefined;
  private index: LogIndex | undefined;

  private constructor(lake: Lake, options: IngestOptions) {
    this.lake = lake;
    this.options = options;
  }

  static async open(lake: Lake, options: IngestOptions = {}): Promise<Ingester> {
    await lake.create(CATALOGUE_KINDS);
    return new Ingester(lake, options);
  }

  async close(): Promise<void> {
    (await this.reading)?.close();
  }

  private async engine(): Promise<IngestEngine> {
    this.reading ??= openIngestEngine();
    return this.reading;
  }

  private async knownLogs(): Promise<KnownLog[]> {
    this.index ??= new LogIndex(new LakeFiles(this.lake), (await this.engine()).connection);
    return this.index.logs();
  }

  /**
   * Puts one log into the lake. It may be called for the same log any number of times, also at once on several machines:
   * the log is there once. When it is done, the log is on the disk.
   *
   * @param rule what holds for this log in place of the options for all
   */
  async ingest(given: string, rule: IngestOptions = {}): Promise<IngestResult> {
    const path = resolve(given);
    let place = path;
    let bytes = 0;
    try {
      place = await this.locate(path);
      const { file: name, entry } = await placeOf(place);
      const file = await FileSource.open(name);
      file.keepInMemory(LIMITS.heldBytes);
      bytes = file.size;
      const options = this.optionsWith(rule);
      return { ...failedResult(path, bytes, null), ...(await this.take(path, file, entry, options)) };
    } catch (error) {
      const status = error instanceof UnknownFormatError ? 'unknown' : 'failed';
      const isOfFile = (error as NodeJS.ErrnoException).path === place;
      return { ...failedResult(path, bytes, isOfFile ? reasonOf(error) : errorText(error)), status };
    }
  }

  /** Where the file is here. The catalogue has the paths of the machine that named them, which are the same for all. */
  private async locate(path: string): Promise<string> {
    return this.options.roots ? locate(path, this.options.roots) : path;
  }

  private optionsWith(rule: IngestOptions): IngestOptions {
    return { ...this.options, ...rule, open: { ...this.options.open, ...rule.open } };
  }

  private async take(
    path: string,
    file: Source,
    entry: string | undefined,
    options: IngestOptions,
  ): Promise<Partial<IngestResult>> {
    if (file.size === 0) return { status: 'empty', reason: 'empty file' };
    // a log is the same whether it is packed or not
    const unpacked = await unpack(file, { spill: fileSpill, entry });
    const identity = await readIdentity(unpacked.source);
    const { id } = identity;
    if ((await isThere(this.lake, id)) && !(await replacedBy(this.lake, id))) return { status: 'present', log: id };
    const known = await this.knownLogs();
    const newer = await this.newerOf(known, path, identity);
    if (newer) return outdatedBy(newer);
    // it was replaced, and is what its file holds again
    if (await isThere(this.lake, id)) await sweep(this.lake);
    const log = await openUnpacked(unpacked, file.size, { spill: fileSpill, ...options.open });
    const destination = await destinationOf(log, id, path, options);
    const older = await this.olderOf(known, path, identity, log, destination);
    const done = await this.write(path, identity, log, destination, older, ruleOf(options)).catch(
      async (error: unknown) => {
        // the first ingest of a log clears away the drafts of others
        if (await isThere(this.lake, id)) return { status: 'present' as const, log: id };
        throw error;
      },
    );
    if (done.status === 'present') return done;
    await this.clear(id, older);
    const met = await this.meet(path, identity, log, destination);
    if (met.newer) return outdatedBy(met.newer);
    const damage = damageOf(log);
    return {
      status: 'ingested',
      log: id,
      vehicle: destination.vehicle,
      date: destination.date,
      lost: damage === 'lost',
      cut: damage === 'cut',
      replaced: [...older, ...met.older].map(({ log: old }) => old),
      ...done,
    };
  }

  /** Others may have brought another state of the recording at the same time, when neither saw the other. Now one does. */
  private async meet(
    path: string,
    identity: LogIdentity,
    log: Log,
    destination: Destination,
  ): Promise<{ newer: KnownLog | undefined; older: readonly KnownLog[] }> {
    const { lake } = this;
    const others = (await this.knownLogs()).filter((other) => other.log !== identity.id);
    const newer = await this.newerOf(others, path, identity);
    const older = newer ? [] : await this.olderOf(others, path, identity, log, destination);
    const pairs = newer ? [[identity.id, newer.log]] : older.map((other) => [other.log, identity.id]);
    for (const [old, by] of pairs) {
      await writeFile(join(lake.replaced, `${old}.${by}`), '');
      await removeLog(lake, (await this.engine()).connection, old);
    }
    return { newer, older };
  }

  /** The log that took the place of this one, or that begins with it. */
  private async newerOf(
    known: readonly KnownLog[],
    path: string,
    identity: LogIdentity,
  ): Promise<KnownLog | undefined> {
    const by = await replacedBy(this.lake, identity.id);
    const newer = known.find(({ log }) => log === by);
    // what is at the path now is the newest state, unless it is a part of what was there
    if (newer && (newer.path !== path || newer.bytes > identity.bytes)) return newer;
    for (const other of known) {
      if (!mayBegin(identity, other)) continue;
      const source = await this.locate(other.path)
        .then((place) => FileSource.open(place))
        .catch(() => undefined);
      if (source?.size === other.bytes && (await beginsWith(source, identity))) return other;
    }
    return undefined;
  }

  /** The logs that are an earlier state of this one: its beginning, or what the same file kept of the same recording. */
  private async olderOf(
    known: readonly KnownLog[],
    path: string,
    identity: LogIdentity,
    log: Log,
    { vehicle, start, end }: Destination,
  ): Promise<KnownLog[]> {
    const older: KnownLog[] = [];
    for (const other of known) {
      const isOverlapping =
        other.start !== null && other.end !== null && start !== null && end !== null
          ? other.start <= end && start <= other.end
          : other.start === start;
      const isSameClock = other.utc === log.clock.utc;
      // memory cards name their logs alike: another flight at the same path is another log
      const isSameRecording = other.path === path && other.vehicle === vehicle && isSameClock && isOverlapping;
      const isWhole = isSameRecording && (log.clock.utc || haveSameBeginning(identity, other));
      if (isWhole || (mayBegin(other, identity) && (await beginsWith(log.source, other)))) older.push(other);
    }
    return older;
  }

  /** Writes all files of a log aside, brings them to the disk and to their places, and last the one that counts. */
  private async write(
    path: string,
    identity: LogIdentity,
    log: Log,
    destination: Destination,
    older: readonly KnownLog[],
    rule: SealedRule,
  ): Promise<Partial<IngestResult>> {
    const { lake } = this;
    const folder = join(lake.staging, `${identity.id}-${randomBytes(6).toString('hex')}`);
    try {
      // one after the other: both at once say of a disk that is read only that something is not there
      await mkdir(folder);
      await mkdir(join(folder, 'catalogue'));
      const engine = await this.engine();
      const files = await writeTables(engine, log, identity.id, folder, metadataOf(log, path, destination));
      const rows = await catalogueRows(log, path, identity, destination, files);
      const moves = files.map((file): Move => [join(folder, `${file.folder}.parquet`), this.place(file, destination)]);
      const hashes: Record<string, string> = {};
      for (const kind of CATALOGUE_KINDS) {
        if (rows[kind].length === 0) continue;
        const draft = join(folder, 'catalogue', `${kind}.parquet`);
        await writeCatalogueFile(engine.connection, kind, rows[kind], draft);
        hashes[kind] = await hashOfFile(draft);
        moves.push([draft, lake.catalogueFile(kind, identity.id)]);
      }
      const seal: Move = [join(folder, 'seal'), lake.seal(identity.id)];
      await writeFile(seal[0], sealText({ path, rule, files: hashes }));
      if (!(await this.publish(moves, identity.id, older, seal))) return { status: 'present', log: identity.id };
      const reason = rows.logs[0].remark as string | null;
      return { rows: files.reduce((sum, file) => sum + file.rows, 0), flights: rows.flights.length, reason };
    } finally {
      await discard(folder);
    }
  }

  private place(file: LakeFile, destination: Destination): string {
    return this.lake.dataFile(file.folder, destination);
  }

  /** Says whether it was the first to bring this log. */
  private async publish(moves: readonly Move[], id: string, older: readonly KnownLog[], seal: Move): Promise<boolean> {
    const { lake } = this;
    await Promise.all([...moves, seal].map(([from]) => syncPath(from)));
    const claim = join(lake.staging, `${id}-claim`);
    await this.claim(claim, id);
    try {
      return await this.move(moves, id, older, seal);
    } finally {
      await rm(claim, { recursive: true, force: true });
    }
  }

  /** One program at a time moves the files of a log: those of two may differ, and only one set has the hashes we keep. */
  private async claim(claim: string, id: string): Promise<void> {
    for (;;) {
      if (await isThere(this.lake, id)) throw new Error('another ingest added this log first');
      const isOurs = await mkdir(claim).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
          return false;
        },
      );
      if (isOurs) return;
      // a program that was killed leaves its claim
      if ((await ageOf(claim)) > CLAIM_MILLISECONDS) await rm(claim, { recursive: true, force: true });
      else await sleep(CLAIM_LOOK);
    }
  }

  private async move(moves: readonly Move[], id: string, older: readonly KnownLog[], seal: Move): Promise<boolean> {
    const { lake } = this;
    const commit = lake.catalogueFile('logs', id);
    const others = moves.filter(([, to]) => to !== commit);
    const [draft] = moves.find(([, to]) => to === commit) as Move;
    for (const move of others) moveFile(move);
    for (const name of await readdir(lake.replaced)) {
      if (name.startsWith(`${id}.`)) await unlink(join(lake.replaced, name)).catch(() => undefined);
    }
    for (const { log } of older) await writeFile(join(lake.replaced, `${log}.${id}`), '');
    await Promise.all([...new Set(others.map(([, to]) => dirname(to))), lake.replaced].map(syncPath));
    // from here on the log is there and those that it replaces are not
    const isFirst = await commitFile(draft, commit);
    await syncPath(dirname(commit));
    if (isFirst) {
      // a run that begins at this moment may have put it there
      if (existsSync(seal[0])) moveFile(seal);
      await syncPath(lake.seals);
    } else await this.withdraw(others, id);
    return isFirst;
  }

  /** Takes away what a log that is there now makes superfluous: those that it replaces, and drafts of itself. */
  private async clear(id: string, older: readonly KnownLog[]): Promise<void> {
    const { lake } = this;
    for (const { log } of older) await removeLog(lake, (await this.engine()).connection, log);
    for (const name of await readdir(lake.staging)) {
      if (name.startsWith(`${id}-`)) await discard(join(lake.staging, name));
    }
  }

  /** Another ingest added this log first: its files count, also where its rule for vehicles chose other folders. */
  private async withdraw(moves: readonly Move[], id: string): Promise<void> {
    const first = (await this.knownLogs()).find(({ log }) => log === id);
    const isTheirs = (path: string): boolean =>
      first === undefined || path.endsWith(this.lake.dataFile('', first).slice(this.lake.root.length));
    for (const [, to] of moves) {
      if (!to.startsWith(this.lake.catalogue('')) && !isTheirs(to)) await unlink(to).catch(() => undefined);
    }
  }
}

/** How long a claim of a program that was killed counts, and how often others look. */
const CLAIM_MILLISECONDS = 5000;
const CLAIM_LOOK = 20;

/** A file and where it goes. */
type Move = readonly [from: string, to: string];

/** How often a folder is made again after another program removed it because it was empty. */
const TRIES = 10;

/** Waiting for another thread to do it would take longer than it takes. */
function moveFile([from, to]: Move): void {
  for (let tries = 1; ; tries++) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries >= TRIES) throw error;
      mkdirSync(dirname(to), { recursive: true });
    }
  }
}

/** Removes a folder of drafts; a program that still writes there removes it itself. */
async function discard(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

function outdatedBy({ log, vehicle, date, path }: KnownLog): Partial<IngestResult> {
  return { status: 'outdated', log, vehicle, date, reason: `${path} is a newer version of it` };
}

function haveSameBeginning(a: LogIdentity, b: LogIdentity): boolean {
  return a.marks.slice(0, 16) === b.marks.slice(0, 16);
}

function ruleOf({
  vehicle,
  from,
  open: { leapSeconds, keepInvalid, checksum, weekRollovers } = {},
}: IngestOptions): SealedRule {
  return { vehicle, from, open: { leapSeconds, keepInvalid, checksum, weekRollovers } };
}

function metadataOf(log: Log, path: string, { vehicle, date }: Destination): Map<string, string> {
  const { format, clock } = log;
  return new Map([
    ['source', basename(path)],
    ['format', format],
    ['clock', `${clock.kind}: ${clock.source}`],
    ['utc', String(clock.utc)],
    ['vehicle', vehicle],
    ['date', date ?? ''],
  ]);
}
