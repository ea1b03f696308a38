import { existsSync, readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { LiveCollector } from '../../src/live/collector.ts';
import type { LiveEvent } from '../../src/live/events.ts';
import type { LiveOptions } from '../../src/live/options.ts';
import { type Block, need, sharedData } from '../helpers/need.ts';

/** One datagram of a capture. */
export interface Datagram {
  /** Microseconds UTC. */
  readonly time: number;
  /** The UDP ports that it was sent from and to. */
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** The path of a recorded conversation with an autopilot. */
export function fieldCapture(...parts: string[]): string {
  return sharedData('..', 'field', 'autopilot', ...parts);
}

/** Types of blocks, and the option that has the unit of times. */
const INTERFACE = 1;
const PACKET = 6;
const RESOLUTION = 9;
const ETHERNET = 14;

/** The datagrams of a pcapng file of Ethernet and IPv4, by the plainest way. */
function capturedDatagrams(path: string): Datagram[] {
  const file = readFileSync(path);
  const datagrams: Datagram[] = [];
  let perMicro = 1;
  for (let at = 0; at < file.length; at += file.readUInt32LE(at + 4)) {
    const type = file.readUInt32LE(at);
    if (type === INTERFACE) perMicro = ticksPerMicro(file.subarray(at + 16, at + file.readUInt32LE(at + 4) - 4));
    if (type !== PACKET) continue;
    const ip = at + 28 + ETHERNET;
    const udp = ip + (file[ip] & 15) * 4;
    datagrams.push({
      time: Number((BigInt(file.readUInt32LE(at + 12)) << 32n) + BigInt(file.readUInt32LE(at + 16))) / perMicro,
      from: file.readUInt16BE(udp),
      to: file.readUInt16BE(udp + 2),
      bytes: Uint8Array.from(file.subarray(udp + 8, udp + file.readUInt16BE(udp + 4))),
    });
  }
  return datagrams;
}

function ticksPerMicro(options: Buffer): number {
  for (let at = 0; at + 4 < options.length; at += 4 + Math.ceil(options.readUInt16LE(at + 2) / 4) * 4)
    if (options.readUInt16LE(at) === RESOLUTION) return 10 ** (options[at + 4] - 6);
  return 1;
}

/** `needRecordings('live state', () => ...)` is `describe(...)` where the recordings of real autopilots are. */
export const needRecordings: Block = need(describe, existsSync(fieldCapture()), 'no ../shared/field/autopilot');

/** The datagrams of a recording, such as px4/boot.pcapng. */
export function datagrams(name: string): Datagram[] {
  return capturedDatagrams(fieldCapture(name));
}

/** Ports of the ground stations. */
const STATIONS: ReadonlySet<number> = new Set([14550, 14780, 14781]);
const TICK = 1e5;

/**
 * Pushes what vehicles sent into a collector at the recorded times, with the addresses that it came from.
 * @param at is called ten times a second, after the tick
 */
export function replayDatagrams(
  packets: readonly Datagram[],
  options: Partial<LiveOptions> = {},
  at: (collector: LiveCollector, time: number) => void = () => undefined,
): { collector: LiveCollector; events: LiveEvent[] } {
  const events: LiveEvent[] = [];
  const collector = new LiveCollector({ ...options, send: () => undefined });
  collector.subscribe((event) => event.type !== 'message' && events.push(event));
  let now = packets[0].time;
  for (const { time, from, to, bytes } of packets) {
    if (!STATIONS.has(to)) continue;
    for (; now <= time; now += TICK) {
      collector.tick(now);
      at(collector, now);
    }
    collector.receive(`udpin:${to}`, bytes, time, `127.0.0.1:${from}`);
  }
  return { collector, events };
}

const COMMAND_LONG = 76;
const COMMAND_ACK = 77;

/** What the vehicle of a recording answered to each command that asks for a message: MAV_RESULT by `COMMAND MESSAGE`. */
export function recordedAnswers(name: string): Map<string, number> {
  const answers = new Map<string, number>();
  const asked = new Map<number, string>();
  for (const { bytes, to } of datagrams(name)) {
    if (bytes[0] !== 0xfd) continue;
    const id = bytes[7] | (bytes[8] << 8) | (bytes[9] << 16);
    const payload = new DataView(new ArrayBuffer(255));
    for (let i = 0; i < bytes[1]; i++) payload.setUint8(i, bytes[10 + i]);
    if (id === COMMAND_LONG && !STATIONS.has(to)) {
      const command = payload.getUint16(28, true);
      asked.set(command, `${command} ${payload.getFloat32(0, true)}`);
    } else if (id === COMMAND_ACK && STATIONS.has(to)) {
      const key = asked.get(payload.getUint16(0, true));
      if (key !== undefined && !answers.has(key)) answers.set(key, payload.getUint8(2));
    }
  }
  return answers;
}
