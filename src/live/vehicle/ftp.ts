/*
 * MAVFTP, https://mavlink.io/en/services/ftp.html: the payload of FILE_TRANSFER_PROTOCOL
 *
 *     0 1   2         3        4      5                  6                7   8 ... 11   12 ... 250
 *     seq   session   opcode   size   requested opcode   burst complete   0   offset     data
 *
 * Numbers are little-endian. The answer to `seq` has `seq + 1`, those to a burst count on. A request that is sent again
 * keeps its number; a new one takes a number after the last that came. Only what reads is here: nothing on the vehicle
 * can be changed with it.
 */
const PAYLOAD = 251;
const DATA = 12;
/** The most bytes of data in a payload. */
export const FTP_CHUNK: number = PAYLOAD - DATA;
export const FTP_TERMINATE = 1;
export const FTP_LIST = 3;
export const FTP_OPEN = 4;
export const FTP_READ = 5;
export const FTP_CHECKSUM = 14;
export const FTP_BURST = 15;
const ACK = 128;
const NAK = 129;
/** The opcodes that may be sent. */
export const FTP_READING: readonly number[] = [FTP_TERMINATE, FTP_LIST, FTP_OPEN, FTP_READ, FTP_CHECKSUM, FTP_BURST];

/** Errors of a Nak. */
export const FTP_FAILED = 1;
export const FTP_NO_SESSIONS = 5;
export const FTP_END_OF_FILE = 6;
const NO_ERROR_CODE = 255;

/** Microseconds until a request is sent again, the longest of that, and how often it is sent. */
const ANSWER = 1e6;
const LONGEST = 5e6;
const MOST_TRIES = 5;
/** Numbers that the answers to one burst may use: ArduPilot sends up to 2,000. */
const BURST_NUMBERS = 2100;

export interface FtpRequest {
  readonly opcode: number;
  readonly session?: number;
  readonly offset?: number;
  /** Bytes to read. */
  readonly size?: number;
  readonly path?: string;
  /** Microseconds until the first repeat, between two answers to a burst, and how often it is sent at most. */
  readonly patience?: number;
  readonly pause?: number;
  readonly tries?: number;
}

export interface FtpAnswer {
  /** 0 if the request was accepted. */
  readonly error: number;
  readonly session: number;
  readonly offset: number;
  readonly data: Uint8Array;
  /** Whether the vehicle says that a burst ends here. */
  readonly isLast: boolean;
}

/** Gets each answer to a request; undefined if none came, or no more to a burst. */
export type FtpUse = (answer: FtpAnswer | undefined, now: number) => void;

/** One request at a time, repeated until it is answered. A burst has many answers and is not repeated. */
export class FtpClient {
  private readonly send: (payload: Uint8Array) => void;
  /** Gets data of earlier bursts of the session that is open: a link that stalls gives it late. */
  private late: { readonly session: number; readonly from: number; readonly use: FtpUse } | undefined;
  /** The last number that was used; its lower 16 bits are sent. */
  private sequence: number;
  private open: { readonly request: FtpRequest; readonly payload: Uint8Array; readonly use: FtpUse } | undefined;
  private tries = 0;
  private isAnswered = false;
  private lastTime: number = Number.NaN;

  /** @param sequence different for each client: servers answer repeats with old answers */
  constructor(sequence: number, send: (payload: Uint8Array) => void) {
    this.sequence = sequence;
    this.send = send;
  }

  get isBusy(): boolean {
    return this.open !== undefined;
  }

  /** A session was opened: data of its bursts is of use whenever it comes. */
  opened(session: number, use: FtpUse): void {
    this.late = { session, from: this.sequence, use };
  }

  /** It was closed. */
  closed(): void {
    this.late = undefined;
  }

  /** Sends a request; one that is open is given up. */
  ask(request: FtpRequest, now: number, use: FtpUse): void {
    // answers to a burst may still be on their way
    this.sequence += this.open?.request.opcode === FTP_BURST ? BURST_NUMBERS : 1;
    const { opcode, session = 0, offset = 0, path, size = 0 } = request;
    const text = path === undefined ? undefined : new TextEncoder().encode(path).subarray(0, FTP_CHUNK);
    const payload = new Uint8Array(PAYLOAD);
    const view = new DataView(payload.buffer);
    view.setUint16(0, this.sequence & 0xffff, true);
    payload[2] = session;
    payload[3] = opcode;
    payload[4] = text?.length ?? size;
    view.setUint32(8, offset, true);
    if (text) payload.set(text, DATA);
    this.open = { request, payload, use };
    this.tries = 0;
    this.isAnswered = false;
    this.transmit(now);
  }

  /** The burst that is open came to its end. */
  endBurst(): void {
    if (this.open?.request.opcode !== FTP_BURST) return;
    this.sequence += BURST_NUMBERS;
    this.open = undefined;
  }

