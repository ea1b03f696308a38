import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getOrAdd } from '../core/maps.ts';
import type { Mutable } from '../core/mutable.ts';
import { fileName } from '../core/names.ts';
import type { Dialect } from '../formats/mavlink/dialect/definition.ts';
import { type Header, SIGNED } from '../formats/mavlink/header.ts';
import { FrameSplitter, withoutSignature } from '../live/frame-splitter.ts';
import { heartbeatOf } from '../live/heartbeat.ts';
import { RECORD_LIMITS } from './limits.ts';
import {
  type Block,
  type CreateFile,
  createFile,
  type RecordFile,
  Segment,
  type SyncPolicy,
} from './recorder-segment.ts';

export interface RecorderOptions {
  /** Bytes of a file, and microseconds that it spans, before the next one is begun. */
  readonly segmentBytes?: number | undefined;
  readonly segmentMicros?: number | undefined;
  /** Record only while a vehicle is armed, and a few seconds more. */
  readonly armedOnly?: boolean | undefined;
  /** Keep signatures of frames. They are left out by default, as the protocol asks. */
  readonly keepSignatures?: boolean | undefined;
  /** When the disk has it: with each write, once a second, or when the system likes. */
  readonly sync?: SyncPolicy | undefined;
  readonly dialect?: Dialect | undefined;
  /** Called when the state is another: recording, failed, a new file. */
  readonly changed?: ((state: RecorderState) => void) | undefined;
  /** How files are made, and milliseconds before a disk that failed is tried again. */
  readonly createFile?: CreateFile | undefined;
  readonly retryMilliseconds?: number | undefined;
}

export interface RecordedFile {
  readonly path: string;
  /** The link whose bytes are in it as they came; '' for the frames of all links. */
  readonly link: string;
  /** Time of its first record, microseconds UTC. */
  readonly started: number;
}

export interface RecorderState {
  readonly folder: string;
  /** waiting: nothing came yet, or no vehicle is armed. failed: it is tried again, `error` says why. */
  readonly state: 'waiting' | 'recording' | 'failed' | 'closed';
  readonly error: string;
  readonly files: readonly RecordedFile[];
  /** The path of the newest file with frames, else of the file with other bytes; '' if none. */
  readonly recording: string;
  /** Frames handed in, and bytes with their times. */
  readonly frames: number;
  readonly bytes: number;
  /** Records and bytes that the system has: a killed process does not lose them. */
  readonly acknowledged: number;
  readonly acknowledgedBytes: number;
  /** Records that were lost because the disk could not take them. */
  readonly dropped: number;
  /** Frames that carry a signing key: never written. */
  readonly secrets: number;
  /** Bytes between frames that were not written, because there were too many of them. */
  readonly skippedBytes: number;
}

interface MadeFile {
  readonly path: string;
  readonly file: RecordFile;
}

const STAMP_BYTES = 8;
const NOTHING = new Uint8Array(0);
/** Times of one file may step back by this; more is a clock that was set, and begins a new file. */
const BACK = 1e6;
/** Microseconds that are recorded after the last vehicle was disarmed. */
const AFTERWARDS = 5e6;
const HOUR = 3600e6;
/** Bytes without a frame that may be the text of a boot; more are another protocol. */
const BOOT_TEXT = 1024;
/** The frames of all links go to one file. */
const FRAMES = '';
const UNNAMED = 'link';

/**
 * Records what links give before anything else looks at it. Frames of MAVLink go to a telemetry log, each after the
 * time at which it came; other bytes go to a file of their link, as they came. A frame that carries a
 * signing key goes nowhere. It never throws and never makes its caller wait: a disk that is full or gone is shown
 * in the state, and tried again.
 */
export class Recorder {
  readonly state: RecorderState;
  private readonly now: Mutable<RecorderState>;
  private readonly files: RecordedFile[] = [];
  private readonly options: RecorderOptions;
  /** By link, then by sender, the one that was silent for longest first. */
  private readonly splitters: Map<string, Map<string, FrameSplitter>> = new Map();
  /** Links that carry frames, and how many bytes came on them that are none: of the last hour, at most. */
  private readonly restOf: Map<string, { readonly bytes: number; readonly time: number }> = new Map();
  /** The file that is being written, by link. */
  private readonly segments: Map<string, Segment> = new Map();
  /** Files that are at their end but not all written. */
  private readonly closing: Set<Promise<void>> = new Set();
  private readonly retries: Map<string, NodeJS.Timeout> = new Map();
  private readonly stamp = new Uint8Array(STAMP_BYTES);
  private readonly stampView = new DataView(this.stamp.buffer);
  private readonly armed: Set<number> = new Set();
  private armedUntil = 0;
  private lastTime = 0;
  private making: Promise<unknown> = Promise.resolve();
  private isClosing = false;
  /** Of the current bytes. */
  private link = '';
  private time = 0;

