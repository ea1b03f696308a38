/*
 * MAVFTP as PX4 1.17.0 and ArduCopter 4.6.3 answer it, https://mavlink.io/en/services/ftp.html
 *
 *     0         2         3        4      5            6                7         8        12
 *     number    session   opcode   size   asked for    burst complete   padding   offset   data
 *
 * One session. An answer has the number of the request plus 1, the packets of a burst count on. A request whose number
 * comes again gets the last answer again, of PX4 only if that is short.
 */
const [TERMINATE, RESET, LIST, OPEN, READ, SUM, BURST, ACK, NAK] = [1, 2, 3, 4, 5, 14, 15, 128, 129];
const [FAIL, INVALID_SESSION, NO_SESSIONS, EOF, UNKNOWN, NOT_FOUND] = [1, 4, 5, 6, 7, 10];
const PAYLOAD = 251;
const DATA = 12;
const CHUNK = PAYLOAD - DATA;
const SHORT = 4;
/** Microseconds without a request after which a session is closed, or may be taken by another client. */
const PX4_IDLE = 10e6;
const IDLE = 3e6;
/** Packets of a burst at most, and a second; PX4 does not pause. */
const PX4_BURST = 168;
const BURST_PACKETS = 500;
const PACE = 600;
/** Requests that wait for a burst to end. */
const QUEUE = 5;

interface Burst {
  number: number;
  at: number;
  left: number;
  readonly size: number;
}

/** The files of a vehicle. */
export class FileServer {
  /** Requests, in order. */
  readonly asked: Uint8Array[] = [];
  /** Sets the flag for the end of a burst where it has no meaning, as PX4 1.17.0 does. */
  flag: () => boolean = () => false;
  /** Whether another packet fits into the buffer of the link: PX4 fills it. */
  hasRoom: () => boolean = () => true;
  private readonly files: ReadonlyMap<string, Uint8Array>;
  private readonly isPx4: boolean;
  private open: { readonly path: string; readonly size: number; readonly session: number } | undefined;
  private last: Uint8Array | undefined;
  private lastTime = 0;
  private burst: Burst | undefined;
  private waiting: Uint8Array[] = [];
  private credit = 0;
  private tickedAt = 0;

  constructor(files: ReadonlyMap<string, Uint8Array>, isPx4 = true) {
    this.files = files;
    this.isPx4 = isPx4;
  }

  /** Whether a session is open. */
  get isOpen(): boolean {
    return this.open !== undefined;
  }

  /** As after power-up. */
  restart(): void {
    this.open = undefined;
    this.last = undefined;
    this.burst = undefined;
    this.waiting = [];
  }

  /** @param time microseconds */
  answer(request: Uint8Array, time = 0): Uint8Array[] {
    this.asked.push(request.slice());
    if (this.isPx4) return this.answered(request, time);
    if (this.burst) {
      if (this.waiting.length < QUEUE) this.waiting.push(request.slice());
      return [];
    }
    return this.answered(request, time);
  }

  /** Sends what is due of a burst. */
  tick(time: number, send: (payload: Uint8Array) => void): void {
    this.credit = this.isPx4
      ? Number.POSITIVE_INFINITY
      : Math.min(50, this.credit + ((time - this.tickedAt) / 1e6) * PACE);
    this.tickedAt = time;
    for (; this.burst && this.credit >= 1 && this.hasRoom(); this.credit--) send(this.packet(this.burst, time));
    while (!this.burst && this.waiting.length > 0)
      for (const answer of this.answered(this.waiting.shift() as Uint8Array, time)) send(answer);
  }

  private answered(request: Uint8Array, time: number): Uint8Array[] {
    const number = request[0] | (request[1] << 8);
    const { last } = this;
    const isAgain = last !== undefined && (last[0] | (last[1] << 8)) === ((number + 1) & 0xffff);
    if (this.isPx4 && time - this.lastTime > PX4_IDLE) this.open = undefined;
    const isIdle = time - this.lastTime > IDLE;
    this.lastTime = time;
    if (isAgain && (!this.isPx4 || last[4] <= SHORT)) return [last];
    const answer = this.made(request, isIdle);
    if (answer) this.last = answer;
    return answer ? [answer] : [];
  }

  private head(number: number, session: number, asked: number): Uint8Array {
    const answer = new Uint8Array(PAYLOAD);
    answer.set([number & 0xff, (number >> 8) & 0xff, session, ACK, 0, asked]);
    return answer;
  }

