import { describe, expect, test } from 'vitest';
import { i32, message, UlogWriter, u8, u64 } from '../../../test/formats/ulog/writer.ts';
import { concat } from '../../../test/suite/random.ts';
import { openInput } from '../open.ts';

const UTC = Date.UTC(2024, 4, 17, 12) * 1000;
const SECOND = 1e6;

/** A log that begins some time after boot, with topics of times and of a receiver. */
function begin(): UlogWriter {
  return new UlogWriter()
    .header(1, SECOND)
    .flags()
    .format('cpuload:uint64_t timestamp;float load;')
    .format('vehicle_gps_position:uint64_t timestamp;uint64_t time_utc_usec;uint8_t fix_type;')
    .format('sensor_gps:uint64_t timestamp;uint64_t time_utc_usec;')
    .subscribe(0, 'cpuload')
    .subscribe(1, 'vehicle_gps_position')
    .subscribe(2, 'vehicle_gps_position', 1)
    .subscribe(3, 'sensor_gps');
}

const load = (writer: UlogWriter, ...times: number[]): UlogWriter => {
  for (const time of times) writer.data(0, u64(time), i32(0));
  return writer;
};

async function clockOf(...writers: UlogWriter[]) {
  const log = await openInput(concat(...writers.map((writer) => writer.bytes())));
  const { kind, utc, source, remarks, parts } = log.clock;
  return { kind, utc, source, remarks, parts, times: [...((await log.table('cpuload')?.times()) ?? [])] };
}

describe('a ULog', () => {
  test('is on UTC by the middle of what its receiver says with a fix', async () => {
    const writer = load(begin(), 2 * SECOND);
    // the first says nonsense without a fix, three agree within 3 ms, one is far off
    writer.data(1, u64(3 * SECOND), u64(UTC - 9e15 / 9), u8(2));
    for (const [after, off] of [
      [4, 0],
      [5, 3000],
      [6, 1000],
    ])
      writer.data(1, u64(after * SECOND), u64(UTC + after * SECOND + off), u8(3));
    expect(await clockOf(writer)).toMatchObject({
      kind: 'gps',
      utc: true,
      source: '3 records of vehicle_gps_position with a fix: started at 2024-05-17T12:00:00.001Z, 3.0 ms apart',
      times: [UTC + 1000 + 2 * SECOND],
    });
  });

  test('takes a receiver without a fix, another instance, or another topic where there is no better', async () => {
    const without = load(begin(), SECOND).data(1, u64(3 * SECOND), u64(UTC + 3 * SECOND), u8(0));
    expect((await clockOf(without)).source).toMatch(/^1 records of vehicle_gps_position: started at 2024-05-17/);
    const second = load(begin(), SECOND).data(1, u64(3 * SECOND), u64(0), u8(3));
    second.data(2, u64(4 * SECOND), u64(UTC + 4 * SECOND), u8(3));
    expect((await clockOf(second)).source).toMatch(/^1 records of vehicle_gps_position\[1\] with a fix: /);
    const other = load(begin(), SECOND).data(3, u64(3 * SECOND), u64(UTC + 3 * SECOND));
    expect((await clockOf(other)).times).toEqual([UTC + SECOND]);
  });

  test('does not believe dates before 2010 and after 2100', async () => {
    for (const year of [2009, 2100]) {
      const wrong = load(begin(), SECOND).data(1, u64(3 * SECOND), u64(Date.UTC(year, 11) * 1000), u8(3));
      expect(await clockOf(wrong)).toMatchObject({ kind: 'since-boot', utc: false, times: [SECOND] });
    }
  });

  test('is on UTC by what the vehicle knew at its boot, if that is a date', async () => {
    const boot = (micros: number): UlogWriter => load(begin().info('uint64_t boot_time_utc_us', u64(micros)), SECOND);
    expect(await clockOf(boot(UTC))).toMatchObject({
      kind: 'boot',
      source: 'boot_time_utc_us: started at 2024-05-17T12:00:00.000Z',
      times: [UTC + SECOND],
    });
    expect(await clockOf(boot(5))).toMatchObject({ kind: 'since-boot', times: [SECOND] });
  });

  test('may have dates for its times', async () => {
    expect(await clockOf(load(begin(), UTC, UTC + SECOND))).toMatchObject({
      kind: 'date',
      utc: true,
      times: [UTC, UTC + SECOND],
    });
  });

  test('counts from boot where nobody knows UTC, and has no time where a record says none', async () => {
    expect(await clockOf(load(begin(), 0, 5, 2e16))).toMatchObject({
      kind: 'since-boot',
      utc: false,
      source: 'neither GPS nor the log has UTC: times count from boot',
      times: [Number.NaN, 5, Number.NaN],
    });
    const nothing = new UlogWriter().header().flags().format('a:uint8_t b;').subscribe(0, 'a').data(0, u8(1));
    expect((await openInput(nothing.bytes())).clock.kind).toBe('none');
  });

  test('says what the vehicle called it', async () => {
    const named = load(begin(), SECOND).text(
      6,
      SECOND,
      '[logger] Opened full log file: /fs/microsd/log/a/12_00_00.ulg',
    );
    expect((await clockOf(named)).remarks).toEqual([
      'the vehicle called the log /fs/microsd/log/a/12_00_00.ulg, by its local time',
    ]);
  });

  test('may be several: each has its own base, or begins where the one before ends', async () => {
    const first = load(begin(), SECOND, 5 * SECOND).data(1, u64(3 * SECOND), u64(UTC + 3 * SECOND), u8(3));
    const later = UTC + 3600 * SECOND;
    const third = load(begin(), 2 * SECOND).data(1, u64(3 * SECOND), u64(later + 3 * SECOND), u8(3));
    const { parts, times } = await clockOf(first, load(begin(), 7 * SECOND, 9 * SECOND), third);
    expect(times).toEqual([UTC + SECOND, UTC + 5 * SECOND, UTC + 5 * SECOND, UTC + 7 * SECOND, later + 2 * SECOND]);
    expect(parts?.map(({ start, end }) => [start - UTC, end - UTC])).toEqual([
      [SECOND, 5 * SECOND],
      [5 * SECOND, 7 * SECOND],
      [3602 * SECOND, 3603 * SECOND],
    ]);
  });

  test('is not misled by a message that looks like one of another kind', async () => {
    const damaged = load(begin(), SECOND).raw(message('?', u8(1, 2, 3)));
    expect((await clockOf(damaged)).times).toEqual([SECOND]);
  });
});
