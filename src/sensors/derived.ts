import type { Protocol } from '../core/format.ts';
import type { Log } from '../core/log.ts';
import { DerivedTable } from './derived-table.ts';

type Derive = (log: Log) => Promise<DerivedTable[]>;

const gnss: Derive = async (log) => (await import('./gnss-rows.ts')).gnssTables(log);
const imu: Derive = async (log) => (await import('./imu.ts')).imuTables(log);

/** What can be made of the tables of a log, by protocol; loaded for such logs only. */
const DERIVATIONS: readonly (readonly [Protocol, Derive])[] = [
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

/** The same table, with offsets in the capture: its records are in the payload of the packets. */
function placed(log: Log, table: DerivedTable): DerivedTable {
  return new DerivedTable({
    ...table.derivation,
    async *records() {
      for await (const row of table.records()) yield { ...row, at: log.placeOf(row.at) };
    },
  });
}
