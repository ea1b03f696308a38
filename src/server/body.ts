import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/** The JSON that came with a request. What claims to be short and is not is cut off at the limit. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > limit) throw new Refusal(413, `body has more than ${limit} bytes`);
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    throw new Refusal(400, `body of ${size} bytes is no JSON`);
  }
}
