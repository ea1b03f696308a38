// A way to a server on loopback that can be cut, at any byte and as often as a test likes.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class CutProxy {
  readonly url: string;
  private readonly server: Server;
  private readonly sockets: Set<Socket>;
  private left = Number.POSITIVE_INFINITY;
  private pieces = 0;
  private isOpen = true;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.server = server;
    this.sockets = sockets;
    this.url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async to(port: number): Promise<CutProxy> {
    const sockets = new Set<Socket>();
    let proxy: CutProxy | undefined;
    const server = createServer((from) => {
      const to = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [from, to],
        [to, from],
      ]) {
        sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
        one.on('data', (bytes) => proxy?.pass(other, bytes));
      }
      if (!proxy?.isOpen) from.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = new CutProxy(server, sockets);
    return proxy;
  }

  private pass(to: Socket, bytes: Buffer): void {
    if (this.pieces > 0 && --this.pieces === 0) {
      this.cut();
      return;
    }
    const some = bytes.subarray(0, this.left);
    this.left -= some.length;
    to.write(some);
    if (some.length === bytes.length) return;
    this.left = Number.POSITIVE_INFINITY;
    this.cut();
  }

  /** Cuts all connections, once this many more bytes went through, either way. */
  cutAfter(bytes: number): void {
    this.left = bytes;
  }

  /** Cuts all connections instead of letting the n-th piece from now on through: what one call on a socket wrote or read. */
  cutAtPiece(n: number): void {
    this.pieces = n;
  }

  /** Whether such a piece came. */
  get hasCut(): boolean {
    return this.pieces === 0;
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Lets nothing through any more. */
  async close(): Promise<void> {
    this.isOpen = false;
    this.cut();
    await new Promise<void>((done) => this.server.close(() => done()));
  }
}
