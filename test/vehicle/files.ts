/*
 * MAVFTP as PX4 1.17.0 answers it, https://mavlink.io/en/services/ftp.html
 *
 *     0         2         3        4      5            6                7         8        12
 *     number    session   opcode   size   asked for    burst complete   padding   offset   data
 *
 * One session. An answer has the number of the request plus 1; a request whose number comes again gets the same answer
 * again. Listings, bursts and checksums are not simulated.
 */
const [TERMINATE, RESET, OPEN, READ, ACK, NAK] = [1, 2, 4, 5, 128, 129];
const [INVALID_SESSION, NO_SESSIONS, EOF, UNKNOWN, NOT_FOUND] = [4, 5, 6, 7, 10];
const PAYLOAD = 251;
const DATA = 12;
/** Microseconds without a request after which a session is closed. */
const IDLE = 10e6;

/** The files of a vehicle. */
export class FileServer {
  /** Requests, in order. */
  readonly asked: Uint8Array[] = [];
  private readonly files: ReadonlyMap<string, Uint8Array>;
  private open: Uint8Array | undefined;
  private last: Uint8Array = new Uint8Array(PAYLOAD);
  private lastTime = 0;

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.files = files;
  }

  /** @param time microseconds */
  answer(request: Uint8Array, time = 0): Uint8Array {
    const before = this.asked.at(-1);
    this.asked.push(request.slice());
    if (time - this.lastTime > IDLE) this.open = undefined;
    this.lastTime = time;
    if (!before || before[0] !== request[0] || before[1] !== request[1]) this.last = this.made(request);
    return this.last;
  }

  private made(request: Uint8Array): Uint8Array {
    const [low, high, session, opcode, size] = request;
    const offset = new DataView(request.buffer, request.byteOffset).getUint32(8, true);
    const answer = new Uint8Array(PAYLOAD);
    const view = new DataView(answer.buffer);
    view.setUint16(0, (low | (high << 8)) + 1, true);
    answer[2] = session;
    answer[3] = ACK;
    answer[5] = opcode;
    const nak = (error: number): Uint8Array => {
      answer[3] = NAK;
      answer[4] = 1;
      answer[DATA] = error;
      return answer;
    };
    switch (opcode) {
      case OPEN:
        if (this.open) return nak(NO_SESSIONS);
        this.open = this.files.get(new TextDecoder().decode(request.subarray(DATA, DATA + size)));
        if (!this.open) return nak(NOT_FOUND);
        answer[4] = 4;
        view.setUint32(DATA, this.open.length, true);
        return answer;
      case READ: {
        if (!this.open || session !== 0) return nak(INVALID_SESSION);
        view.setUint32(8, offset, true);
        if (offset >= this.open.length) return nak(EOF);
        const data = this.open.subarray(offset, offset + size);
        answer[4] = data.length;
        answer.set(data, DATA);
        return answer;
      }
      case TERMINATE:
        if (!this.open) return nak(INVALID_SESSION);
        this.open = undefined;
        return answer;
      case RESET:
        this.open = undefined;
        return answer;
      default:
        return nak(UNKNOWN);
    }
  }
}
