import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { SAFE_HEADERS } from './headers.ts';
import type { HttpError } from './http-error.ts';
import { headersOf } from './router.ts';

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
