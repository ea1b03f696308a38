import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Wire } from './client-queue.ts';
import { filterOf, filterOfQuery, LAST, SINCE } from './filter.ts';
import { HttpError, jsonText, NOT_KEPT, quote, turnAway } from './http.ts';
import type { Hub } from './hub.ts';
import type { ServerLimits } from './limits.ts';
import type { Start } from './recall.ts';
import type { SentEvent } from './sent-event.ts';
import { textFrame } from './sent-event.ts';

/** Milliseconds between two pings. */
const BEAT = 10_000;
/** Codes that end a WebSocket: going away, against the rules, try again later. */
const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_LATER = 1013;
/** Milliseconds for a WebSocket to close. */
const FAREWELL = 500;

/** The first event for a client. */
type Greeting = (id: string) => unknown;

/** WebSockets and event streams: the two ways out of the hub. */
export class Streams {
  private readonly hub: Hub;
  private readonly limits: ServerLimits;
  private readonly greeting: Greeting;
  private readonly server: WebSocketServer;
  private readonly responses = new Set<ServerResponse>();
  private readonly alive = new WeakSet<WebSocket>();
  private readonly beat: NodeJS.Timeout;
  private readonly frames = new Batches(({ frame }) => [frame]);
  private readonly blocks = new Batches(({ block }) => block);

  constructor(hub: Hub, limits: ServerLimits, greeting: Greeting) {
    this.hub = hub;
    this.limits = limits;
    this.greeting = greeting;
    // compression would cost memory for each client, and time for each event and client
    const { streamMessageBytes: maxPayload } = limits;
    this.server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false, clientTracking: true });
    this.server.on('wsClientError', (_error, socket) => {
      turnAway(socket, new HttpError(400, 'not a WebSocket handshake of version 13'));
    });
    this.beat = setInterval(() => this.sound(), BEAT).unref();
  }

  /** Makes a request a WebSocket. Throws a `HttpError` before anything is sent. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams): void {
    const filter = filterOfQuery(query, this.limits);
    const start = this.startOf(query, query.get(SINCE));
    this.hub.checkRoom();
    this.server.handleUpgrade(request, socket, head, (client) => {
      const queue = this.hub.add(socketWire(client, socket, this.frames), filter, start);
      const listen = (text: string): void => this.hub.change(queue, filterOf(parsed(text), this.limits));
      client.on('close', () => this.hub.remove(queue));
      client.on('error', () => client.terminate());
      client.on('pong', () => this.alive.add(client));
      this.listen(client, listen);
      this.alive.add(client);
      client.send(jsonText(this.greeting(this.hub.idAt(start))));
    });
  }

  /** From where on a client gets what it missed: after the last event that it saw, or for some seconds. */
  private startOf(query: URLSearchParams, since: string | null): Start | undefined {
    const last = query.get(LAST);
    if (since !== null) return { sequence: this.hub.sequenceOf(since) };
    if (last === null) return undefined;
    const seconds = last === '' ? Number.NaN : Number(last);
    if (!(seconds >= 0)) throw new HttpError(400, `last must be a number of seconds, not ${quote(last)}`);
    return { time: (Date.now() - seconds * 1000) * 1000 };
  }

  /** A client may send a new filter. One that sends too much is disconnected. */
  private listen(client: WebSocket, listen: (text: string) => void): void {
    let second = 0;
    let count = 0;
    client.on('message', (data, isBinary) => {
      const now = Math.floor(performance.now() / 1000);
      count = now === second ? count + 1 : 1;
      second = now;
      if (count > this.limits.streamMessages) {
        client.removeAllListeners('message');
        client.close(POLICY, `more than ${this.limits.streamMessages} messages a second`);
        setTimeout(() => client.terminate(), FAREWELL).unref();
        return;
      }
      try {
        if (isBinary) throw new HttpError(400, 'send the filter as text');
        listen(String(data));
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        client.send(JSON.stringify({ event: 'error', message: error.message }));
      }
    });
  }

  /** Makes an answer an event stream. Throws a `HttpError` before anything is sent. */
  events(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    const filter = filterOfQuery(query, this.limits);
    const start = this.startOf(query, request.headers['last-event-id']?.toString() ?? query.get(SINCE));
    this.hub.checkRoom();
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': NOT_KEPT });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const queue = this.hub.add(responseWire(response, this.blocks), filter, start);
    this.responses.add(response);
    response.on('error', () => response.destroy());
    response.once('close', () => {
      this.responses.delete(response);
      this.hub.remove(queue);
    });
    response.write(`retry: 2000\ndata: ${jsonText(this.greeting(this.hub.idAt(start)))}\n\n`);
  }

  /** Closes all clients, and waits until they are gone. */
  async close(): Promise<void> {
    clearInterval(this.beat);
    for (const response of this.responses) response.end();
    const gone = [...this.server.clients].map((client) => new Promise((resolve) => client.once('close', resolve)));
    for (const client of this.server.clients) client.close(GOING_AWAY, 'server is closing');
    const timer = setTimeout(() => {
      for (const client of this.server.clients) client.terminate();
      for (const response of this.responses) response.destroy();
    }, FAREWELL);
    await Promise.all(gone);
    clearTimeout(timer);
    for (const response of this.responses) response.destroy();
    this.server.close();
  }

  /** Ends clients that did not answer the last ping; a comment tests whether an event stream is still open. */
  private sound(): void {
    for (const client of this.server.clients) {
      if (this.alive.delete(client)) client.ping();
      else client.terminate();
    }
    for (const response of this.responses) if (response.writableLength === 0) response.write(':\n\n');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'send the filter as JSON');
  }
}

function droppedText(count: number): string {
  return JSON.stringify({ event: 'dropped', count });
}

/** Batches that are remembered: clients that are in step get the same one. */
const BATCHES = 64;

/** Events as one piece of bytes, made once for all clients that get the same: each piece costs each client time and memory. */
class Batches {
  private readonly encode: (item: SentEvent) => Uint8Array[];
  private readonly made: { readonly items: readonly SentEvent[]; readonly bytes: Buffer }[] = [];

  constructor(encode: (item: SentEvent) => Uint8Array[]) {
    this.encode = encode;
  }

  bytes(items: readonly SentEvent[]): Buffer {
    const known = this.made.find(
      (one) => one.items.length === items.length && one.items.every((item, i) => item === items[i]),
    );
    if (known) return known.bytes;
    const bytes = Buffer.concat(items.flatMap(this.encode));
    if (this.made.push({ items, bytes }) > BATCHES) this.made.shift();
    return bytes;
  }
}

function socketWire(client: WebSocket, socket: Duplex, frames: Batches): Wire {
  return {
    get waiting() {
      return client.bufferedAmount;
    },
    send(items: readonly SentEvent[], dropped: number) {
      // whole frames, past the library, which would encode each again: they are the same for all clients
      if (client.readyState !== client.OPEN) return;
      socket.cork();
      if (dropped > 0) socket.write(textFrame(droppedText(dropped)));
      socket.write(frames.bytes(items));
      socket.uncork();
    },
    cut(reason: string) {
      client.close(TRY_LATER, reason);
      client.terminate();
    },
  };
}

function responseWire(response: ServerResponse, blocks: Batches): Wire {
  return {
    get waiting() {
      return response.writableLength;
    },
    send(items: readonly SentEvent[], dropped: number) {
      response.cork();
      if (dropped > 0) response.write(`data: ${droppedText(dropped)}\n\n`);
      response.write(blocks.bytes(items));
      response.uncork();
    },
    cut() {
      response.destroy();
    },
  };
}
