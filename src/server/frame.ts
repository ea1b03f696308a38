/**
 * A WebSocket message of text, from a server, in one frame (https://www.rfc-editor.org/rfc/rfc6455#section-5.2):
 *
 *   0x81 | length 0..125                        | text
 *   0x81 | 126 | length, 16 bits, big-endian    | text
 *   0x81 | 127 | length, 64 bits, big-endian    | text
 *
 * Servers do not mask, so one frame serves all clients.
 */
export function textFrame(text: Uint8Array): Buffer {
  const { length } = text;
  const head = length < 126 ? 2 : length < 0x10000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  frame[1] = head === 2 ? length : head === 4 ? 126 : 127;
  if (head === 4) frame.writeUInt16BE(length, 2);
  if (head === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.set(text, head);
  return frame;
}
