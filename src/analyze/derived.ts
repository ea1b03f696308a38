import type { Log } from '../core/log.ts';
import type { DerivedTable } from './derived-table.ts';
import { gnssTables } from './gnss-table.ts';
import { imuTables } from './imu-table.ts';

/** What can be made of the tables of a log, by its format. */
const DERIVATIONS: Readonly<Record<string, (log: Log) => DerivedTable[]>> = {
  mixed: (log) => [...gnssTables(log), ...imuTables(log)],
  nmea: gnssTables,
  pcap: (log) => [...gnssTables(log), ...imuTables(log)].map((table) => placed(log, table)),
  xbus: imuTables,
};

/** The tables that can be made from those of a log: in units of one kind, checked, and rated. */
export function derivedTables(log: Log): DerivedTable[] {
  return Object.hasOwn(DERIVATIONS, log.format) ? DERIVATIONS[log.format](log) : [];
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
