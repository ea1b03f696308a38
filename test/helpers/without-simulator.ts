/*
 * Flights of a simulator as a real vehicle would have logged them: without the records, messages and parameters that
 * only a simulator writes.
 */

import { alteredLog, joined } from './altered-log.ts';

/** SIMSTATE and SIM_STATE. */
const SIM_MESSAGES: ReadonlySet<number> = new Set([164, 108]);
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
