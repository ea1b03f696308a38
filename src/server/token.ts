import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const TOKEN_BYTES = 16;
const SHORTEST_TOKEN = 16;

/**
 * The secret that lets a client change something, and, where the server can be reached from other machines, see
 * anything. It comes in a header, or in a cookie that no other site can make the browser send.
 */
export class Token {
  readonly text: string;
  private readonly cookie: string;
  private readonly digest: Buffer;

  /** @param port of the server: cookies of one host are shared by all its ports, so the name tells them apart */
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

/** Throws where a token of the user's own would be no secret, or could not stand in a header. */
export function checkToken(text: string): void {
  if (text.length < SHORTEST_TOKEN)
    throw new RangeError(`token has ${text.length} characters, at least ${SHORTEST_TOKEN} are needed`);
  if (!/^[\w.~+/-]+$/.test(text)) throw new RangeError('token may hold letters, digits and _ . ~ + / - only');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function cookiesOf(header: string, name: string): string[] {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}
