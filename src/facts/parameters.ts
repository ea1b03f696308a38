import type { Column } from '../core/column.ts';
import type { Log } from '../core/log.ts';
import type { Facts } from './facts.ts';
import { type Autopilot, PX4 } from './heartbeat.ts';
import { leaveOut, mostOf } from './left-out.ts';

/** PX4 sends the checksum of all parameters as if it were one. */
const CHECKSUM = '_HASH_CHECK';

/** A parameter with its last value and what it was before. */
export interface Parameter {
  readonly name: string;
  readonly value: number;
  /** The firmware's default, where the log gives it. */
  readonly default: number | null;
  /** Every value that differs from the one before it, the first one included. */
  readonly changes: readonly { readonly time: number; readonly value: number }[];
}

/**
 * The parameters of a log by name, in the order in which they first came.
 * @param stream of several vehicles the one that is meant, by the stream of its heartbeats
 */
export async function findParameters(facts: Facts, stream?: string): Promise<Map<string, Parameter>> {
  const { log } = facts;
  const found = new Map<string, { name: string; value: number; default: number | null; changes: Change[] }>();
  const autopilot = await facts.autopilot(stream);
  const sent = log.tablesNamed('PARAM_VALUE').filter((table) => autopilot && table.stream === autopilot.table.stream);
  const isBytewise = sent.length > 0 && autopilot !== undefined && (await sendsBytes(log, autopilot));
  const most = mostOf((await facts.autopilots()).length);
  let [changes, unnamed, untold] = [0, 0, 0];
  for (const table of [...log.tablesNamed('PARM'), ...sent]) {
    const isMessage = table.name !== 'PARM';
    const fields = isMessage ? ['param_id', 'param_value'] : ['Name', 'Value', 'Default'];
    if (table.rows === 0 || !table.field(fields[0]) || !table.field(fields[1])) continue;
    const types = isMessage && isBytewise && table.field('param_type') ? await table.column('param_type') : undefined;
    const wanted = fields.filter((name) => table.field(name));
    const { times, columns } = await table.timedColumns(wanted);
    const [names, values, defaults] = columns;
    for (let row = 0; row < table.rows; row++) {
      const name = String(names.at(row));
      if (isMessage && name === CHECKSUM) continue;
      const value = types ? valueOfBytes(values, types, row) : Number(values.at(row));
      const initial = Number(defaults?.at(row) ?? Number.NaN);
      const before = found.get(name);
      if (!before && found.size >= most) unnamed++;
      else if (!before) {
        const change = { time: times[row], value };
        found.set(name, { name, value, default: Number.isNaN(initial) ? null : initial, changes: [change] });
      } else {
        if (!Object.is(before.value, value) && ++changes > most) untold++;
        else if (!Object.is(before.value, value)) before.changes.push({ time: times[row], value });
        before.value = value;
        if (!Number.isNaN(initial)) before.default = initial;
      }
    }
  }
  leaveOut(log, 'parameters', stream ?? '', unnamed);
  leaveOut(log, 'changes of parameters', stream ?? '', untold);
  return found;
}

/*
 * PARAM_VALUE carries all parameters in one float32, https://mavlink.io/en/services/parameter.html
 *
 *     C cast      an integer as the float32 that is nearest: ArduPilot
 *     byte-wise   the bytes of the integer in the place of those of the float32: PX4
 */
const BYTEWISE = 16;
/** MAV_PARAM_TYPE: how many bits of the four bytes an integer has, and whether it has a sign. */
const INTEGERS: ReadonlyMap<number, (word: number) => number> = new Map([
  [1, (word: number): number => word & 0xff],
  [2, (word: number): number => (word << 24) >> 24],
  [3, (word: number): number => word & 0xffff],
  [4, (word: number): number => (word << 16) >> 16],
  [5, (word: number): number => word >>> 0],
  [6, (word: number): number => word | 0],
]);

/** Whether an autopilot puts the bytes of integers into the place of a number. */
async function sendsBytes(log: Log, { autopilot, table }: Autopilot): Promise<boolean> {
  if (autopilot === PX4) return true;
  const version = log.table('AUTOPILOT_VERSION', table.stream);
  if (!version?.field('capabilities') || version.rows === 0) return false;
  const capabilities = (await version.column('capabilities', { from: version.rows - 1 })).exact(0);
  return (Number(capabilities & 0xffffn) & BYTEWISE) !== 0;
}

function valueOfBytes(values: Column, types: Column, row: number): number {
  const integer = INTEGERS.get(Number(types.at(row)));
  return integer && values.bits32 ? integer(values.bits32[row]) : Number(values.at(row));
}

interface Change {
  readonly time: number;
  readonly value: number;
}
