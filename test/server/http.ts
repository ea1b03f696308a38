// Requests as they stand on the wire: a fetch would not let a test name another host, or send what no client sends.
import { connect } from 'node:net';

export interface RawAnswer {
  /** 0 where the connection ended without an answer. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends bytes and reads until the server ends the connection. */
export function exchange(port: number, bytes: string | Uint8Array, timeout = 5000): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(timeout, () => socket.destroy());
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answerOf(Buffer.concat(pieces).toString('latin1'))));
  });
}

function answerOf(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(' ')[1] ?? 0), headers: new Map(headers), body: text.slice(end + 4) };
}

/** A request of plain lines; the connection is closed after the answer. */
export function requestText(target: string, headers: readonly string[], method = 'GET'): string {
  return [`${method} ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n');
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}
