import type { WebSocket } from 'ws';
import { LINK_LIMITS } from '../live/limits.ts';
import type { WebSocketAddress } from '../live/link-name.ts';
import { BaseLink, reason } from './base.ts';

/** Milliseconds for what is still to be sent when a link is closed. */
const LAST_WORDS = 1000;

/** Connects to a WebSocket that carries frames in binary messages. Text is not telemetry: it is counted as dropped. */
export class WebSocketCaller extends BaseLink {
  declare readonly address: WebSocketAddress;
  private socket: WebSocket | undefined;

  protected start(): void {
    this.begin().catch((error: unknown) => this.broke(reason(error)));
  }

  private async begin(): Promise<void> {
    const { url } = this.address;
    // few need it: the library must not load it for all
    const { WebSocket } = await import('ws');
    if (!this.isOpen) return;
    const socket = new WebSocket(url, {
      handshakeTimeout: LINK_LIMITS.connect / 1000,
      maxPayload: LINK_LIMITS.webSocketMessage,
      perMessageDeflate: false,
    });
    this.socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('open', () => {
      this.local = '';
      this.meter.opened(this.now());
      this.meter.peer(url);
    });
    socket.on('message', (data, isBinary) => {
      if (isBinary && data instanceof Uint8Array) this.receive(data, url);
      else this.meter.dropped(1);
    });
    let error = '';
    socket.on('error', (found) => {
      error = reason(found);
    });
    socket.on('close', (code) =>
      this.lose(socket, error === '' ? `closed by the other side with code ${code}` : error),
    );
  }

  private lose(socket: WebSocket, error: string): void {
    if (socket !== this.socket) return;
    this.socket = undefined;
    this.meter.peer(null);
    const isAbsent = /ECONNREFUSED/.test(error);
    this.broke(isAbsent ? `connection refused by ${this.address.url}` : error);
  }

  override send(bytes: Uint8Array): boolean {
    const { socket } = this;
    if (!socket || socket.readyState !== socket.OPEN) return false;
    if (!this.fits(socket.bufferedAmount, bytes.length)) return false;
    socket.send(bytes, { binary: true });
    this.meter.sent(bytes.length);
    return true;
  }

  protected async stop(): Promise<void> {
    const { socket } = this;
    this.socket = undefined;
    this.meter.peer(null);
    if (!socket) return;
    if (socket.readyState === socket.OPEN) {
      // an orderly end comes after what is still to be sent
      await new Promise<void>((done) => {
        socket.once('close', () => done());
        socket.close(1000);
        setTimeout(done, LAST_WORDS).unref();
      });
    }
    socket.terminate();
  }
}
