import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';

/*
 * Files that a vehicle sent by MAVFTP, https://mavlink.io/en/services/ftp.html: the payload of FILE_TRANSFER_PROTOCOL
 *
 *     0 1   2         3        4      5                  6 7   8 ... 11   12 ...
 *     seq   session   opcode   size   requested opcode         offset     data
 */
const DATA = 12;
const [OPEN, READ, BURST, ACK] = [4, 5, 15, 128];

/** Whole files that a vehicle sent in a log of messages, one after the other; larger ones are left out. */
export async function* sentFiles(log: Log, stream: string, most: number): AsyncGenerator<Uint8Array> {
  const table = log.table('FILE_TRANSFER_PROTOCOL', stream);
  if (!table?.field('payload') || table.rows === 0) return;
  const payloads = await table.column('payload');
  const width = payloads.field.count;
  if (width <= DATA || payloads.field.type !== 'uint8') return;
  let [size, left] = [0, 0];
  let pieces = new Map<number, Uint8Array>();
  for (let row = 0; row < table.rows; row++) {
    const payload = payloads.bits8.subarray(row * width, (row + 1) * width);
    const [opcode, length, asked] = payload.subarray(3);
    if (opcode !== ACK) continue;
    const view = new DataView(payload.buffer, payload.byteOffset, width);
    if (asked === OPEN) {
      size = width < DATA + 4 ? 0 : view.getUint32(DATA, true);
      left = size <= most ? size : 0;
      pieces = new Map();
    } else if ((asked === READ || asked === BURST) && left > 0) {
      const offset = view.getUint32(8, true);
      const data = payload.subarray(DATA, DATA + length);
      if (pieces.has(offset) || data.length > left) continue;
      pieces.set(offset, data);
      left -= data.length;
      if (left > 0) continue;
      const inOrder = [...pieces].sort(([a], [b]) => a - b);
      let end = 0;
      for (const [at, { length: bytes }] of inOrder) end = at === end ? end + bytes : Number.NaN;
      if (end === size) yield joined(inOrder.map(([, bytes]) => bytes));
    }
  }
}
