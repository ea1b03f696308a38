import { terminalText } from '../core/names.ts';

/** Characters gathered before they are written. */
const CHUNK = 64 << 10;

/** Streams whose errors do not end the program. */
const guarded = new WeakSet<NodeJS.WriteStream>();

/** Keeps a reader that went away from ending the program with a stack trace. Who writes finds out by himself. */
export function guardStream(stream: NodeJS.WriteStream): void {
  if (guarded.has(stream)) return;
  guarded.add(stream);
  stream.on('error', () => undefined);
}

/** Says something about the data on standard error. Names from a file may be part of it, and it may be a terminal. */
export function tell(text: string): void {
  process.stderr.write(`skein: ${terminalText(text)}\n`);
}

/** Standard output: data only, in large pieces, at the speed of who reads it, and safe for a terminal. */
export class Output {
  private readonly stream: NodeJS.WriteStream;
  private readonly isTerminal: boolean;
  private pending = '';
  /** Whether the reader went away: nothing more needs to be made. */
  closed = false;

  constructor(stream: NodeJS.WriteStream = process.stdout) {
    this.stream = stream;
    this.isTerminal = stream.isTTY === true;
    guardStream(stream);
  }

  /** Text as it may be shown: on a terminal, nothing in it moves the cursor or changes colours. */
  safe(text: string): string {
    return this.isTerminal ? terminalText(text) : text;
  }

  /** Takes a piece; true when enough was gathered that `flush` should be awaited. */
  write(text: string): boolean {
    return this.writeSafe(this.safe(text));
  }

  /** The same for text that is safe already, and may have colours of our own. */
  writeSafe(text: string): boolean {
    this.pending += text;
    return this.pending.length >= CHUNK;
  }

  async flush(): Promise<void> {
    if (this.closed || this.pending === '') return;
    const text = this.pending;
    this.pending = '';
    await this.send(text);
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    if (!this.closed) await this.send(bytes);
  }

  /** Waits for the piece to be taken. A disk that is full is an error; a reader that went away is none. */
  private async send(piece: string | Uint8Array): Promise<void> {
    const failure = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
      this.stream.write(piece, resolve);
    });
    if (!failure) return;
    this.closed = true;
    if (failure.code !== 'EPIPE' && failure.code !== 'ERR_STREAM_DESTROYED') throw failure;
  }
}
