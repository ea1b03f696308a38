import { crc32 } from '../../core/checksum.ts';
import { firstIndex } from '../../core/search.ts';
import type { Row } from '../../core/table.ts';
import { errorText } from '../../core/text.ts';
import {
  FTP_BURST,
  FTP_CHECKSUM,
  FTP_CHUNK,
  FTP_END_OF_FILE,
  FTP_FAILED,
  FTP_NO_SESSIONS,
  FTP_OPEN,
  FTP_READ,
  FTP_TERMINATE,
  type FtpAnswer,
  type FtpClient,
  wordOf,
} from './ftp.ts';
import { areSameIds, EntryList, type VehicleLog } from './log-list.ts';

/*
 * One log, by MAVFTP and by the log protocol, both into one map of what is missing:
 *
 *     open, burst, burst, ... read, read, ... close      the end of the file by bursts, then the holes by single reads
 *     list, data, data, ... list, end                    64 kB a request; the ids must mean the same before and after
 *
 * Three time-outs without a byte, or a refusal, lead to the other way. Bytes that come twice must be the same. At the end
 * the vehicle's own sum of the file is compared, if it has one and the file did not grow.
 */

/** Where the bytes of a log are kept. */
export interface LogStore {
  write(at: number, bytes: Uint8Array): void;
  /** Bytes that were written. */
  read(at: number, length: number): Uint8Array;
}

/** Bytes of data in a LOG_DATA, and how many are asked for at once: PX4 sends them without a pause. */
const DATA_BYTES = 90;
const MOST_ASKED = 728 * DATA_BYTES;
/** Data bytes of an answer that fits into the frame of a radio. */
const RADIO_CHUNK = 91;
/** Packets of a hole up to which they are read one by one: ArduPilot does not end a burst before 500 packets. */
const FEW = 16;
/** Bytes of a burst from which on its flag for the end is believed: PX4 sets it at random before. */
const LEAST_BURST = 35_000;
/** Microseconds: the least and the longest wait for the next packet, and what is taken before any came. */
const SHORTEST = 0.2e6;
const LONGEST = 5e6;
const UNKNOWN = 1e6;
/** How long the first packet of many may take: a request that is sent again too early brings all of them twice. */
const FIRST = 1e6;
/** How much longer than the longest pause so far is waited. */
const PAUSES = 3;
/** How much of the longest pause is left after one more packet: a link that stalled once is not slow for ever. */
const FORGET = 0.99;
/** Microseconds after which a session of PX4 needs another request; bursts are not counted as activity. */
const KEEP_ALIVE = 4e6;
/** Time-outs in a row until the other way is tried, and until the download fails. */
const CHANGE = 3;
const MOST_FAILURES = 16;
/** Microseconds until a file is opened again while another client has it open, and how often. */
const BUSY = 3e6;
const MOST_OPENS = 4;
/** Each goodbye is sent three times, this many microseconds apart. */
const GOODBYE = 0.3e6;
const GOODBYES = 3;
/** Microseconds between two requests for the vehicle's sum, and for each byte that it sums up. */
const SUM = 5e6;
const SUM_BYTE = 5;
const SUM_TRIES = 5;
/** Bytes of ours that are summed up at once. */
const SUMMED = 1 << 22;

interface Span {
  readonly from: number;
  readonly to: number;
}

export interface LogDownloadOptions {
  readonly log: VehicleLog;
  /** The ids of its list. */
  readonly ids: EntryList['entries'];
  readonly store: LogStore;
  readonly client: FtpClient;
  readonly request: (what: 'LIST' | 'DATA' | 'END', values?: Readonly<Record<string, number>>) => void;
  readonly isPx4: boolean;
  /** Whether the link is a slow radio with small frames. */
  readonly isRadio: boolean;
}

type Way = 'ftp' | 'log';