  /** An answer of the vehicle: the payload of FILE_TRANSFER_PROTOCOL. */
  push(payload: ArrayLike<number>, now: number): void {
    const { open, late } = this;
    const [low = 0, high = 0, session = 0, opcode = 0, size = 0, asked = 0, complete = 0] = Array.from(payload);
    // of two numbers that differ by 65,536 the nearer one
    const ahead = (((low | (high << 8)) - this.sequence) << 16) >> 16;
    const offset = wordOf(payload, 8);
    const data = Uint8Array.from({ length: Math.min(size, FTP_CHUNK) }, (_, i) => payload[DATA + i] ?? 0);
    const isBurst = open?.request.opcode === FTP_BURST;
    if (ahead < 1 || !open) {
      const isLate = late && asked === FTP_BURST && opcode === ACK && session === late.session;
      if (!isLate || this.sequence + ahead <= late.from) return;
      if (isBurst) this.lastTime = now;
      late.use({ error: 0, session, offset, data, isLast: false }, now);
      return;
    }
    if (ahead > (isBurst ? BURST_NUMBERS : 1)) return;
    if (asked !== open.request.opcode || (opcode !== ACK && opcode !== NAK)) return;
    const isData = opcode === ACK && (isBurst || asked === FTP_READ);
    if (isData && (session !== (open.request.session ?? 0) || (!isBurst && offset !== open.request.offset))) return;
    const error = opcode === ACK ? 0 : (data[0] ?? 0) || NO_ERROR_CODE;
    this.lastTime = now;
    this.isAnswered = true;
    if (!isBurst) {
      this.sequence++;
      this.open = undefined;
    } else if (error !== 0) this.endBurst();
    open.use({ error, session, offset, data, isLast: isBurst && complete === 1 }, now);
  }

  /** Repeats what has no answer. */
  tick(now: number): void {
    const { open } = this;
    if (!open) return;
    const { opcode, pause, tries = MOST_TRIES } = open.request;
    const patience = (this.isAnswered ? pause : undefined) ?? open.request.patience ?? ANSWER;
    const wait = Math.max(patience, Math.min(LONGEST, patience * 2 ** (this.tries - 1)));
    // a clock that was set back does not stop it
    const silence = now - this.lastTime;
    if (silence >= 0 && silence < wait) return;
    if (opcode !== FTP_BURST && this.tries < tries) {
      this.transmit(now);
      return;
    }
    if (opcode === FTP_BURST) this.endBurst();
    this.open = undefined;
    open.use(undefined, now);
  }

  private transmit(now: number): void {
    this.tries++;
    this.lastTime = now;
    if (this.open) this.send(this.open.payload);
  }
}

/** Reads one file of a vehicle, a block at a time, so that telemetry goes on beside it. */
export class FtpReader {
  state: 'reading' | 'done' | 'failed' = 'reading';
  /** Why it failed. */
  error = '';
  private readonly path: string;
  private readonly most: number;
  private readonly client: FtpClient;
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  private session = 0;
  private isOpen = false;

  /** @param most file size. @param sequence different for each reader: servers answer repeats with old answers */
  constructor(path: string, most: number, sequence: number, send: (payload: Uint8Array) => void) {
    this.path = path;
    this.most = most;
    this.client = new FtpClient(sequence, send);
  }

  /** The file, once it is read. */
  get content(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }

  /** Sends what is due. */
  tick(now: number): void {
    if (this.state !== 'reading') return;
    if (this.client.isBusy) this.client.tick(now);
    else this.ask({ opcode: FTP_OPEN, path: this.path }, now, (answer, at) => this.opened(answer, at));
  }

  /** An answer of the vehicle: the payload of FILE_TRANSFER_PROTOCOL. */
  push(payload: ArrayLike<number>, now: number): void {
    if (this.state === 'reading') this.client.push(payload, now);
  }

  private ask(request: FtpRequest, time: number, use: (answer: FtpAnswer, now: number) => void): void {
    this.client.ask(request, time, (answer, now) => {
      if (!answer) this.fail('no answer');
      else if (answer.error !== 0) this.refused(answer.error, now);
      else use(answer, now);
    });
  }

  private opened({ session, data }: FtpAnswer, now: number): void {
    this.session = session;
    this.isOpen = true;
    const size = wordOf(data, 0);
    if (size > this.most) {
      this.fail(`${this.path} has ${size} bytes, at most ${this.most} are read`);
      this.close(now);
      return;
    }
    this.bytes = new Uint8Array(size);
    this.next(now);
  }

  private read(data: Uint8Array, now: number): void {
    const fits = data.subarray(0, this.bytes.length - this.at);
    this.bytes.set(fits, this.at);
    this.at += fits.length;
    if (data.length === 0) this.done(now);
    else this.next(now);
  }

  private next(time: number): void {
    const size = Math.min(FTP_CHUNK, this.bytes.length - this.at);
    const request = { opcode: FTP_READ, session: this.session, offset: this.at, size };
    if (size === 0) this.done(time);
    else this.ask(request, time, ({ data }, now) => this.read(data, now));
  }

  private refused(error: number, now: number): void {
    if (error === FTP_END_OF_FILE && this.isOpen) this.done(now);
    else {
      this.fail(`vehicle refused ${this.path} with error ${error}`);
      this.close(now);
    }
  }

  private done(now: number): void {
    const isWhole = this.at === this.bytes.length;
    if (isWhole) this.state = 'done';
    else this.fail(`${this.path} ended after ${this.at} of ${this.bytes.length} bytes`);
    this.close(now);
  }

  private fail(error: string): void {
    this.state = 'failed';
    this.error = error;
  }

  /** Ends our session, and no other one: it is left alone if the file was never opened. */
  private close(now: number): void {
    const { session } = this;
    if (this.isOpen) this.client.ask({ opcode: FTP_TERMINATE, session }, now, () => undefined);
    this.isOpen = false;
  }
}

/** The number in four bytes; absent ones are 0. */
export function wordOf(bytes: ArrayLike<number>, at: number): number {
  let word = 0;
  for (let i = 0; i < 4; i++) word += (bytes[at + i] ?? 0) * 2 ** (8 * i);
  return word;
}
