/*
 * Flights of a simulator as a real vehicle would have logged them: without the records, messages and parameters that
 * only a simulator writes.
 */

import { TYPES } from '../formats/ulog/reference.ts';
import { alteredLog, joined } from './altered-log.ts';

/** SIMSTATE and SIM_STATE. */
const SIM_MESSAGES: ReadonlySet<number> = new Set([164, 108]);
/** MAV_CMD_INJECT_FAILURE */
const INJECT_FAILURE = 420;
const STATUSTEXT = 253;
const PARAM_VALUE = 22;

const latin = new TextDecoder('latin1');

/** A DataFlash log (binary) without SIM, SIM2 and the like, SIM_ parameters, and texts that begin with SIM. */
export function withoutSimulatorRecords(bytes: Uint8Array): Uint8Array {
  return alteredLog(bytes, (record) => {
    const { name } = record;
    const words =
      name === 'FMT' || name === 'PARM' ? record.text('Name') : name === 'MSG' ? record.text('Message') : '';
    return !name.startsWith('SIM') && !words.startsWith(name === 'PARM' ? 'SIM_' : 'SIM');
  });
}

/** A telemetry log without messages of a simulator, SIM_ parameters, and texts that begin with SIM. */
export function withoutSimulatorMessages(bytes: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  for (let at = 0; at + 20 <= bytes.length; ) {
    const isV2 = bytes[at + 8] === 0xfd;
    if (!isV2 && bytes[at + 8] !== 0xfe) {
      // boot text: each of its bytes has a stamp
      kept.push(bytes.subarray(at, at + 9));
      at += 9;
      continue;
    }
    const payload = bytes[at + 9];
    const signed = isV2 && (bytes[at + 10] & 1) !== 0 ? 13 : 0;
    const [head, id] = isV2
      ? [10, bytes[at + 15] | (bytes[at + 16] << 8) | (bytes[at + 17] << 16)]
      : [6, bytes[at + 13]];
    const length = 8 + head + payload + 2 + signed;
    const frame = bytes.subarray(at, at + length);
    const body = latin.decode(frame.subarray(8 + head, 8 + head + payload));
    at += length;
    if (SIM_MESSAGES.has(id)) continue;
    if (id === STATUSTEXT && body.slice(1).startsWith('SIM')) continue;
    if (id === PARAM_VALUE && body.slice(8).startsWith('SIM_')) continue;
    kept.push(frame);
  }
  return joined(kept);
}

/** Where a field of a topic without nested types lies in its data. */
function placeOf(format: string, wanted: string): number {
  let at = 0;
  for (const member of format.slice(format.indexOf(':') + 1).split(';')) {
    const [type, name] = member.trim().split(' ');
    const [, base, count = '1'] = /^(\w+)(?:\[(\d+)\])?$/.exec(type) ?? [];
    if (name === wanted) return at;
    at += TYPES[base] * Number(count);
  }
  throw new Error(`${format.slice(0, 40)} has no ${wanted}`);
}

/** A data message of a ULog, which can be altered. */
export interface UlogRecord {
  readonly topic: string;
  /** Microseconds since boot. */
  readonly time: number;
  setByte(field: string, value: number): void;
  setFloat(field: string, value: number, element?: number): void;
  /** Two bytes as a number. */
  short(field: string): number;
}

/** A ULog with some of its data altered in place, and without those for which false is returned. */
export function alteredUlog(
  bytes: Uint8Array,
  isKept: (record: UlogRecord) => boolean,
  isMessageKept: (type: string, text: string) => boolean = () => true,
): Uint8Array {
  const kept: Uint8Array[] = [bytes.subarray(0, 16)];
  const formats = new Map<string, string>();
  const topics = new Map<number, string>();
  const all = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 16; at + 3 <= bytes.length; ) {
    const length = 3 + all.getUint16(at, true);
    const message = new Uint8Array(bytes.subarray(at, at + length));
    const view = new DataView(message.buffer);
    const type = String.fromCharCode(message[2]);
    at += length;
    if (type !== 'D') {
      const text = latin.decode(message.subarray(3));
      if (type === 'F') formats.set(text.slice(0, text.indexOf(':')), text);
      if (type === 'A') topics.set(view.getUint16(4, true), text.slice(3));
      if (isMessageKept(type, text)) kept.push(message);
      continue;
    }
    const topic = topics.get(view.getUint16(3, true)) ?? '';
    const offsetOf = (field: string): number => 5 + placeOf(formats.get(topic) ?? '', field);
    const record: UlogRecord = {
      topic,
      time: Number(view.getBigUint64(5, true)),
      setByte: (field, value) => view.setUint8(offsetOf(field), value),
      setFloat: (field, value, element = 0) => view.setFloat32(offsetOf(field) + 4 * element, value, true),
      short: (field) => view.getUint16(offsetOf(field), true),
    };
    if (isKept(record)) kept.push(message);
  }
  return joined(kept);
}

/**
 * A ULog of PX4 without parameters of a simulator, texts and commands that inject a failure, and what the injection
 * says which motors stop.
 */
export function withoutSimulatorUlog(bytes: Uint8Array): Uint8Array {
  return alteredUlog(
    bytes,
    (record) => {
      const { topic } = record;
      if (topic === 'failure_detector_status' || topic === 'control_allocator_status')
        record.setByte('motor_stop_mask', 0);
      return topic !== 'vehicle_command' || record.short('command') !== INJECT_FAILURE;
    },
    (type, text) =>
      !((type === 'P' || type === 'Q') && / (SIM|SIH)_/.test(text)) && !(type === 'L' && /inject.failure/i.test(text)),
  );
}