export class LogDownload {
  state: 'reading' | 'checking' | 'closing' | 'done' | 'failed' = 'reading';
  /** Why it failed. */
  error = '';
  received = 0;
  /** Whether the vehicle's sum of the file was equal. */
  isVerified = false;
  /** Whether the log has become longer: then the bytes are those that it had when it was listed. */
  hasGrown = false;
  readonly log: VehicleLog;
  private readonly options: LogDownloadOptions;
  private readonly chunk: number;
  private way: Way;
  private readonly used: Set<Way> = new Set();
  /** What is missing, in order. */
  private holes: Span[];
  private session: number | undefined;
  private openSize: number | undefined;
  private opens = 0;
  private busyAt = Number.NEGATIVE_INFINITY;
  /** The ids before the first byte by the log protocol, and after the last. */
  private before: EntryList | undefined;
  private after: EntryList | undefined;
  private asked: Span | undefined;
  private askedAt = 0;
  /** How much was there when it was asked. */
  private receivedBefore = 0;
  private lastTime = 0;
  private longestPause = 0;
  private failures = 0;
  private goodbyes = 0;
  private goodbyeAt = 0;
  private summed = 0;
  /** The sum that the vehicle has begins with 0 and is not inverted: ours is from before the inversion. */
  private sum = 0xffffffff;
  private vehicleSum: number | null | undefined;

  constructor(options: LogDownloadOptions) {
    const { log, isRadio, isPx4 } = options;
    this.options = options;
    this.log = log;
    this.chunk = isRadio ? RADIO_CHUNK : FTP_CHUNK;
    this.holes = [{ from: 0, to: log.size }];
    // PX4 ignores the size of a burst's packets, so that they do not fit into the frames of a radio
    this.way = this.has('ftp') && !(isRadio && isPx4 && this.has('log')) ? 'ftp' : 'log';
  }

  private has(way: Way): boolean {
    return (way === 'ftp' ? this.options.log.path : this.options.log.id) !== null;
  }

  get isOver(): boolean {
    return this.state === 'done' || this.state === 'failed';
  }

  /** Ends it, with the reason as its error. */
  stop(reason: string, now: number): void {
    if (this.state === 'closing' || this.isOver) return;
    this.error = reason;
    this.state = 'closing';
    this.options.client.endBurst();
    this.sayGoodbye(now);
  }

  /** Sends what is due. */
  tick(now: number): void {
    if (this.state === 'reading') {
      if (this.way === 'log') this.tickLog(now);
      else if (!this.options.client.isBusy && Math.abs(now - this.busyAt) >= BUSY) this.nextFile(now);
      else this.keepAlive(now);
    } else if (this.state === 'checking') this.check(now);
    else if (this.state === 'closing') this.close(now);
  }

  // by MAVFTP

  private nextFile(now: number): void {
    const { session, chunk, options } = this;
    if (this.state !== 'reading' || this.way !== 'ftp') return;
    if (session === undefined) {
      this.openFile(now);
      return;
    }
    const hole = this.nextHole();
    const isShort = hole.to - hole.from <= FEW * chunk;
    this.asked = hole;
    this.askedAt = now;
    this.lastTime = now;
    this.receivedBefore = this.received;
    const { patience } = this;
    const common = { session, offset: hole.from };
    if (!isShort) {
      const request = {
        ...common,
        opcode: FTP_BURST,
        size: chunk,
        patience: Math.max(FIRST, patience),
        pause: patience,
      };
      options.client.ask(request, now, (...given) => this.burst(...given));
      return;
    }
    const size = Math.min(chunk, hole.to - hole.from);
    options.client.ask({ ...common, opcode: FTP_READ, size, patience, tries: 1 }, now, (answer, at) => {
      if (answer?.error === 0 && answer.data.length > 0) this.take(answer.offset, answer.data.subarray(0, size), at);
      else if (answer?.error === 0) this.timeOut(at);
      else if (answer?.error === FTP_END_OF_FILE) this.stop('the log on the vehicle has become shorter', at);
      else this.lost(answer, at);
      if (answer) this.nextFile(at);
    });
  }

