// Recorded conversations with real autopilots: who sent which datagram when.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageReader, type ReadMessage } from '../../src/live/message.ts';
import { PlainPackets } from '../formats/pcap/packets.ts';
import type { Parameter } from './facts.ts';

export interface Datagram {
  /** Microseconds since the first one. */
  readonly time: number;
  /** UDP ports. */
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
  /** Its message; undefined for the text of a console. */
  readonly message: ReadMessage | undefined;
}

/** Bytes before a UDP datagram's content: Ethernet, IPv4 without options, UDP. */
const PORTS = 14 + 20;
const CONTENT = PORTS + 8;

/** MAVFTP: opcodes, and where data begins. */
const [OPEN, READ, BURST, ACK] = [4, 5, 15, 128];
const FTP_DATA = 12;

const folder = fileURLToPath(new URL('../../../shared/field/autopilot', import.meta.url));

/** The path of a recording. */
export function recordingPath(name: string): string {
  return join(folder, name);
}

/** All datagrams of a recording. Each holds one frame, or text. */
export function readRecording(name: string): Datagram[] {
  const bytes = new Uint8Array(readFileSync(recordingPath(name)));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { packets } = new PlainPackets(bytes);
  let found: ReadMessage | undefined;
  const reader = new MessageReader(
    () => true,
    (message) => {
      found = message;
    },
  );
  return packets.map(({ time, start, end }) => {
    found = undefined;
    const content = bytes.subarray(start + CONTENT, end);
    if (content[0] === 0xfd) reader.push(content);
    return {
      time: time - packets[0].time,
      from: view.getUint16(start + PORTS),
      to: view.getUint16(start + PORTS + 2),
      bytes: content,
      message: found,
    };
  });
}

/** Files that a recorded vehicle sent, by path. Its answers follow the Open of a session, until it is closed. */
export function readFiles(name: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  let path = '';
  let asked = -1;
  for (const { message } of readRecording(name)) {
    if (message?.name !== 'FILE_TRANSFER_PROTOCOL') continue;
    const payload = Uint8Array.from(message.data.payload as number[]);
    const view = new DataView(payload.buffer);
    const [, , , opcode, size, of] = payload;
    if (opcode === OPEN) {
      path = new TextDecoder().decode(payload.subarray(FTP_DATA, FTP_DATA + size));
      asked = view.getUint16(0, true);
    } else if (opcode === ACK && of === OPEN && view.getUint16(0, true) === asked + 1) {
      if (!files.has(path)) files.set(path, new Uint8Array(view.getUint32(FTP_DATA, true)));
    } else if (opcode === ACK && (of === READ || of === BURST)) {
      files.get(path)?.set(payload.subarray(FTP_DATA, FTP_DATA + size), view.getUint32(8, true));
    }
  }
  return files;
}

/** Parameters of the first list in a recording, in their order. */
export function readParameters(name: string, isPx4: boolean): Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const { message, bytes } of readRecording(name)) {
    if (message?.name !== 'PARAM_VALUE') continue;
    const { param_id, param_value, param_type, param_index } = message.data;
    const id = String(param_id);
    if (param_index === 65535 && id !== '_HASH_CHECK') continue;
    // the value is the first of the payload
    const bits = new DataView(bytes.buffer, bytes.byteOffset + 10).getInt32(0, true);
    const value = isPx4 && param_type !== 9 ? bits : Number(param_value);
    if (!parameters.has(id)) parameters.set(id, { name: id, value, type: Number(param_type) });
  }
  return [...parameters.values()];
}