  constructor(folder: string, options: RecorderOptions = {}) {
    this.options = options;
    this.now = {
      folder,
      state: 'waiting',
      error: '',
      files: this.files,
      recording: '',
      frames: 0,
      bytes: 0,
      acknowledged: 0,
      acknowledgedBytes: 0,
      dropped: 0,
      secrets: 0,
      skippedBytes: 0,
    };
    this.state = this.now;
  }

  get armedOnly(): boolean {
    return this.options.armedOnly === true;
  }

  /**
   * Takes bytes as a link gave them: a frame, a datagram, or a piece of a stream. They are copied.
   * @param time microseconds UTC
   * @param from the sender, where a link has several: their bytes are not mixed
   */
  write(link: string, bytes: Uint8Array, time: number, from = ''): void {
    if (this.isClosing) return;
    // frames have no name but this one
    this.link = link === FRAMES ? UNNAMED : link;
    this.time = time;
    const splitter = this.splitterOf(link, from);
    const before = splitter.secrets;
    splitter.push(bytes);
    this.now.secrets += splitter.secrets - before;
  }

  /** Takes a frame that was found already; it is copied. */
  writeFrame(link: string, bytes: Uint8Array, header: Header, isSure: boolean, time: number): void {
    if (this.isClosing) return;
    this.link = link;
    this.time = time;
    this.frame(bytes, header, isSure);
  }

  /** Takes bytes between frames, without keys; they are copied. */
  writeRest(link: string, bytes: Uint8Array, time: number): void {
    if (this.isClosing) return;
    this.link = link;
    this.time = time;
    this.rest(bytes);
  }

  /** A frame with a key was left out. */
  leaveOut(): void {
    this.now.secrets++;
  }

  /** All frames that were handed in are with the system, unless the disk refused them: see the state. */
  async flush(): Promise<void> {
    await Promise.all([...this.segments.values()].map((segment) => segment.flush(true)));
    await Promise.all(this.closing);
  }

  async close(): Promise<void> {
    if (this.isClosing) return;
    for (const [link, senders] of this.splitters) {
      this.link = link === FRAMES ? UNNAMED : link;
      for (const splitter of senders.values()) splitter.end();
    }
    this.isClosing = true;
    for (const timer of this.retries.values()) clearTimeout(timer);
    await Promise.all([...this.segments.values()].map((segment) => segment.close()));
    await Promise.all(this.closing);
    this.segments.clear();
    this.turn('closed');
  }

  private splitterOf(link: string, from: string): FrameSplitter {
    const senders = getOrAdd(this.splitters, link, () => new Map<string, FrameSplitter>());
    const splitter = senders.get(from) ?? this.makeSplitter();
    if (senders.size > 0) senders.delete(from);
    senders.set(from, splitter);
    if (senders.size > RECORD_LIMITS.senders) {
      const [[oldest, silent]] = senders;
      senders.delete(oldest);
      silent.end();
    }
    return splitter;
  }

  private makeSplitter(): FrameSplitter {
    const sink = {
      frame: (bytes: Uint8Array, header: Header, isSure: boolean) => this.frame(bytes, header, isSure),
      rest: (bytes: Uint8Array) => this.rest(bytes),
    };
    return new FrameSplitter(sink, this.options.dialect);
  }

  private frame(bytes: Uint8Array, header: Header, isSure: boolean): void {
    const { time } = this;
    if (isSure && !this.restOf.has(this.link)) this.restOf.set(this.link, { bytes: 0, time });
    if (this.options.armedOnly && isSure) this.watch(bytes, header);
    if (!this.isWanted()) return;
    const isSigned = header.version === 2 && (header.flags & SIGNED) !== 0;
    const frame =
      isSigned && !this.options.keepSignatures
        ? withoutSignature(bytes, header)
        : bytes.subarray(header.start, header.end);
    const micros = Math.max(0, Math.round(time));
    this.stampView.setUint32(0, Math.floor(micros / 2 ** 32));
    this.stampView.setUint32(4, micros % 2 ** 32);
    this.now.frames++;
    this.append(FRAMES, this.stamp, frame);
  }

  private rest(bytes: Uint8Array): void {
    if (!this.isWanted()) return;
    const before = this.restOf.get(this.link);
    if (before !== undefined) {
      const { time } = this;
      const freed = (Math.max(0, time - before.time) / HOUR) * RECORD_LIMITS.restBytes;
      const sum = Math.max(0, before.bytes - freed) + bytes.length;
      if (sum > RECORD_LIMITS.restBytes) {
        this.now.skippedBytes += bytes.length;
        return;
      }
      this.restOf.set(this.link, { bytes: sum, time });
    }
    this.append(this.link, NOTHING, bytes);
    if (this.now.frames === 0 && this.now.bytes >= BOOT_TEXT) this.now.recording = this.files.at(-1)?.path ?? '';
  }

  private watch(bytes: Uint8Array, header: Header): void {
    const heartbeat = heartbeatOf(bytes, header);
    if (!heartbeat) return;
    if (heartbeat.armed) this.armed.add(header.system);
    else if (this.armed.delete(header.system) && this.armed.size === 0) this.armedUntil = this.time + AFTERWARDS;
  }

