import { UsageError } from './failure.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const BYTES: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** A time such as 30s, 10m, 2h or 7d, in seconds. */
export function secondsOf(text: string, option: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined || Number(count) === 0)
    throw new UsageError(`${option} ${text}: expected a time such as 30s, 10m, 2h or 7d`);
  return Number(count) * SECONDS[unit];
}

/** A size such as 500M or 2G, in bytes. */
export function bytesOf(text: string, option: string): number {
  const [, count, unit] = /^(\d{1,6})([KMGT])$/.exec(text) ?? [];
  if (count === undefined || Number(count) === 0)
    throw new UsageError(`${option} ${text}: expected a size such as 500M or 2G`);
  return Number(count) * BYTES[unit];
}