  private openFile(time: number): void {
    const { log, client } = this.options;
    const { patience } = this;
    client.ask({ opcode: FTP_OPEN, path: log.path ?? '', patience, tries: CHANGE }, time, (answer, now) => {
      if (!answer) this.timeOut(now);
      else if (answer.error === 0) {
        this.session = answer.session;
        this.used.add('ftp');
        client.opened(
          answer.session,
          (late, at) => late && this.state === 'reading' && this.take(late.offset, late.data, at),
        );
        const size = wordOf(answer.data, 0);
        // an open file stays the same; one that is opened again and has another size may be another one
        if (this.state !== 'reading') this.sayGoodbye(now);
        else if (size !== (this.openSize ?? size)) this.stop(CHANGED, now);
        else this.sized(size, now);
        this.openSize = size;
        this.nextFile(now);
      } else if (++this.opens < MOST_OPENS && (answer.error === FTP_FAILED || answer.error === FTP_NO_SESSIONS))
        this.busyAt = now;
      else this.change(`the vehicle refused to open ${log.path} with error ${answer.error}`, now);
    });
  }

  /** The vehicle says how long the log is now. */
  private sized(size: number, now: number): void {
    if (size > this.log.size) this.hasGrown = true;
    if (size < this.log.size) this.stop('the log on the vehicle has become shorter', now);
  }

  private burst(answer: FtpAnswer | undefined, now: number): void {
    const { asked } = this;
    if (this.state !== 'reading' || this.way !== 'ftp' || !asked) return;
    if (!answer || (answer.error !== 0 && answer.error !== FTP_END_OF_FILE)) {
      this.lost(answer, now);
      if (answer) this.nextFile(now);
      return;
    }
    const { offset, data, error, isLast } = answer;
    if (error === 0) this.take(offset, data, now);
    const end = offset + data.length;
    const isOver = error !== 0 || end >= asked.to || (isLast && end - asked.from >= LEAST_BURST);
    if (!isOver || this.state !== 'reading') return;
    this.options.client.endBurst();
    if (this.received > this.receivedBefore) this.nextFile(now);
    else this.timeOut(now);
  }

  /** No answer, or one that the session is gone. */
  private lost(answer: FtpAnswer | undefined, now: number): void {
    if (answer) {
      this.session = undefined;
      this.options.client.closed();
    }
    this.timeOut(now);
  }

  /** A burst of PX4 is followed by another one that replaces it, before the session ends. */
  private keepAlive(now: number): void {
    const { options, session } = this;
    if (!options.isPx4 || session === undefined || now - this.askedAt < KEEP_ALIVE) return;
    options.client.endBurst();
    if (!options.client.isBusy) this.nextFile(now);
  }

  // by the log protocol

  private tickLog(now: number): void {
    if (!this.isListed(now)) return;
    const isFirst = this.asked && this.lastTime === this.askedAt && this.asked.to - this.asked.from > FEW * this.chunk;
    if (this.asked && Math.abs(now - this.lastTime) < Math.max(this.patience, isFirst ? FIRST : 0)) return;
    if (this.asked) this.timeOut(now);
    if (this.state === 'reading' && this.way === 'log') this.askData(now);
  }

  /** Whether the id is that of the log: PX4 gives nothing before a listing, and ids move. */
  private isListed(now: number): boolean {
    const { log, ids } = this.options;
    this.before ??= this.newList();
    const { before } = this;
    before.tick(now);
    if (before.state === 'done') {
      if (this.used.has('log')) return true;
      const size = before.entries.get(log.id ?? -1)?.size ?? 0;
      if (size < log.size || !areSameIds(ids, before.entries)) this.stop(CHANGED, now);
      else {
        this.used.add('log');
        this.sized(size, now);
      }
    } else if (before.state === 'failed') {
      this.before = undefined;
      this.change('the vehicle does not list its logs', now);
    }
    return this.used.has('log') && this.state === 'reading';
  }

  private newList(): EntryList {
    return new EntryList(this.options.isPx4 ? 0 : 1, this.options.request);
  }

  private askData(now: number): void {
    const { from, to } = this.nextHole();
    this.asked = { from, to: Math.min(to, from + MOST_ASKED) };
    this.askedAt = now;
    this.lastTime = now;
    const { id } = this.options.log;
    this.options.request('DATA', { id: id ?? 0, ofs: from, count: this.asked.to - from });
  }

