/*
 * Flights of a simulator as a real vehicle would have logged them: without the records, messages and parameters that
 * only a simulator writes.
 */

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

/** Bytes of the types of a ULog. */
const TYPE_BYTES: Readonly<Record<string, number>> = {
  int8_t: 1,
  uint8_t: 1,
  bool: 1,
  char: 1,
  int16_t: 2,
  uint16_t: 2,
  int32_t: 4,
  uint32_t: 4,
  float: 4,
  int64_t: 8,
  uint64_t: 8,
  double: 8,
};

/** Where a field of a topic without nested types lies in its data. */
function placeOf(format: string, wanted: string): number {
  let at = 0;
  for (const member of format.slice(format.indexOf(':') + 1).split(';')) {
    const [type, name] = member.trim().split(' ');
    const [, base, count = '1'] = /^(\w+)(?:\[(\d+)\])?$/.exec(type) ?? [];
    if (name === wanted) return at;
    at += TYPE_BYTES[base] * Number(count);
  }
  throw new Error(`${format.slice(0, 40)} has no ${wanted}`);
}

/**
 * A ULog of PX4 without parameters of a simulator, texts and commands that inject a failure, and what the injection
 * says which motors stop.
 */
export function withoutSimulatorUlog(bytes: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [bytes.subarray(0, 16)];
  const formats = new Map<string, string>();
  const topics = new Map<number, string>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 16; at + 3 <= bytes.length; ) {
    const length = 3 + view.getUint16(at, true);
    const message = bytes.slice(at, at + length);
    const type = String.fromCharCode(message[2]);
    const text = latin.decode(message.subarray(3));
    at += length;
    if (type === 'F') formats.set(text.slice(0, text.indexOf(':')), text);
    if (type === 'A') topics.set(message[4] | (message[5] << 8), text.slice(3));
    if ((type === 'P' || type === 'Q') && / (SIM|SIH)_/.test(text)) continue;
    if (type === 'L' && /inject.failure/i.test(text)) continue;
    const topic = type === 'D' ? topics.get(message[3] | (message[4] << 8)) : undefined;
    const offsetOf = (field: string): number => 5 + placeOf(formats.get(topic ?? '') ?? '', field);
    if (topic === 'vehicle_command') {
      const command = offsetOf('command');
      if ((message[command] | (message[command + 1] << 8)) === INJECT_FAILURE) continue;
    }
    if (topic === 'failure_detector_status' || topic === 'control_allocator_status') {
      const mask = offsetOf('motor_stop_mask');
      message.fill(0, mask, mask + 2);
    }
    kept.push(message);
  }
  return joined(kept);
}
