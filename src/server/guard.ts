import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { plainAddress } from '../node/allow.ts';
import { HttpError, quote } from './http.ts';

/** What requests are held against. */
export interface Gate {
  readonly port: number;
  /** Names beside those of the address itself, with or without a port. */
  readonly hosts: readonly string[];
  readonly token: Token;
  /** Whether reading needs the token too. */
  readonly closed: boolean;
  readonly bodyBytes: number;
}

const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

/**
 * Throws a `HttpError` unless the request may go on. Any page that the user's browser shows can send requests to this
 * machine, so each must name this server as its host (a name of the attacker's that leads here is refused: DNS
 * rebinding), must come from a page of this server or from no page at all, and needs the token where it changes
 * something.
 */
export function guard(request: IncomingMessage, gate: Gate): void {
  checkHost(request, gate);
  checkOrigin(request);
  checkMethod(request);
  const changes = request.method === 'POST';
  if ((gate.closed || changes) && !gate.token.isCarriedBy(request)) throw tokenNeeded(changes);
  checkBody(request, gate);
}

function checkHost({ headers, headersDistinct, socket, url }: IncomingMessage, gate: Gate): void {
  const host = headers.host ?? '';
  if ((headersDistinct.host?.length ?? 0) > 1) throw new HttpError(403, 'request has more than one host');
  // the form for proxies names another host
  if (!url?.startsWith('/')) throw new HttpError(403, `request target must begin with /, not ${quote(url ?? '')}`);
  if (hostsOf(plainAddress(socket.localAddress ?? ''), gate).has(host.toLowerCase())) return;
  throw new HttpError(
    403,
    `host ${quote(host)} is not this server: use its address, or allow the name when starting it`,
  );
}

function hostsOf(address: string, { port, hosts }: Gate): Set<string> {
  const names = isLoopback(address) ? [...LOOPBACK_HOSTS, urlHost(address)] : [urlHost(address)];
  const allowed = new Set(names.map((name) => `${name}:${port}`));
  if (port === 80) for (const name of names) allowed.add(name);
  for (const name of hosts) {
    allowed.add(name.toLowerCase());
    if (!/:\d+$/.test(name)) allowed.add(`${name.toLowerCase()}:${port}`);
  }
  return allowed;
}

function checkOrigin({ headers }: IncomingMessage): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new HttpError(403, `request of another site (${quote(String(site))}) is refused`);
  if (origin !== undefined) {
    const own = (headers.host ?? '').toLowerCase();
    if (origin.toLowerCase() !== `http://${own}` && origin.toLowerCase() !== `https://${own}`)
      throw new HttpError(403, `request of a page of ${quote(origin)} is refused`);
  } else if (headers.upgrade !== undefined && isBrowser(headers)) {
    throw new HttpError(403, 'a browser must send the Origin of the page that opens a WebSocket');
  }
}

/** Node's own WebSocket sends Sec-Fetch-Mode too, but no Sec-Fetch-Site: it has no page. */
function isBrowser(headers: IncomingMessage['headers']): boolean {
  return (headers['user-agent'] ?? '').startsWith('Mozilla/') || headers['sec-fetch-site'] !== undefined;
}

function checkMethod({ method, headers }: IncomingMessage): void {
  if (!METHODS.has(method ?? ''))
    throw new HttpError(405, `method ${quote(method ?? '')} not allowed: use GET, HEAD or POST`, {
      Allow: 'GET, HEAD, POST',
    });
  if (method !== 'POST') return;
  const type = headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new HttpError(415, `content type ${quote(type)} not supported: send application/json`);
}

function checkBody({ method, headers }: IncomingMessage, { bodyBytes }: Gate): void {
  const length = Number(headers['content-length'] ?? 0);
  const hasBody = length > 0 || headers['transfer-encoding'] !== undefined;
  if (method !== 'POST' && hasBody) throw new HttpError(400, `a ${method} request must not have a body`);
  if (length > bodyBytes) throw new HttpError(413, `body has ${length} bytes, at most ${bodyBytes} are accepted`);
}

function tokenNeeded(changes: boolean): HttpError {
  const why = changes ? 'changing something' : 'this address';
  return new HttpError(401, `${why} needs the token shown at the start: send "Authorization: Bearer TOKEN"`, {
    'WWW-Authenticate': 'Bearer',
  });
}

const TOKEN_BYTES = 16;
const SHORTEST_TOKEN = 16;

/** The secret for changes and, if other machines reach the server, for everything: in a header or SameSite cookie. */
export class Token {
  readonly text: string;
  private readonly cookie: string;
  private readonly digest: Buffer;

  /** @param port of the server: cookies of one host are shared by all its ports, so the name has the port */
  constructor(port: number, text: string = randomBytes(TOKEN_BYTES).toString('hex')) {
    checkToken(text);
    this.text = text;
    this.cookie = `skein-${port}`;
    this.digest = digestOf(text);
  }

  isCarriedBy(request: IncomingMessage): boolean {
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (bearer !== undefined) return this.equals(bearer);
    return cookiesOf(request.headers.cookie ?? '', this.cookie).some((value) => this.equals(value));
  }

  /** Takes the same time for every text, since only digests are compared. */
  equals(text: string): boolean {
    return timingSafeEqual(digestOf(text), this.digest);
  }

  /** The header that gives the token to a browser: scripts cannot read it, other sites cannot use it. */
  setCookie(): string {
    return `${this.cookie}=${this.text}; Path=/; HttpOnly; SameSite=Strict`;
  }
}

/** Throws if a given token is too short, or cannot be in a header. */
export function checkToken(text: string): void {
  if (text.length < SHORTEST_TOKEN)
    throw new RangeError(`token has ${text.length} characters, expected at least ${SHORTEST_TOKEN}`);
  if (!/^[\w.~+/-]+$/.test(text)) throw new RangeError('token may hold letters, digits and _ . ~ + / - only');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function cookiesOf(header: string, name: string): string[] {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}

/** Whether only this machine can reach an address. Anything that is not known to be so is not. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

export function urlHost(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}
