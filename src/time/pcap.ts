import type { Clock } from '../core/clock.ts';
import type { Table } from '../core/table.ts';

/** The clock of a packet capture: a record has the time at which the packet was captured that completed it. */
export function captureClock(tables: readonly Table[], timeOf: (offset: number) => number): Clock {
  const isTimed = tables.some(({ rows, offsets }) => rows > 0 && !Number.isNaN(timeOf(offsets.at(0))));
  return {
    kind: 'pcap',
    utc: isTimed,
    source: isTimed ? 'times at which packets were captured' : 'the capture has no times',
    remarks: [],
    isOwn: true,
    field: () => undefined,
    fromField: () => new Float64Array(0),
    times: async ({ offsets }, from, to) =>
      Float64Array.from({ length: to - from }, (_, i) => timeOf(offsets.at(from + i))),
  };
}
