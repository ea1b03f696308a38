import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const LOOK_INTERVAL = 100;

/**
 * All connections but streams. There is always room for one more: the connection that has waited for longest
 * without asking anything makes room for it, else the one that has taken nothing of its answer for longest. So hundreds of
 * idle or crawling ones neither keep others out nor cut a download that is read.
 */
export class Connections {
  /** Closed to make room. */
  evicted = 0;
  private readonly limit: number;
  /** Both in the order of their last change. */
  private readonly waiting = new Set<Duplex>();
  private readonly busy = new Map<Duplex, AnswerProgress>();

  constructor(server: Server, limit: number) {
    this.limit = limit;
    server.on('connection', (socket: Socket) => this.opened(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.asked(request.socket, response));
    server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => this.release(socket));
    // Without regular looks, all answers would seem to have moved just now when room is needed.
    const looks = setInterval(() => this.lookAtProgress(), LOOK_INTERVAL).unref();
    server.once('close', () => clearInterval(looks));
  }

  get open(): number {
    return this.waiting.size + this.busy.size;
  }

  /** A stream is counted by others. */
  release(socket: Duplex): void {
    this.waiting.delete(socket);
    this.busy.delete(socket);
  }

  private opened(socket: Socket): void {
    this.waiting.add(socket);
    socket.once('close', () => this.release(socket));
    while (this.open > this.limit) this.evict(socket);
  }

  private evict(newest: Duplex): void {
    const [oldest] = this.waiting;
    const victim = oldest === newest ? this.slowest() : oldest;
    this.release(victim);
    this.evicted++;
    victim.destroy();
  }

  /** The connection whose answer has not moved for longest; of several, the newest. */
  private slowest(): Duplex {
    this.lookAtProgress();
    let [found] = this.busy;
    for (const each of this.busy) if (each[1].at <= found[1].at) found = each;
    return found[0];
  }

  private lookAtProgress(): void {
    const now = performance.now();
    for (const [socket, progress] of this.busy) {
      const taken = takenBy(socket as Socket);
      if (taken !== progress.taken) Object.assign(progress, { taken, at: now });
    }
  }

  private asked(socket: Duplex, response: ServerResponse): void {
    if (!this.waiting.delete(socket)) return;
    this.busy.set(socket, { taken: takenBy(socket as Socket), at: performance.now() });
    response.once('close', () => {
      if (this.busy.delete(socket) && !socket.destroyed) this.waiting.add(socket);
    });
  }
}

/** Bytes of answers that a client has taken, and when that was last seen to change. */
interface AnswerProgress {
  taken: number;
  at: number;
}

function takenBy({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}
