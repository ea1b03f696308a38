import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

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
