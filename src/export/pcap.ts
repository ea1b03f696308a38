import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import { LINK_ETHERNET, LINK_RAW_IP, LINK_USER0 } from '../formats/pcap/link.ts';
import { type Frame, type FrameOptions, framesOf } from './frames.ts';

/*
 * The bytes before each frame, all numbers but those of the file itself with the highest byte first:
 *
 *     file         seconds, microseconds, captured length, original length
 *     Ethernet     to (6), from (6), 08 00
 *     IPv4         45 00, total length, 00 00, 40 00, 40 11, checksum, from (4), to (4)
 *     UDP          from port, to port, length, checksum
 *
 * Each sender has its own address, 10.0.SYSTEM.COMPONENT, and so its own flow.
 */
const FILE_HEADER = 24;
const RECORD_HEADER = 16;
const ETHERNET = 14;
const IP = 20;
const UDP = 8;
const MAGIC = 0xa1b2c3d4;
const SNAP_LENGTH = 262_144;
/** The port that ground stations listen on. */
const PORT = 14550;
const RECEIVER: readonly number[] = [10, 255, 255, 254];

/** How packets begin: in Ethernet, with the IP header, or with the frame itself, which Wireshark calls USER0. */
export type PcapLink = 'ethernet' | 'raw' | 'user0';

export const PCAP_LINKS: readonly PcapLink[] = ['ethernet', 'raw', 'user0'];

const LINK_TYPES: Readonly<Record<PcapLink, number>> = {
  ethernet: LINK_ETHERNET,
  raw: LINK_RAW_IP,
  user0: LINK_USER0,
};

export interface PcapOptions extends FrameOptions {
  /** Ethernet by default. */
  readonly link?: PcapLink | undefined;
}

/** A packet capture of the frames of a log of messages: a UDP packet for each, at the time of its record. */
export async function* writePcap(log: Log, options: PcapOptions = {}): AsyncGenerator<Uint8Array> {
  const { link = 'ethernet' } = options;
  yield fileHeader(LINK_TYPES[link]);
  for await (const frames of framesOf(log, options)) yield joined(frames.map((frame) => packetOf(frame, link)));
}

function fileHeader(linkType: number): Uint8Array {
  const bytes = new Uint8Array(FILE_HEADER);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint16(4, 2, true);
  view.setUint16(6, 4, true);
  view.setUint32(16, SNAP_LENGTH, true);
  view.setUint32(20, linkType, true);
  return bytes;
}

function packetOf({ bytes: frame, time, system, component }: Frame, link: PcapLink): Uint8Array {
  const ip = RECORD_HEADER + (link === 'ethernet' ? ETHERNET : 0);
  const payload = link === 'user0' ? RECORD_HEADER : ip + IP + UDP;
  const packet = new Uint8Array(payload + frame.length);
  packet.set(frame, payload);
  const view = new DataView(packet.buffer);
  const micros = Math.max(0, Math.round(time));
  view.setUint32(0, Math.floor(micros / 1e6), true);
  view.setUint32(4, micros % 1e6, true);
  view.setUint32(8, packet.length - RECORD_HEADER, true);
  view.setUint32(12, packet.length - RECORD_HEADER, true);
  if (link === 'ethernet') {
    packet.set([2, 0, ...RECEIVER, 2, 0, 10, 0, system, component, 8, 0], RECORD_HEADER);
  }
  if (link !== 'user0') writeHeaders(packet, view, ip, [10, 0, system, component]);
  return packet;
}

function writeHeaders(packet: Uint8Array, view: DataView, ip: number, sender: readonly number[]): void {
  const udp = ip + IP;
  const length = packet.length - udp;
  packet.set([0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, ...sender, ...RECEIVER], ip);
  view.setUint16(ip + 2, IP + length);
  view.setUint16(ip + 10, checksum(packet, ip, udp, 0));
  view.setUint16(udp, PORT);
  view.setUint16(udp + 2, PORT);
  view.setUint16(udp + 4, length);
  // the sum of UDP covers addresses, protocol and length too; 0 would say that there is none
  view.setUint16(udp + 6, checksum(packet, ip + 12, packet.length, 17 + length) || 0xffff);
}

/** The checksum of the internet protocols, https://www.rfc-editor.org/rfc/rfc1071 */
function checksum(bytes: Uint8Array, from: number, to: number, first: number): number {
  let sum = first;
  for (let at = from; at < to; at += 2) sum += (bytes[at] << 8) | (at + 1 < to ? bytes[at + 1] : 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
