import type { Log } from '../../../src/entry/pages.ts';

/** Fields that count from boot, and how many microseconds one of them is. */
const SINCE_BOOT: readonly (readonly [field: string, micros: number])[] = [
  ['TimeUS', 1],
  ['TimeMS', 1000],
  ['time_boot_ms', 1000],
];

/** When the vehicle booted, on the clock of the log; null if unknown. Of several boots the first. */
export async function bootTime({ tables }: Pick<Log, 'tables'>): Promise<number | null> {
  for (const [name, micros] of SINCE_BOOT) {
    for (const table of tables) {
      if (table.rows === 0 || !table.field(name)) continue;
      const { times, columns } = await table.timedColumns([name], { from: 0, to: 1 });
      const boot = times[0] - columns[0].numbers()[0] * micros;
      if (Number.isFinite(boot)) return boot;
    }
  }
  return null;
}
