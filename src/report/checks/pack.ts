import { CELL_KEYS, type PackKey } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';

/** The voltage of the pack: as it is told, or the sum of what is told of its cells. */
export function packVoltage({ values, times }: Reading<PackKey>): Float64Array | undefined {
  if (values.volts) return values.volts;
  const cells = CELL_KEYS.flatMap((key) => values[key] ?? []);
  if (cells.length === 0) return undefined;
  return times.map((_, row) => cells.reduce((sum, volts) => sum + (volts[row] > 0 ? volts[row] : 0), 0));
}
