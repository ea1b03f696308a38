import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Log } from '../core/log.ts';
import { Header } from '../formats/mavlink/header.ts';
import type { MavlinkOptions } from '../formats/mavlink/options.ts';
import { SETUP_SIGNING } from '../live/frame-splitter.ts';
import { Pacer } from '../live/vehicle/pacer.ts';
import { systemMicros } from '../node/wall-clock.ts';
import { REPLAY_LIMITS } from './limits.ts';
import { playback } from './playback.ts';

export interface PlayOptions extends MavlinkOptions {
  /** How much faster than it was recorded; 1 by default, infinite for as fast as it can be taken. */
  readonly speed?: number | undefined;
  /** Records a second where they have no times. */
  readonly rate?: number | undefined;
  /** Microseconds: longer pauses are shortened to this. */
  readonly longestPause?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How it went. */
export interface Played {
  records: number;
  bytes: number;
  /** Frames with signing keys: they are not sent. */
  secrets: number;
  /** Pauses that were shortened, and times that stepped back. */
  shortened: number;
  steps: number;
}

/** Milliseconds to wait for somebody who takes nothing at the moment. */
const PATIENCE = 5;

/**
 * Hands out the records of a log at the pace at which they came.
 * @param take gets one record and says whether it was taken; otherwise it gets the same again a moment later
 */
export async function play(log: Log, take: (bytes: Uint8Array) => boolean, options: PlayOptions = {}): Promise<Played> {
  const { speed = 1, rate = REPLAY_LIMITS.rate, longestPause = REPLAY_LIMITS.longestPause, signal } = options;
  const pacer = new Pacer({ speed, rate, longestPause, isOneClock: log.clock.kind !== 'boot' });
  const played: Played = { records: 0, bytes: 0, secrets: 0, shortened: 0, steps: 0 };
  const header = new Header();
  // times that are infinitely fast are due at once, also where a record has none
  const isPaced = Number.isFinite(speed);
  let start = Number.NaN;
  for await (const records of playback(log, options)) {
    for (const { bytes, time } of records) {
      if (header.read(bytes, 0) && header.id === SETUP_SIGNING) {
        played.secrets++;
        continue;
      }
      const due = isPaced ? pacer.due(time) : 0;
      if (Number.isNaN(start)) start = systemMicros() - due;
      if (isPaced) await waitUntil(start + due, signal);
      while (!signal?.aborted && !take(bytes)) await sleep(PATIENCE);
      if (signal?.aborted) return played;
      played.records++;
      played.bytes += bytes.length;
      played.shortened = pacer.shortened;
      played.steps = pacer.steps;
      if (played.records % REPLAY_LIMITS.burst === 0) await turn();
    }
  }
  return played;
}

/** Timers are no finer than a millisecond: what is due within one goes now. */
async function waitUntil(time: number, signal: AbortSignal | undefined): Promise<void> {
  for (let left = time - systemMicros(); left > 1000 && !signal?.aborted; left = time - systemMicros()) {
    // also when it takes a minute to the next record, an end is heeded at once
    await sleep(Math.min(left / 1000, 100));
  }
}
