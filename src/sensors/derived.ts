import type { Protocol } from '../core/format.ts';
import type { Log } from '../core/log.ts';
import type { DerivedTable } from './derived-table.ts';

type Derivation = (log: Log) => Promise<DerivedTable[]>;

const gnss: Derivation = async (log) => (await import('./gnss-rows.ts')).gnssTables(log);
const imu: Derivation = async (log) => (await import('./imu.ts')).imuTables(log);

/** What can be made of the tables of a log, by protocol; loaded for such logs only. */
const DERIVATIONS: readonly (readonly [Protocol, Derivation])[] = [
  ['nmea', gnss],
  ['xbus', imu],
];

/** The tables that can be made from those of a log: in units of one kind, checked, and rated. */
export async function derivedTables(log: Log): Promise<DerivedTable[]> {
  const tables: DerivedTable[] = [];
  for (const [protocol, derive] of DERIVATIONS)
    if (log.kind?.protocols.includes(protocol)) tables.push(...(await derive(log)));
  return log.capture ? tables.map((table) => placed(log, table)) : tables;
}

/** The same table, with places in the capture: its records lie in what was taken out of the packets. */
function placed(log: Log, table: DerivedTable): DerivedTable {
  return {
    ...table,
    async *rows() {
      for await (const row of table.rows()) yield { ...row, at: log.placeOf(row.at) };
    },
  };
}
