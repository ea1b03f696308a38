import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * The connections that are no streams. There is always room for one more: the connection that has waited for longest
 * without asking anything makes room for it, so that hundreds of idle or crawling ones shut nobody out.
 */
export class Connections {
  /** Closed to make room. */
  evicted = 0;
  private readonly limit: number;
  /** Both in the order of their last change. */
  private readonly waiting = new Set<Duplex>();
  private readonly busy = new Set<Duplex>();

  constructor(server: Server, limit: number) {
    this.limit = limit;
    server.on('connection', (socket: Socket) => this.opened(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.asked(request.socket, response));
    server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => this.release(socket));
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
    const victim = oldest === newest ? [...this.busy][0] : oldest;
    this.release(victim);
    this.evicted++;
    victim.destroy();
  }

  private asked(socket: Duplex, response: ServerResponse): void {
    if (!this.waiting.delete(socket)) return;
    this.busy.add(socket);
    response.once('close', () => {
      if (this.busy.delete(socket) && !socket.destroyed) this.waiting.add(socket);
    });
  }
}
