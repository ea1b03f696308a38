import type { Log } from '../../core/log.ts';
import { PayloadCodec } from './schema.ts';

/** Messages of one kind in another protocol than those that are decoded. */
export interface Traffic {
  readonly protocol: 'UBX' | 'RTCM';
  readonly message: string;
  readonly count: number;
  /** Of whole frames, their headers and checksums included. */
  readonly bytes: number;
}

/** Bytes around a payload. */
const AROUND = { UBX: 8, RTCM: 6 } as const;

/** UBX and RTCM messages of a log by their names: how many there are, and the bytes that they take. */
export async function findTraffic(log: Log): Promise<Traffic[]> {
  const found = new Map<string, Traffic>();
  for (const table of log.tables) {
    if (!(table.schema.codec instanceof PayloadCodec) || table.rows === 0) continue;
    const lengths = (await table.column('length')).numbers();
    const protocol = /^\d+$/.test(table.name) ? 'RTCM' : 'UBX';
    const bytes = lengths.reduce((sum, length) => sum + length + AROUND[protocol], 0);
    const before = found.get(table.name);
    const [count, all] = [table.rows + (before?.count ?? 0), bytes + (before?.bytes ?? 0)];
    found.set(table.name, { protocol, message: table.name, count, bytes: all });
  }
  return [...found.values()];
}
