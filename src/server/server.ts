import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { type IsAllowed, plainAddress } from '../node/allow.ts';
import { Connections } from './connections.ts';
import { checkToken, type Gate, guard, isLoopback, Token, urlHost } from './guard.ts';
import { HttpError, JSON_TYPE, quote, refusalOf, refuse, SAFE_HEADERS, turnAway } from './http.ts';
import { Hub } from './hub.ts';
import { SERVER_LIMITS, type ServerLimits } from './limits.ts';
import { Pages } from './pages.ts';
import { ANYTHING, json, mapOf, type Route } from './route.ts';
import { refused, router } from './router.ts';
import { actionRoutes } from './routes/actions.ts';
import { fieldRoutes } from './routes/fields.ts';
import { fileRoutes, recordingRoutes } from './routes/files.ts';
import { lakeRoutes } from './routes/lake.ts';
import { liveRoutes } from './routes/live.ts';
import { mavlinkRoutes } from './routes/mavlink.ts';
import { METRICS_TYPE, metricsText } from './routes/metrics.ts';
import { openApi } from './routes/openapi.ts';
import { SOCKET_PATH, streamRoutes } from './routes/streams.ts';
import { Streams } from './streams.ts';
import type { LakeView, LiveAction, LiveView, ServedFile } from './view.ts';
import type { HelloWire } from './wire.ts';

export interface ServerOptions {
  /** The address to listen on: 127.0.0.1 by default. Others need the token for everything. */
  readonly host?: string | undefined;
  /** Any that is free by default. */
  readonly port?: number | undefined;
  /** Addresses that may connect; all by default. */
  readonly allow?: IsAllowed | undefined;
  /** Names by which the server may be called beside its address. */
  readonly hosts?: readonly string[] | undefined;
  /** The token; a random one by default. */
  readonly token?: string | undefined;
  /** Whether reading needs the token on this machine too. */
  readonly closed?: boolean | undefined;
  readonly pages?: string | undefined;
  /** Log files that pages may read. */
  readonly files?: readonly ServedFile[] | undefined;
  /** A lake whose flights pages may list. */
  readonly lake?: LakeView | undefined;
  /** What pages may ask to be done, beside what the view offers. */
  readonly actions?: readonly LiveAction[] | undefined;
  readonly version?: string | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Called with internal errors, which clients do not see. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface RunningServer {
  readonly url: string;
  readonly token: string;
  /** The address for a browser: it takes the token along, once. */
  readonly page: string;
  /** Ends all streams and connections; resolves when the port is free. */
  close(): Promise<void>;
}

/** Milliseconds that answers under way have when the server closes. */
const GRACE = 1000;
const TOKEN = 'token';

/** Starts a server over what a view shows; without one, of pages and files alone. */
export async function serve(view: LiveView | undefined, options: ServerOptions = {}): Promise<RunningServer> {
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits };
  if (options.token !== undefined) checkToken(options.token);
  const pages = options.pages === undefined ? undefined : new Pages(options.pages, limits);
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headTime,
    requestTimeout: limits.requestTime,
    keepAliveTimeout: limits.idleTime,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false,
  });
  const address = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
  const running = new LiveServer(server, address, view, pages, limits, options);
  return { url: running.url, token: running.token.text, page: running.page, close: () => running.close() };
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  server.removeAllListeners('error');
  return server.address() as AddressInfo;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const where = `${urlHost(host)}:${port}`;
  if (error.code === 'EADDRINUSE') return new Error(`${where} is in use by another program: choose another port`);
  if (error.code === 'EACCES') return new Error(`${where} permission denied: ports below 1024 need privileges`);
  if (error.code === 'EADDRNOTAVAIL') return new Error(`cannot bind ${where}: not an address of this machine`);
  return new Error(`cannot listen on ${where}: ${error.code ?? error.message}`);
}

class LiveServer {
  readonly url: string;
  readonly token: Token;
  private readonly server: Server;
  private readonly gate: Gate;
  private readonly connections: Connections;
  private readonly hub: Hub | undefined;
  private readonly streams: Streams | undefined;
  private readonly limits: ServerLimits;
  private readonly onError: (error: unknown) => void;
  private readonly statuses = new Map<number, number>();
  private closing: Promise<void> | undefined;

  constructor(
    server: Server,
    { address, port }: AddressInfo,
    view: LiveView | undefined,
    pages: Pages | undefined,
    limits: ServerLimits,
    options: ServerOptions,
  ) {
    this.server = server;
    this.limits = limits;
    this.onError = options.onError ?? (() => {});
    this.token = new Token(port, options.token);
    this.url = `http://${urlHost(plainAddress(address))}:${port}`;
    const closed = options.closed === true || !isLoopback(address);
    this.gate = { port, hosts: options.hosts ?? [], token: this.token, closed, bodyBytes: limits.bodyBytes };
    if (view) {
      this.hub = new Hub(view, limits);
      this.streams = new Streams(this.hub, limits, (id) => greetingOf(view, id));
    }
    const { allow } = options;
    if (allow) server.on('connection', (socket) => allow(socket.remoteAddress ?? '') || socket.destroy());
    this.connections = new Connections(server, limits.connections);
    // too many open files, say: this connection is lost, the server is not
    server.on('error', this.onError);
    this.listen(this.routes(view, options), pages);
  }

  get page(): string {
    return `${this.url}/?${TOKEN}=${this.token.text}`;
  }

