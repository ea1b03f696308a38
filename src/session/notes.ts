import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';

/*
 * A note in a recording is a STATUSTEXT of our own, which every program shows that reads telemetry logs. It holds 50
 * bytes, https://mavlink.io/en/messages/common.html#STATUSTEXT; a longer text has an id other than 0 and is in numbered
 * pieces, of which the last one is not full.
 */
const PIECE = 50;
const INFO = 6;
const MOST_IDS = 0xffff;
const PREFIX = 'MARK ';

const utf8 = new TextEncoder();

export class Notes {
  private readonly encoder: Encoder;
  private count = 0;

  constructor(system: number, component: number) {
    this.encoder = new Encoder(builtinDialect('common'), { system, component });
  }

  frames(text: string): Uint8Array[] {
    const bytes = utf8.encode(PREFIX + text.replaceAll('\0', ' '));
    const piece = (at: number): Uint8Array => bytes.subarray(at, at + PIECE);
    const frame = (at: number, id: number): Uint8Array =>
      this.encoder.message('STATUSTEXT', { severity: INFO, text: piece(at), id, chunk_seq: at / PIECE });
    if (bytes.length <= PIECE) return [frame(0, 0)];
    this.count = (this.count % MOST_IDS) + 1;
    const pieces = Math.floor(bytes.length / PIECE) + 1;
    return Array.from({ length: pieces }, (_, i) => frame(i * PIECE, this.count));
  }
}
