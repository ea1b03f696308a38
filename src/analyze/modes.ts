import type { Log } from '../core/log.ts';
import { customModeName, findAutopilot } from './heartbeat.ts';
import { modeName, type VehicleClass } from './mode-names.ts';

/** A stretch of time in one flight mode. */
export interface ModeSpan {
  readonly mode: string;
  /** Microseconds; the end is that of the next mode, or of the log. */
  readonly start: number;
  readonly end: number;
  /** Why it was entered, as the firmware counts reasons; null where the log does not say. */
  readonly reason: number | null;
}

interface Change {
  readonly mode: string;
  readonly start: number;
  readonly reason: number | null;
  readonly offset: number;
}

/** What the heartbeats of the autopilot say, for a log of messages. */
async function heartbeatModes(log: Log, stream: string | undefined): Promise<Change[]> {
  const autopilot = await findAutopilot(log, stream);
  if (!autopilot?.table.field('custom_mode')) return [];
  const { table } = autopilot;
  const { times, columns } = await table.timedColumns(['custom_mode']);
  const modes = columns[0].numbers();
  const changes: Change[] = [];
  for (let row = 0; row < table.rows; row++) {
    if (row > 0 && modes[row] === modes[row - 1]) continue;
    const mode = customModeName(autopilot, modes[row]);
    changes.push({ mode, start: times[row], reason: null, offset: table.offsets.at(row) });
  }
  return changes;
}

/**
 * The flight modes of a log in order. A record that repeats the mode before it begins no new stretch.
 * @param stream of several vehicles the one that is meant, by the stream of its heartbeats
 */
export async function findModes(
  log: Log,
  kind: VehicleClass | null,
  end: number,
  stream?: string,
): Promise<ModeSpan[]> {
  const changes: Change[] = await heartbeatModes(log, stream);
  for (const table of log.tablesNamed('MODE')) {
    if (table.rows === 0 || !table.field('Mode')) continue;
    const { times, columns } = await table.timedColumns(table.fields.map(({ name }) => name));
    const byName = (name: string): (typeof columns)[number] | undefined =>
      columns.find((column) => column.field.name === name);
    for (let row = 0; row < table.rows; row++) {
      const mode = byName('ModeNum')?.at(row) ?? byName('Mode')?.at(row);
      const name = typeof mode === 'number' ? modeName(kind, mode) : String(mode);
      const reason = byName('Rsn')?.at(row);
      const offset = table.offsets.at(row);
      changes.push({ mode: name, start: times[row], reason: typeof reason === 'number' ? reason : null, offset });
    }
  }
  changes.sort((a, b) => a.offset - b.offset);
  const spans = changes.filter((change, i) => i === 0 || change.mode !== changes[i - 1].mode);
  return spans.map(({ mode, start, reason }, i) => ({ mode, start, end: spans[i + 1]?.start ?? end, reason }));
}
