import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ServerLimits } from '../core/limits.ts';
import { LAST, SINCE, wishOf, wishOfQuery } from './filter.ts';
import { textFrame } from './frame.ts';
import { NOT_KEPT } from './headers.ts';
import type { Hub } from './hub.ts';
import type { Item } from './item.ts';
import { jsonText } from './json.ts';
import type { Wire } from './outbox.ts';
import type { Start } from './recall.ts';
import { quote, Refusal } from './refusal.ts';
import { turnAway } from './turn-away.ts';

/** Milliseconds between two signs of life, both ways for a WebSocket. */
const BEAT = 10_000;
/** Codes that end a WebSocket: going away, against the rules, try again later. */
const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_LATER = 1013;
/** Milliseconds that a WebSocket has to say good-bye. */
const FAREWELL = 500;

/** What a client is told first. */
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

  constructor(hub: Hub, limits: ServerLimits, greeting: Greeting) {
    this.hub = hub;
    this.limits = limits;
    this.greeting = greeting;
    // compression would cost memory for each client, and time for each event and client
    const { streamMessageBytes: maxPayload } = limits;
    this.server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false, clientTracking: true });
    this.server.on('wsClientError', (_error, socket) => {
      turnAway(socket, new Refusal(400, 'this is no handshake of a websocket of version 13'));
    });
    this.beat = setInterval(() => this.sound(), BEAT).unref();
  }

  /** Makes a request a WebSocket. Throws a `Refusal` before anything is sent. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams): void {
    const wish = wishOfQuery(query, this.limits);
    const start = this.startOf(query, query.get(SINCE));
    this.hub.checkRoom();
    this.server.handleUpgrade(request, socket, head, (client) => {
      const outbox = this.hub.add(socketWire(client, socket), wish, start);
      const listen = (text: string): void => this.hub.change(outbox, wishOf(parsed(text), this.limits));
      client.on('close', () => this.hub.remove(outbox));
      client.on('error', () => client.terminate());
      client.on('pong', () => this.alive.add(client));
      this.hear(client, listen);
      this.alive.add(client);
      client.send(jsonText(this.greeting(this.hub.idAt(start))));
    });
  }

  /** From where on a client is told what it missed: behind the event that it saw last, or for so many seconds. */
  private startOf(query: URLSearchParams, since: string | null): Start | undefined {
    const last = query.get(LAST);
    if (since !== null) return { sequence: this.hub.sequenceOf(since) };
    if (last === null) return undefined;
    const seconds = last === '' ? Number.NaN : Number(last);
    if (!(seconds >= 0)) throw new Refusal(400, `last must be a number of seconds, not ${quote(last)}`);
    return { time: (Date.now() - seconds * 1000) * 1000 };
  }

  /** A client may send a new filter. One that sends too much is shown out. */
  private hear(client: WebSocket, listen: (text: string) => void): void {
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
        if (isBinary) throw new Refusal(400, 'a filter is sent as text');
        listen(String(data));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        client.send(JSON.stringify({ event: 'error', message: error.message }));
      }
    });
  }

  /** Makes an answer an event stream. Throws a `Refusal` before anything is sent. */
  events(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    const wish = wishOfQuery(query, this.limits);
    const start = this.startOf(query, request.headers['last-event-id']?.toString() ?? query.get(SINCE));
    this.hub.checkRoom();
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': NOT_KEPT });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const outbox = this.hub.add(responseWire(response), wish, start);
    this.responses.add(response);
    response.on('error', () => response.destroy());
    response.once('close', () => {
      this.responses.delete(response);
      this.hub.remove(outbox);
    });
    response.write(`retry: 2000\ndata: ${jsonText(this.greeting(this.hub.idAt(start)))}\n\n`);
  }

  /** Tells all clients that the server goes away, and waits until they are gone. */
  async close(): Promise<void> {
    clearInterval(this.beat);
    for (const response of this.responses) response.end();
    const gone = [...this.server.clients].map((client) => new Promise((resolve) => client.once('close', resolve)));
    for (const client of this.server.clients) client.close(GOING_AWAY, 'server ends');
    const timer = setTimeout(() => {
      for (const client of this.server.clients) client.terminate();
      for (const response of this.responses) response.destroy();
    }, FAREWELL);
    await Promise.all(gone);
    clearTimeout(timer);
    for (const response of this.responses) response.destroy();
    this.server.close();
  }

  /** Ends clients that did not answer the last ping; a comment finds out whether an event stream is still heard. */
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
    throw new Refusal(400, 'a filter is sent as JSON');
  }
}

function droppedText(count: number): string {
  return JSON.stringify({ event: 'dropped', count });
}

function socketWire(client: WebSocket, socket: Duplex): Wire {
  return {
    get waiting() {
      return client.bufferedAmount;
    },
    send(items: readonly Item[], dropped: number) {
      // whole frames, past the library, which would make each anew: they are the same for all clients
      if (client.readyState !== client.OPEN) return;
      socket.cork();
      if (dropped > 0) socket.write(textFrame(Buffer.from(droppedText(dropped))));
      for (const { frame } of items) socket.write(frame);
      socket.uncork();
    },
    cut(reason: string) {
      client.close(TRY_LATER, reason);
      client.terminate();
    },
  };
}

function responseWire(response: ServerResponse): Wire {
  return {
    get waiting() {
      return response.writableLength;
    },
    send(items: readonly Item[], dropped: number) {
      response.cork();
      if (dropped > 0) response.write(`data: ${droppedText(dropped)}\n\n`);
      for (const { block } of items) response.write(block);
      response.uncork();
    },
    cut() {
      response.destroy();
    },
  };
}
