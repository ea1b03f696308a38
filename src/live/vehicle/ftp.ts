/*
 * MAVFTP, https://mavlink.io/en/services/ftp.html: the payload of FILE_TRANSFER_PROTOCOL
 *
 *     0 1   2         3        4      5                  6                7   8 ... 11   12 ... 250
 *     seq   session   opcode   size   requested opcode   burst complete   0   offset     data
 *
 * Numbers are little-endian. The answer to `seq` has `seq + 1`. A request that is sent again keeps its number; a new one
 * takes a number after the last that came. Only what reads is here: nothing on the vehicle can be changed with it.
 */
const PAYLOAD = 251;
const DATA = 12;
const CHUNK = PAYLOAD - DATA;
const TERMINATE = 1;
const OPEN = 4;
const READ = 5;
const ACK = 128;
const NAK = 129;
const END_OF_FILE = 6;
/** The opcodes that may be sent. */
export const FTP_READING: readonly number[] = [TERMINATE, OPEN, READ];

/** Microseconds until a request is sent again, and how often. */
const ANSWER = 1e6;
const MOST_TRIES = 5;

/** Reads one file of a vehicle, a block at a time, so that telemetry goes on beside it. */
export class FtpReader {
  state: 'reading' | 'done' | 'failed' = 'reading';
  /** Why it failed. */
  error = '';
  private readonly path: string;
  private readonly most: number;
  private readonly send: (payload: Uint8Array) => void;
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  private session = 0;
  private isOpen = false;
  private sequence: number;
  private request: Uint8Array = new Uint8Array(0);
  private sentAt: number = Number.NaN;
  private tries = 0;

  /** @param most file size. @param sequence different for each reader: servers answer repeats with old answers */
  constructor(path: string, most: number, sequence: number, send: (payload: Uint8Array) => void) {
    this.path = path;
    this.most = most;
    this.sequence = sequence & 0xffff;
    this.send = send;
  }

  /** The file, once it is read. */
  get content(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }

  /** Sends what is due. */
  tick(now: number): void {
    if (this.state !== 'reading' || now - this.sentAt < ANSWER) return;
    if (this.tries >= MOST_TRIES) {
      this.fail('no answer');
      return;
    }
    if (this.tries === 0) this.ask(OPEN, 0, new TextEncoder().encode(this.path).subarray(0, CHUNK), now);
    else this.transmit(now);
  }

  /** An answer of the vehicle: the payload of FILE_TRANSFER_PROTOCOL. */
  push(payload: ArrayLike<number>, now: number): void {
    const [low = 0, high = 0, session = 0, opcode = 0, size = 0, asked = 0] = Array.from(payload);
    const sequence = low | (high << 8);
    if (this.state !== 'reading' || sequence !== ((this.sequence + 1) & 0xffff)) return;
    if (asked !== this.request[3] || (opcode !== ACK && opcode !== NAK)) return;
    if (opcode === ACK && asked === READ && wordOf(payload, 8) !== this.at) return;
    this.sequence = sequence;
    const data = Uint8Array.from({ length: Math.min(size, CHUNK) }, (_, i) => payload[DATA + i] ?? 0);
    if (opcode === NAK) this.refused(data[0], now);
    else if (asked === OPEN) this.opened(session, data, now);
    else this.read(data, now);
  }

  private opened(session: number, data: Uint8Array, now: number): void {
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

  private next(now: number): void {
    const left = this.bytes.length - this.at;
    if (left === 0) this.done(now);
    else this.ask(READ, Math.min(CHUNK, left), undefined, now);
  }

  private refused(error: number | undefined, now: number): void {
    if (error === END_OF_FILE && this.isOpen) this.done(now);
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
    if (this.isOpen) this.ask(TERMINATE, 0, undefined, now);
    this.isOpen = false;
  }

  private ask(opcode: number, size: number, data: Uint8Array | undefined, now: number): void {
    this.sequence = (this.sequence + 1) & 0xffff;
    const payload = new Uint8Array(PAYLOAD);
    const view = new DataView(payload.buffer);
    view.setUint16(0, this.sequence, true);
    payload[2] = this.session;
    payload[3] = opcode;
    payload[4] = data?.length ?? size;
    view.setUint32(8, opcode === READ ? this.at : 0, true);
    if (data) payload.set(data, DATA);
    this.request = payload;
    this.tries = 0;
    this.transmit(now);
  }

  private transmit(now: number): void {
    this.tries++;
    this.sentAt = now;
    this.send(this.request);
  }
}

function wordOf(bytes: ArrayLike<number>, at: number): number {
  let word = 0;
  for (let i = 0; i < 4; i++) word += (bytes[at + i] ?? 0) * 2 ** (8 * i);
  return word;
}
