import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { findAutopilot } from './heartbeat.ts';

/** A parameter with its last value and what it was before. */
export interface Parameter {
  readonly name: string;
  readonly value: number;
  /** The firmware's default, where the log gives it. */
  readonly default: number | null;
  /** Every value that differs from the one before it, the first one included. */
  readonly changes: readonly { readonly time: number; readonly value: number }[];
}

/** The parameters of a log by name, in the order in which they first came. */
export async function findParameters(log: Log): Promise<Map<string, Parameter>> {
  const found = new Map<string, { name: string; value: number; default: number | null; changes: Change[] }>();
  const tables = [...log.tablesNamed('PARM'), ...(await messageTables(log))];
  for (const table of tables) {
    const fields = table.name === 'PARM' ? ['Name', 'Value', 'Default'] : ['param_id', 'param_value'];
    if (table.rows === 0 || !table.field(fields[0]) || !table.field(fields[1])) continue;
    const wanted = fields.filter((name) => table.field(name));
    const { times, columns } = await table.timedColumns(wanted);
    const [names, values, defaults] = columns;
    for (let row = 0; row < table.rows; row++) {
      const name = String(names.at(row));
      const value = Number(values.at(row));
      const initial = Number(defaults?.at(row) ?? Number.NaN);
      const known = found.get(name);
      if (!known) {
        const change = { time: times[row], value };
        found.set(name, { name, value, default: Number.isNaN(initial) ? null : initial, changes: [change] });
      } else {
        if (!Object.is(known.value, value)) known.changes.push({ time: times[row], value });
        known.value = value;
        if (!Number.isNaN(initial)) known.default = initial;
      }
    }
  }
  return found;
}

/** Parameters of the autopilot that a log of messages is about; those of its components are others. */
async function messageTables(log: Log): Promise<Table[]> {
  const stream = (await findAutopilot(log))?.table.stream;
  return log.tablesNamed('PARAM_VALUE').filter((table) => table.stream === stream);
}

interface Change {
  readonly time: number;
  readonly value: number;
}
