import { once } from 'node:events';
import { terminalText } from '../core/names.ts';

/** Characters gathered before they are written. */
const CHUNK = 64 << 10;

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
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      this.closed = true;
    });
  }

  /** Takes a piece; true when enough was gathered that `flush` should be awaited. */
  write(text: string): boolean {
    this.pending += text;
    return this.pending.length >= CHUNK;
  }

  async flush(): Promise<void> {
    if (this.closed || this.pending === '') return;
    const text = this.isTerminal ? terminalText(this.pending) : this.pending;
    this.pending = '';
    await this.send(text);
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    if (!this.closed) await this.send(bytes);
  }

  private async send(piece: string | Uint8Array): Promise<void> {
    if (this.stream.write(piece)) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    try {
      await Promise.race([once(this.stream, 'drain', { signal }), once(this.stream, 'close', { signal })]);
    } catch {
      this.closed = true;
    } finally {
      waiting.abort();
    }
  }
}
