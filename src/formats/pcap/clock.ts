import type { Clock } from '../../core/clock.ts';
import type { FaultList } from '../../core/fault.ts';
import type { Table } from '../../core/table.ts';
import { dateWords, findTimeline, type RawTimes, reportOutliers } from '../../time/timeline.ts';

/** Microseconds by which packets may be written late. */
const LATE = 30e6;

/**
 * The clock of a packet capture: a record has the time at which the packet was captured that completed it.
 * @param first when the first packet was captured, which may have no record
 * @param faults of a capture whose packets do not follow each other in time: what is not believed is added to them
 */
export async function captureClock(
  tables: readonly Table[],
  timeOf: (offset: number) => number,
  first: number,
  faults?: FaultList,
): Promise<Clock> {
  const isTimed =
    !Number.isNaN(first) || tables.some(({ rows, offsets }) => rows > 0 && !Number.isNaN(timeOf(offsets.at(0))));
  const timesOf = async ({ offsets }: Table, from: number, to: number): Promise<Float64Array> =>
    Float64Array.from({ length: to - from }, (_, i) => timeOf(offsets.at(from + i)));
  // packets of several interfaces are not written in the order in which they came
  const raw: RawTimes = {
    tables: tables.filter(({ rows }) => rows > 0),
    late: LATE,
    times: timesOf,
  };
  const line = faults && (await findTimeline(raw));
  if (line) reportOutliers(line, faults, dateWords);
  return {
    kind: 'pcap',
    utc: isTimed,
    source: isTimed ? 'times at which packets were captured' : 'the capture has no times',
    remarks: [],
    timesAll: true,
    field: () => undefined,
    fromField: () => new Float64Array(0),
    times: async (table, from, to) => {
      const times = await timesOf(table, from, to);
      return line?.correct(times, table.offsets, from) ?? times;
    },
  };
}
