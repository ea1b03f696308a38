import type { Row } from '../core/table.ts';
import { number } from './battery.ts';

/** A telemetry radio: both ends, in the radio's own units; a SiK radio has dBm = rssi / 1.9 - 127. */
export interface RadioState {
  readonly rssi: number | null;
  readonly remoteRssi: number | null;
  readonly noise: number | null;
  readonly remoteNoise: number | null;
  /** Percent of the transmit buffer that is free. */
  readonly free: number | null;
  readonly errors: number | null;
  readonly corrected: number | null;
  readonly time: number;
}

/** The channels of the pilot's receiver, in microseconds; those that are not used are null. */
export interface RcState {
  readonly channels: readonly (number | null)[];
  /** 0 to 254, or null. */
  readonly rssi: number | null;
  readonly time: number;
}

const CHANNELS = 18;

/** RADIO_STATUS. */
export function radioOf(row: Row, time: number): RadioState {
  return {
    rssi: number(row.rssi),
    remoteRssi: number(row.remrssi),
    noise: number(row.noise),
    remoteNoise: number(row.remnoise),
    free: number(row.txbuf),
    errors: number(row.rxerrors),
    corrected: number(row.fixed),
    time,
  };
}

/** RC_CHANNELS, which says how many there are, or RC_CHANNELS_RAW, which has eight. */
export function rcOf(row: Row, time: number): RcState {
  const named = Array.from({ length: CHANNELS }, (_, i) => row[`chan${i + 1}_raw`]);
  const all = named.filter((value) => value !== undefined).map(number);
  const count = number(row.chancount);
  return { channels: count === null ? all : all.slice(0, count), rssi: number(row.rssi), time };
}