  /** LOG_ENTRY came. */
  entry(row: Row, now: number): void {
    (this.after ?? this.before)?.push(row, now);
  }

  /** LOG_DATA came: only what was asked for is taken, in the steps in which it is sent. */
  data(row: Row, now: number): void {
    const { asked, state, way } = this;
    if (state !== 'reading' || way !== 'log' || !asked || Number(row.id) !== this.options.log.id) return;
    const [at, count] = [Number(row.ofs), Number(row.count)];
    if (at < asked.from || at >= asked.to || (at - asked.from) % DATA_BYTES !== 0 || count > DATA_BYTES) return;
    const given = row.data as ArrayLike<number>;
    this.take(
      at,
      Uint8Array.from({ length: count }, (_, i) => given[i] ?? 0),
      now,
    );
    // the last one that the vehicle sends for this request
    if (this.state === 'reading' && at + count >= asked.to) this.askData(now);
  }

  // the map

  private get patience(): number {
    const usual = this.longestPause === 0 ? UNKNOWN : Math.max(SHORTEST, PAUSES * this.longestPause);
    return Math.min(LONGEST, usual * 2 ** Math.min(this.failures, 5));
  }

  /** The rest of the log, or where that is little, the first hole. */
  private nextHole(): Span {
    const last = this.holes[this.holes.length - 1];
    return last.to === this.log.size && last.to - last.from > FEW * this.chunk ? last : this.holes[0];
  }

  /** Takes bytes: those that were missing are kept, others compared with what came before. */
  private take(at: number, given: Uint8Array, now: number): void {
    this.longestPause = Math.max(this.longestPause * FORGET, now - this.lastTime);
    this.lastTime = now;
    const { holes, log } = this;
    const bytes = given.subarray(0, Math.max(0, log.size - at));
    const end = at + bytes.length;
    const kept: Span[] = [];
    const first = firstIndex(holes.length, (i) => holes[i].to > at);
    let [done, i] = [at, first];
    for (; i < holes.length && holes[i].from < end; i++) {
      const { from, to } = holes[i];
      const [start, stop] = [Math.max(from, at), Math.min(to, end)];
      if (!this.isSame(done, bytes.subarray(done - at, start - at), now)) return;
      if (!this.keep(start, bytes.subarray(start - at, stop - at), now)) return;
      if (from < start) kept.push({ from, to: start });
      if (stop < to) kept.push({ from: stop, to });
      done = stop;
    }
    if (!this.isSame(done, bytes.subarray(done - at), now)) return;
    if (i === first) return;
    this.failures = 0;
    holes.splice(first, i - first, ...kept);
    if (holes.length === 0) this.full(now);
  }

  private keep(at: number, bytes: Uint8Array, now: number): boolean {
    const isKept = this.stored(now, () => {
      this.options.store.write(at, bytes);
      return true;
    });
    if (isKept) this.received += bytes.length;
    return isKept === true;
  }

  /** Uses the store; a disk that fails ends the download. */
  private stored<T>(now: number, use: () => T): T | undefined {
    try {
      return use();
    } catch (error) {
      this.stop(errorText(error), now);
      return undefined;
    }
  }

  private isSame(at: number, bytes: Uint8Array, now: number): boolean {
    const before = bytes.length === 0 ? bytes : this.stored(now, () => this.options.store.read(at, bytes.length));
    if (!before) return false;
    const isSame = before.length === bytes.length && bytes.every((byte, i) => byte === before[i]);
    if (!isSame) this.stop(`bytes that came twice differ at ${at}: ${CHANGED}`, now);
    return isSame;
  }

  private timeOut(now: number): void {
    this.asked = undefined;
    if (++this.failures >= MOST_FAILURES) this.stop('the vehicle does not answer', now);
    else if (this.failures % CHANGE === 0) this.change('', now);
  }

