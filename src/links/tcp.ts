import { connect, createServer, type Server, type Socket } from 'node:net';
import { LINK_LIMITS } from '../live/limits.ts';
import { hostPort, type NetworkAddress } from '../live/link-name.ts';
import { BaseLink, reason } from './base.ts';

/** Milliseconds after which a quiet connection is asked whether it is still there. */
const KEEP_ALIVE = 5000;
/** Milliseconds for what is still to be sent when a link is closed. */
const LAST_WORDS = 1000;

abstract class TcpLink extends BaseLink {
  declare readonly address: NetworkAddress;

  /** Sends bytes unless too many wait already: then they are dropped as a whole. */
  protected write(socket: Socket, bytes: Uint8Array): boolean {
    if (socket.destroyed || !socket.writable || !this.fits(socket.writableLength, bytes.length)) return false;
    socket.write(bytes);
    this.meter.sent(bytes.length);
    return true;
  }
}

/** Connects to a server, and again whenever the connection ends. */
export class TcpCaller extends TcpLink {
  private socket: Socket | undefined;

  protected start(): void {
    const { host, port } = this.address;
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE });
    this.socket = socket;
    socket.setTimeout(LINK_LIMITS.connect / 1000, () => {
      socket.destroy(new Error(`no answer from ${hostPort(host, port)} within ${LINK_LIMITS.connect / 1e6} s`));
    });
    let from = '';
    socket.on('connect', () => {
      socket.setTimeout(0);
      from = hostPort(socket.remoteAddress ?? host, port);
      this.local = hostPort(socket.localAddress ?? '', socket.localPort ?? 0);
      this.meter.opened(this.now());
      this.meter.peer(from);
    });
    socket.on('data', (bytes) => this.receive(bytes, from));
    let error = '';
    socket.on('error', (found) => {
      error = reason(found);
    });
    socket.on('close', () => this.lose(socket, error));
  }

  private lose(socket: Socket, error: string): void {
    if (socket !== this.socket) return;
    this.socket = undefined;
    this.meter.peer(null);
    const { host, port } = this.address;
    if (/ECONNREFUSED/.test(error)) {
      const place = hostPort(host, port);
      this.broke(`connection refused by ${place}`, `start the server at ${place}; to listen there, use tcpin:${place}`);
    } else {
      this.broke(error === '' ? 'connection closed by the other side' : error);
    }
  }

  override send(bytes: Uint8Array): boolean {
    const { socket } = this;
    return socket !== undefined && this.local !== null && this.write(socket, bytes);
  }

  protected async stop(): Promise<void> {
    const { socket } = this;
    this.socket = undefined;
    this.meter.peer(null);
    if (socket) await end(socket);
  }
}

interface TcpClient {
  readonly socket: Socket;
  /** When it sent something last, or was made. */
  lastTime: number;
}

/** Listens for connections: what any of them says comes in, what is sent goes to all. */
export class TcpListener extends TcpLink {
  private server: Server | undefined;
  private readonly connections: Map<string, TcpClient> = new Map();

  get clients(): Iterable<string> {
    return this.connections.keys();
  }

  protected start(): void {
    const { host, port } = this.address;
    const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE });
    this.server = server;
    server.on('listening', () => {
      const bound = server.address();
      if (bound !== null && typeof bound === 'object') this.local = hostPort(bound.address, bound.port);
      this.meter.opened(this.now());
    });
    server.on('connection', (socket) => this.admit(socket));
    server.on('error', (error) => this.lose(server, error));
    server.listen(port, host);
  }

  private admit(socket: Socket): void {
    // errors end in a close, which is what counts
    socket.on('error', () => undefined);
    const isWelcome = this.allow(socket.remoteAddress ?? '');
    if (!isWelcome || (this.connections.size >= LINK_LIMITS.peers && !this.makeRoom())) {
      this.meter.dropped(1);
      socket.destroy();
      return;
    }
    const from = hostPort(socket.remoteAddress ?? '', socket.remotePort ?? 0);
    const connection: TcpClient = { socket, lastTime: this.now() };
    this.connections.set(from, connection);
    this.showPeers();
    socket.on('data', (bytes) => {
      connection.lastTime = this.now();
      this.receive(bytes, from);
    });
    socket.on('close', () => {
      this.connections.delete(from);
      this.showPeers();
    });
  }

  /** Ends the connection that was silent for longest, so that idle ones cannot keep a vehicle out. */
  private makeRoom(): boolean {
    const [oldest] = [...this.connections].sort(([, a], [, b]) => a.lastTime - b.lastTime);
    const [from, { socket, lastTime }] = oldest;
    if (this.now() - lastTime < LINK_LIMITS.silence) return false;
    this.connections.delete(from);
    this.meter.dropped(1);
    socket.destroy();
    return true;
  }

  private showPeers(): void {
    const [first, ...others] = this.connections.keys();
    this.meter.peer(first === undefined ? null : others.length === 0 ? first : `${first} and ${others.length} more`);
  }

  private lose(server: Server, error: Error): void {
    if (server !== this.server) return;
    void this.stop();
    this.cannotBind(error, this.address, 'tcp', 'end that program, or choose another port');
  }

  override send(bytes: Uint8Array, to?: string): boolean {
    let isSent = false;
    for (const [from, { socket }] of this.connections) {
      if (to === undefined || to === from) isSent = this.write(socket, bytes) || isSent;
    }
    return isSent;
  }

  protected async stop(): Promise<void> {
    const { server } = this;
    const sockets = [...this.connections.values()].map(({ socket }) => socket);
    this.server = undefined;
    this.local = null;
    this.connections.clear();
    this.meter.peer(null);
    server?.close();
    await Promise.all(sockets.map(end));
  }
}

/** What was handed in is sent before the end, unless the other side does not take it. */
async function end(socket: Socket): Promise<void> {
  if (socket.writableLength > 0 && !socket.destroyed) {
    await new Promise<void>((done) => {
      socket.end(done);
      socket.once('close', () => done());
      setTimeout(done, LAST_WORDS).unref();
    });
  }
  socket.destroy();
}
