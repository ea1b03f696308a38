import type { Clock } from '../../core/clock.ts';
import type { ClockInput } from '../../core/format.ts';
import type { RecordTable } from '../../core/table.ts';
import {
  dateWords,
  findTimeline,
  partRemarks,
  type RawTimes,
  reportOutliers,
  SHORT_PAUSE,
} from '../../time/timeline.ts';

/** Microseconds by which packets may be written late. */
const LATE = 30e6;

/** The clock of a packet capture: a record has the time at which the packet was captured that completed it. */
export async function captureClock({ tables, decoder, faults }: ClockInput): Promise<Clock> {
  const timeOf = (offset: number): number => decoder?.timeOf?.(offset) ?? Number.NaN;
  const first = decoder?.capture?.().start ?? Number.NaN;
  const isTimed =
    !Number.isNaN(first) || tables.some(({ rows, offsets }) => rows > 0 && !Number.isNaN(timeOf(offsets.at(0))));
  const timesOf = async ({ offsets }: RecordTable, from: number, to: number): Promise<Float64Array> =>
    Float64Array.from({ length: to - from }, (_, i) => timeOf(offsets.at(from + i)));
  // packets of several interfaces are not written in the order in which they came
  const raw: RawTimes = {
    tables: tables.filter(({ rows }) => rows > 0),
    late: LATE,
    pause: SHORT_PAUSE,
    times: timesOf,
  };
  const starts = decoder?.seams?.() ?? [];
  const line = faults && (starts.length > 0 || !decoder?.isSteady?.()) ? await findTimeline(raw, starts) : undefined;
  if (line && faults) reportOutliers(line, faults, dateWords);
  const parts = line && line.stretches.length > 1 ? line.parts : undefined;
  return {
    kind: 'pcap',
    utc: isTimed,
    source: isTimed ? 'times at which packets were captured' : 'the capture has no times',
    remarks: isTimed ? [...(await replayRemarks(raw)), ...(parts ? partRemarks(parts, true) : [])] : [],
    parts,
    range: line?.range,
    timesAll: true,
    field: () => undefined,
    fromField: () => new Float64Array(0),
    times: async (table, from, to) => {
      const times = await timesOf(table, from, to);
      return line?.correct(times, table.offsets, from) ?? times;
    },
  };
}

/** How much faster than packets a vehicle's clock goes on in a recording that was replayed, and for how long, in µs. */
const FASTER = 10;
const REPLAYED = 10e6;

/** Says where packets came much faster than the vehicle's time since boot went on: their times are those of a replay. */
async function replayRemarks({ tables, times }: RawTimes): Promise<string[]> {
  const booted = tables.filter((table) => table.rows > 2 && table.field('time_boot_ms') !== undefined);
  const table = booted.toSorted((a, b) => b.rows - a.rows)[0];
  if (!table) return [];
  const own: number[] = [];
  const captured: number[] = [];
  for (const row of [0, table.rows >> 1, table.rows - 1]) {
    own.push((await table.column('time_boot_ms', { from: row, to: row + 1 })).numbers()[0] * 1000);
    captured.push((await times(table, row, row + 1))[0]);
  }
  // both halves, since a reboot or a second vehicle makes one jump
  const isFast = [1, 2].every((i) => own[i] - own[i - 1] > FASTER * (captured[i] - captured[i - 1]) + REPLAYED);
  if (!isFast) return [];
  const [all, seen] = [own[2] - own[0], captured[2] - captured[0]].map((micros) => `${(micros / 1e6).toFixed(3)} s`);
  return [`${table.name} took ${seen} by packets, ${all} by the vehicle's time since boot: a recording was replayed`];
}
