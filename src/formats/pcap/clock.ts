import type { Clock } from '../../core/clock.ts';
import type { ClockInput } from '../../core/format.ts';
import type { Table } from '../../core/table.ts';
import { dateWords, findTimeline, type RawTimes, reportOutliers } from '../../time/timeline.ts';

/** Microseconds by which packets may be written late. */
const LATE = 30e6;

/** The clock of a packet capture: a record has the time at which the packet was captured that completed it. */
export async function captureClock({ tables, decoder, faults }: ClockInput): Promise<Clock> {
  const timeOf = (offset: number): number => decoder?.timeOf?.(offset) ?? Number.NaN;
  const first = decoder?.capture?.().start ?? Number.NaN;
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
  const line = faults && !decoder?.isSteady?.() ? await findTimeline(raw) : undefined;
  if (line && faults) reportOutliers(line, faults, dateWords);
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