  private routes(view: LiveView | undefined, options: ServerOptions): Route[] {
    const routes: Route[] = view
      ? [...liveRoutes(view), ...fieldRoutes(view), ...mavlinkRoutes(view), ...recordingRoutes(view)]
      : [];
    if (options.files) routes.push(...fileRoutes(options.files));
    if (options.lake) routes.push(...lakeRoutes(options.lake));
    const actions = [...(view?.actions ?? []), ...(options.actions ?? [])];
    routes.push(...actionRoutes(actions, (request) => this.token.isCarriedBy(request)));
    if (this.streams) {
      routes.push(...streamRoutes(this.streams, this.limits, (socket) => this.connections.release(socket as Duplex)));
    }
    routes.push({
      method: 'get',
      path: '/metrics',
      summary: 'Metrics in the text format of Prometheus.',
      parameters: [],
      type: METRICS_TYPE,
      handle: () => ({ type: METRICS_TYPE, body: metricsText(view, this.counters(), this.limits.metrics) }),
    });
    routes.push({
      method: 'get',
      path: '/v1/openapi.json',
      summary: 'This document.',
      parameters: [],
      type: JSON_TYPE,
      schema: mapOf(ANYTHING),
      handle: () => json(document),
    });
    const document = openApi(routes, options.version ?? '0.0.0', this.url);
    return routes;
  }

  private counters(): Parameters<typeof metricsText>[1] {
    const { connections, hub, statuses } = this;
    return {
      connections: connections.open,
      evicted: connections.evicted,
      streams: hub?.clients ?? 0,
      eventsSent: hub?.sent ?? 0,
      eventsDropped: hub?.dropped ?? 0,
      requests: statuses,
    };
  }

  private listen(routes: readonly Route[], pages: Pages | undefined): void {
    const { onError } = this;
    const app = router(routes, { bodyBytes: this.limits.bodyBytes, pages, onError });
    const answer = getRequestListener(app.fetch, {
      overrideGlobalObjects: false,
      // what cannot even be read as a request for the router
      errorHandler: () => refused(new HttpError(400, 'the address of the request is not valid')),
    });
    const receive = (request: IncomingMessage, response: ServerResponse, allowed = (): void => {}): void => {
      response.once('close', () => this.count(response.statusCode));
      for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
      try {
        if (this.login(request, response)) return;
        guard(request, this.gate);
        allowed();
        answer(request, response).catch(onError);
      } catch (error) {
        refuse(request, response, refusalOf(error, onError));
      }
    };
    this.server.on('request', (request, response) => receive(request, response));
    // Node answers what a client expects (`Expect: 100-continue`) before any check unless it is asked not to
    this.server.on('checkContinue', (request, response) => receive(request, response, () => response.writeContinue()));
    this.server.on('checkExpectation', (request, response) =>
      receive(request, response, () => {
        throw new HttpError(
          417,
          `Expect: ${quote(String(request.headers.expect))} not supported: only 100-continue is`,
        );
      }),
    );
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      try {
        this.upgrade(request, socket, head);
      } catch (error) {
        turnAway(socket, this.counted(refusalOf(error, onError)));
      }
    });
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      turnAway(socket, this.counted(malformed(error, this.limits)));
    });
  }

  private count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  private counted(refusal: HttpError): HttpError {
    this.count(refusal.status);
    return refusal;
  }

  /** A browser that comes with the token in the address gets a cookie in its place, and an address without it. */
  private login(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET' || !request.url?.startsWith('/')) return false;
    const url = urlOf(request);
    const given = url.searchParams.get(TOKEN);
    if (given === null) return false;
    guard(request, { ...this.gate, closed: false });
    if (!this.token.equals(given)) throw new HttpError(403, 'wrong token in the address');
    url.searchParams.delete(TOKEN);
    const headers = { Location: url.pathname.replace(/^\/+/, '/') + url.search, 'Set-Cookie': this.token.setCookie() };
    response.writeHead(303, { ...headers, 'Content-Length': '0', 'Cache-Control': 'no-store' }).end();
    return true;
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    guard(request, this.gate);
    const url = urlOf(request);
    if (request.headers.upgrade?.toLowerCase() !== 'websocket' || request.method !== 'GET')
      throw new HttpError(400, 'only a WebSocket upgrade by GET is supported');
    if (!this.streams || url.pathname !== SOCKET_PATH)
      throw new HttpError(404, `not found: the WebSocket is at ${SOCKET_PATH}`);
    this.streams.upgrade(request, socket, head, url.searchParams);
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.hub?.close();
    await this.streams?.close();
    this.server.closeIdleConnections();
    const timer = setTimeout(() => this.server.closeAllConnections(), GRACE);
    await closed;
    clearTimeout(timer);
  }
}

/** Only the path and the query of it mean anything. */
function urlOf({ url }: IncomingMessage): URL {
  return new URL(`http://localhost${url}`);
}

function greetingOf(view: LiveView, id: string): HelloWire {
  return { event: 'hello', id, time: Date.now() / 1000, vehicles: view.vehicles() };
}

function malformed({ code }: NodeJS.ErrnoException, { headerBytes }: ServerLimits): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpError(431, `request headers are longer than ${headerBytes} bytes`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpError(408, 'the request took too long to arrive');
  return new HttpError(400, 'not an HTTP request');
}