  private packet(burst: Burst, time: number): Uint8Array {
    const { path = '', size = 0, session = 0 } = this.open ?? {};
    const end = this.isPx4 ? size : (this.files.get(path)?.length ?? 0);
    const answer = this.head(++burst.number, session, BURST);
    const view = new DataView(answer.buffer);
    this.lastTime = this.isPx4 ? this.lastTime : time;
    this.last = answer;
    const data = this.files.get(path)?.subarray(burst.at, Math.min(end, burst.at + burst.size)) ?? new Uint8Array(0);
    if (data.length === 0) {
      answer[3] = NAK;
      answer[4] = 1;
      answer[DATA] = EOF;
      // ArduPilot: one packet too small where the file is a multiple of the packet
      view.setUint32(8, this.isPx4 || end % burst.size !== 0 ? end : end - burst.size, true);
      if (this.flag()) answer[6] = 1;
      this.burst = undefined;
      return answer;
    }
    answer[4] = data.length;
    view.setUint32(8, burst.at, true);
    answer.set(data, DATA);
    burst.at += data.length;
    burst.left--;
    answer[6] = burst.left === 0 || this.flag() ? 1 : 0;
    if (burst.left === 0) this.burst = undefined;
    return answer;
  }

  private made(request: Uint8Array, isIdle: boolean): Uint8Array | undefined {
    const { open, isPx4 } = this;
    const [low, high, session, opcode, size] = request;
    const number = low | (high << 8);
    const offset = new DataView(request.buffer, request.byteOffset).getUint32(8, true);
    const path = new TextDecoder().decode(request.subarray(DATA, DATA + size)).replace(/^\.\//, '/');
    const answer = this.head(number + 1, session, opcode);
    const view = new DataView(answer.buffer);
    const nak = (error: number): Uint8Array => {
      answer[3] = NAK;
      answer[4] = 1;
      answer[DATA] = error;
      return answer;
    };
    const isSession = isPx4 ? session === 0 : open?.session === session;
    switch (opcode) {
      case OPEN: {
        if (open && !isPx4 && !isIdle) return nak(session === open.session ? FAIL : INVALID_SESSION);
        if (open && isPx4) return nak(NO_SESSIONS);
        const file = this.files.get(path);
        this.open = file && { path, size: file.length, session };
        if (!file) return nak(NOT_FOUND);
        answer[4] = 4;
        view.setUint32(DATA, file.length, true);
        return answer;
      }
      case READ:
      case BURST: {
        if (!open) return nak(isPx4 ? INVALID_SESSION : NOT_FOUND);
        if (!isSession) return nak(INVALID_SESSION);
        if (opcode === BURST && !(isPx4 && offset >= open.size)) {
          const packets = isPx4 ? PX4_BURST : BURST_PACKETS;
          this.burst = { number, at: offset, left: packets, size: isPx4 ? CHUNK : size || CHUNK };
          return undefined;
        }
        const end = isPx4 ? open.size : (this.files.get(open.path)?.length ?? 0);
        if (isPx4) view.setUint32(8, offset, true);
        if (offset >= end) return nak(EOF);
        view.setUint32(8, offset, true);
        const data = this.files.get(open.path)?.subarray(offset, Math.min(end, offset + size)) ?? new Uint8Array(0);
        if (data.length === 0 && !isPx4) return nak(EOF);
        answer[4] = data.length;
        answer.set(data, DATA);
        return answer;
      }
      case LIST: {
        const entries = this.entries(path);
        if (!entries) return nak(NOT_FOUND);
        if (offset >= entries.length) return nak(EOF);
        view.setUint32(8, offset, true);
        let length = 0;
        for (const entry of entries.slice(offset)) {
          const bytes = new TextEncoder().encode(`${entry}\0${isPx4 ? '' : '\0'}`);
          if (length + bytes.length > CHUNK) break;
          answer.set(bytes, DATA + length);
          length += bytes.length;
        }
        answer[4] = length;
        return answer;
      }
      case SUM: {
        const file = this.files.get(path);
        if (!file) return nak(NOT_FOUND);
        answer[4] = 4;
        view.setUint32(DATA, sumOf(file), true);
        return answer;
      }
      case TERMINATE:
        if (isPx4 && (!open || !isSession)) return nak(INVALID_SESSION);
        if (isPx4 || isSession) this.open = undefined;
        this.burst = undefined;
        return answer;
      case RESET:
        this.open = undefined;
        this.burst = undefined;
        return answer;
      default:
        return nak(isPx4 ? UNKNOWN : FAIL);
    }
  }

  /** What is in a folder; undefined if there is none. */
  private entries(path: string): string[] | undefined {
    const folder = path === '/' ? '/' : `${path.replace(/\/$/, '')}/`;
    const inside = [...this.files].filter(([name]) => name.startsWith(folder));
    if (inside.length === 0) return undefined;
    const found = inside.map(([name, { length }]) => {
      const [first, ...rest] = name.slice(folder.length).split('/');
      return rest.length > 0 ? `D${first}` : `F${first}\t${length}`;
    });
    return [...(this.isPx4 ? ['S', 'S'] : ['D.', 'D..']), ...new Set(found)];
  }
}

/** CRC-32 that begins with 0 and is not inverted, by the bit. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return sum >>> 0;
}
