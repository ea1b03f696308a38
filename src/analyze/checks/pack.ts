import type { Quantity, Reading } from '../series.ts';

export type PackKey = 'volts' | 'current' | 'remaining' | 'resistance' | CellKey;
type CellKey = (typeof CELL_KEYS)[number];

/** Voltages of BATTERY_STATUS: of cells, or of the whole in steps that a cell's field can hold. */
const CELL_KEYS = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9'] as const;

/** Packs. Before floats were logged volts and amperes were hundredths; amperes of MAVLink are, too. */
export const PACKS: Quantity<PackKey> = [
  [
    ...[['BAT'], ['BAT2', '1']].map(([table, instance]) => ({
      table,
      ...(instance === undefined ? {} : { instance }),
      fields: { volts: 'Volt', current: 'Curr', remaining: 'RemPct', resistance: 'Res' },
    })),
  ],
  [
    ...[['CURR'], ['CUR2', '1'], ['CURR2', '1']].map(([table, instance]) => ({
      table,
      ...(instance === undefined ? {} : { instance }),
      fields: { volts: { name: 'Volt', whole: 0.01 }, current: { name: 'Curr', whole: 0.01 } },
    })),
  ],
  [
    {
      table: 'BATT',
      fields: { volts: ['VFilt', 'V'], current: ['CFilt', 'C'], remaining: { name: 'Remaining', factor: 100 } },
    },
  ],
  [
    {
      table: 'BATTERY_STATUS',
      fields: {
        ...(Object.fromEntries(CELL_KEYS.map((key, k) => [key, { name: 'voltages', element: k }])) as Record<
          CellKey,
          { name: string; element: number }
        >),
        current: 'current_battery',
        remaining: 'battery_remaining',
      },
    },
  ],
  [
    {
      table: 'SYS_STATUS',
      fields: { volts: 'voltage_battery', current: 'current_battery', remaining: 'battery_remaining' },
    },
  ],
];

/** The voltage of the pack: as it is told, or the sum of what is told of its cells. */
export function packVoltage({ values, times }: Reading<PackKey>): Float64Array | undefined {
  if (values.volts) return values.volts;
  const cells = CELL_KEYS.flatMap((key) => values[key] ?? []);
  if (cells.length === 0) return undefined;
  return times.map((_, row) => cells.reduce((sum, volts) => sum + (volts[row] > 0 ? volts[row] : 0), 0));
}