  private isWanted(): boolean {
    if (!this.options.armedOnly || this.armed.size > 0 || this.time < this.armedUntil) return true;
    if (this.segments.size > 0) {
      for (const link of [...this.segments.keys()]) this.endSegment(link);
      this.turn('waiting');
    }
    return false;
  }

  private append(link: string, head: Uint8Array, body: Uint8Array): void {
    const length = head.length + body.length;
    const segment = this.segmentFor(link, length);
    this.now.bytes += length;
    if (!segment.append(head, body)) this.now.dropped++;
  }

  private segmentFor(link: string, length: number): Segment {
    const { segmentBytes = RECORD_LIMITS.segmentBytes, segmentMicros = Number.POSITIVE_INFINITY } = this.options;
    const isSet = link === FRAMES && this.time < this.lastTime - BACK;
    if (link === FRAMES) this.lastTime = this.time;
    const segment = this.segments.get(link);
    const isFull = (one: Segment): boolean =>
      one.size > 0 && (one.size + length > segmentBytes || this.time - one.started >= segmentMicros);
    // one that could not be opened yet is tried again, not multiplied
    if (segment && !this.retries.has(link) && (isSet || isFull(segment))) this.endSegment(link);
    return this.segments.get(link) ?? this.begin(link, this.time);
  }

  private endSegment(link: string): void {
    const segment = this.segments.get(link);
    if (!segment) return;
    this.segments.delete(link);
    const closed: Promise<void> = segment.close().finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }

  private begin(link: string, started: number): Segment {
    let path = '';
    const segment = new Segment({
      started,
      sync: this.options.sync ?? '1s',
      open: async () => {
        const made = await this.makeInTurn(link, started);
        path = made.path;
        return made.file;
      },
      acknowledged: (records, bytes) => {
        this.now.acknowledged += records;
        this.now.acknowledgedBytes += bytes;
        if (path === '') return;
        this.listFile({ path, link, started });
        path = '';
      },
      failed: (broken, error) => this.lose(link, broken, error),
    });
    this.segments.set(link, segment);
    return segment;
  }

  /** Files are made one after the other, so that their counters say which was first. */
  private makeInTurn(link: string, started: number): Promise<MadeFile> {
    const made = this.making.then(() => this.make(link, started));
    this.making = made.catch(() => undefined);
    return made;
  }

  /** A file of a name that none has yet: when it was begun, a counter, and the link where it is not for all. */
  private async make(link: string, started: number): Promise<MadeFile> {
    const { folder } = this.state;
    await mkdir(folder, { recursive: true });
    const create = this.options.createFile ?? createFile;
    const date = new Date(Math.max(0, started / 1000));
    const base = (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString().replace(/[-:]/g, '').slice(0, 15);
    const tail = link === FRAMES ? '.tlog' : `-${fileName(link)}.raw`;
    for (let counter = 0; ; counter++) {
      const path = join(folder, `${base}-${String(counter).padStart(3, '0')}${tail}`);
      try {
        return { path, file: await create(path) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  }

  private listFile(file: RecordedFile): void {
    this.files.push(file);
    if (this.files.length > RECORD_LIMITS.filesListed) this.files.shift();
    if (file.link === FRAMES) this.now.recording = file.path;
    this.turn('recording');
  }

  /** A file failed: what it did not take goes to a new one, after a while. */
  private lose(link: string, broken: Segment, error: Error): void {
    const blocks = broken.handOver();
    this.now.error = `recording stopped: ${causeOf(error)}; retrying`;
    if (this.isClosing) this.drop(blocks);
    else if (this.segments.get(link) === broken) this.replace(link, broken.started, blocks);
    else (this.segments.get(link) ?? this.begin(link, broken.started)).adopt(blocks);
    this.turn('failed');
  }

  /** What comes until the next try waits in memory, as far as there is room. */
  private replace(link: string, started: number, blocks: readonly Block[]): void {
    const next = this.begin(link, started);
    next.hold();
    next.adopt(blocks);
    const retry = (): void => {
      this.retries.delete(link);
      next.release();
      // nothing is there to be written: whether it works again is seen with the next frame
      if (next.size === 0) this.turn('waiting');
    };
    this.retries.set(link, setTimeout(retry, this.options.retryMilliseconds ?? RECORD_LIMITS.retryMilliseconds));
  }

  private drop(blocks: readonly Block[]): void {
    for (const { records } of blocks) this.now.dropped += records;
  }

  private turn(state: RecorderState['state']): void {
    if (state === 'recording' || state === 'waiting') this.now.error = '';
    this.now.state = state;
    this.options.changed?.(this.state);
  }
}

function causeOf(error: Error): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    case 'EFBIG':
      return 'the file has the largest size that the system allows';
    case 'EROFS':
      return 'the disk is read-only';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open';
    default:
      return error.message;
  }
}