  /** Goes on by the other way, if there is one. @param error why this one is of no use; '' if it may be */
  private change(error: string, now: number): void {
    const other: Way = this.way === 'ftp' ? 'log' : 'ftp';
    this.asked = undefined;
    this.opens = 0;
    if (error !== '' && (!this.has(other) || ++this.failures >= MOST_FAILURES)) this.stop(error, now);
    else if (this.has(other)) this.way = other;
  }

  // the end

  private full(now: number): void {
    this.state = 'checking';
    this.asked = undefined;
    const { client, log } = this.options;
    client.endBurst();
    const { path } = log;
    if (path === null || this.hasGrown) this.vehicleSum = null;
    else if (this.session === undefined) this.askSum(path, now);
    // one file is open at a time, and it may have to be opened again
    else this.terminate(now, GOODBYES, (at) => this.askSum(path, at));
  }

  private askSum(path: string, time: number): void {
    const tries = SUM_TRIES + Math.ceil((this.log.size * SUM_BYTE) / SUM);
    this.options.client.ask({ opcode: FTP_CHECKSUM, path, patience: SUM, tries }, time, (answer) => {
      this.vehicleSum = answer?.error === 0 ? wordOf(answer.data, 0) : null;
    });
  }

  private check(now: number): void {
    const { store, log } = this.options;
    const { vehicleSum } = this;
    if (vehicleSum === undefined) return;
    if (vehicleSum !== null && this.summed < log.size) {
      const length = Math.min(SUMMED, log.size - this.summed);
      const bytes = this.stored(now, () => store.read(this.summed, length));
      if (bytes) this.sum = crc32(bytes, this.sum);
      this.summed += length;
      return;
    }
    if (vehicleSum === null) this.checkIds(now);
    else if (vehicleSum === ~this.sum >>> 0) {
      this.isVerified = true;
      this.finish(now);
    } else this.checkSize(now);
  }

  /** Without a sum, one way is believed, and the log protocol if the ids are the same still. */
  private checkIds(now: number): void {
    if (this.used.size > 1) {
      this.stop('the vehicle gave no checksum of a log that came in two ways', now);
      return;
    }
    if (!this.used.has('log')) {
      this.finish(now);
      return;
    }
    this.after ??= this.newList();
    this.after.tick(now);
    if (this.after.state === 'listing' || !this.before) return;
    const isSame = this.after.state === 'done' && areSameIds(this.before.entries, this.after.entries);
    if (isSame) this.finish(now);
    else this.stop(CHANGED, now);
  }

  /** Another sum may be that of a log that grew meanwhile. */
  private checkSize(time: number): void {
    const { client, log } = this.options;
    if (client.isBusy) return;
    client.ask({ opcode: FTP_OPEN, path: log.path ?? '' }, time, (answer, now) => {
      if (answer?.error === 0) this.session = answer.session;
      const isLonger = answer?.error === 0 && wordOf(answer.data, 0) > log.size;
      this.hasGrown = isLonger;
      if (isLonger) this.finish(now);
      else this.stop('the checksum of the log differs from that of the vehicle', now);
    });
  }

  private finish(now: number): void {
    this.state = 'closing';
    this.sayGoodbye(now);
  }

  private close(now: number): void {
    const isQuiet = this.session === undefined && !this.before && !this.options.client.isBusy;
    if (!isQuiet && this.goodbyes < GOODBYES) {
      if (Math.abs(now - this.goodbyeAt) >= GOODBYE) this.sayGoodbye(now);
      return;
    }
    this.state = this.error === '' ? 'done' : 'failed';
  }

  /** Gives the session back, and lets the vehicle log again. */
  private sayGoodbye(now: number): void {
    this.options.client.closed();
    this.goodbyes++;
    this.goodbyeAt = now;
    if (this.before) this.options.request('END');
    if (this.session !== undefined) this.terminate(now, 1, () => undefined);
  }

  private terminate(time: number, tries: number, then: (now: number) => void): void {
    const { session = 0 } = this;
    const request = { opcode: FTP_TERMINATE, session, tries, patience: GOODBYE };
    this.options.client.ask(request, time, (answer, now) => {
      if (answer) this.session = undefined;
      then(now);
    });
  }
}

const CHANGED = 'the logs of the vehicle changed: list them again';
