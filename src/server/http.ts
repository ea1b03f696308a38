import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { hexOf } from '../core/text.ts';

/** An error for the client: the HTTP status and a sentence. */
export class HttpError extends Error {
  readonly status: number;
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }

  get body(): string {
    return `${JSON.stringify({ error: { status: this.status, message: this.message } })}\n`;
  }
}

const LONGEST_QUOTE = 80;

/** A client's text, shortened for an error. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text);
}

/** Headers of every answer: nothing from elsewhere, no frames, no reading by other sites, no guessed types. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'self'",
    "img-src 'self' data: blob:",
    'media-src blob:',
    // links of the Log page and webhooks of the Live page: to this machine, and to names of the local network
    "connect-src 'self' ws://127.0.0.1:* ws://localhost:* ws://*.local:* http://127.0.0.1:* http://localhost:* http://*.local:*",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers that change from one moment to the next are not cached. */
export const NOT_KEPT = 'no-store';

/** JSON by the rules of all of Skein: NaN and infinities are null, integers beyond 2^53 text, bytes hexadecimal. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, plain) ?? 'null';
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return hexOf(value);
  if (value instanceof Map) return fromEntries(value);
  if (value instanceof Set) return [...value];
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
}

/** Without a prototype, since a key may be `__proto__`. */
function fromEntries(map: ReadonlyMap<unknown, unknown>): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of map) object[String(key)] = value;
  return object;
}

/** The JSON that came with a request. What claims to be short and is not is cut off at the limit. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > limit) throw new HttpError(413, `body has more than ${limit} bytes`);
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    throw new HttpError(400, 'request body is not valid JSON');
  }
}

/** Answers on a bare connection, and ends it. */
export function turnAway(socket: Duplex, refusal: HttpError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const headers = { ...SAFE_HEADERS, ...headersOf(refusal), Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n`;
  socket.end(head + refusal.body, () => socket.destroy());
}

/** The error that a client gets: its sentence if it is an `HttpError`, nothing internal otherwise. */
export function refusalOf(error: unknown, onError: (error: unknown) => void): HttpError {
  if (error instanceof HttpError) return error;
  onError(error);
  return new HttpError(500, 'the server failed to answer this');
}

export function headersOf(refusal: HttpError): Record<string, string> {
  const { body, headers } = refusal;
  return {
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': NOT_KEPT,
    ...headers,
  };
}

/** Refuses before the router is asked. */
export function refuse(request: IncomingMessage, response: ServerResponse, refusal: HttpError): void {
  const closing: Record<string, string> = request.complete ? {} : { Connection: 'close' };
  response.writeHead(refusal.status, { ...headersOf(refusal), ...closing }).end(refusal.body);
}
