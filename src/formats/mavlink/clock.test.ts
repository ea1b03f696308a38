import { describe, expect, it } from 'vitest';
import { StreamWriter } from '../../../test/formats/mavlink/stream.ts';
import { readRecords } from '../../core/records.ts';
import { openInput } from '../open.ts';

const UTC = 1_700_000_000_000_000;

class Writer extends StreamWriter {
  /** SYSTEM_TIME: microseconds since 1970, and milliseconds since boot. */
  systemTime(unix: number, boot: number, system = 1): this {
    return this.frame({ id: 2, payload: [...number(unix, 8), ...number(boot, 4)], extra: 137, system });
  }

  /** ATTITUDE, some milliseconds after boot. */
  attitude(boot: number, system = 1): this {
    return this.frame({ id: 30, payload: [...number(boot, 4), ...new Uint8Array(24).fill(1)], extra: 39, system });
  }

  /** VIBRATION: microseconds since boot, or since 1970. */
  vibration(micros: number): this {
    return this.frame({ id: 241, payload: [...number(micros, 8), ...new Uint8Array(24).fill(1)], extra: 90 });
  }

  /** HEARTBEAT, which has no time. */
  heartbeat(): this {
    return this.frame({ id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50 });
  }
}

function number(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);
}

/** The clock of a stream, and the times of its records in their order. */
async function read(writer: Writer): Promise<{ kind: string; utc: boolean; times: number[] }> {
  const log = await openInput(writer.bytes());
  const times: number[] = [];
  for await (const { time } of readRecords(log)) times.push(time);
  return { kind: log.clock.kind, utc: log.clock.utc, times };
}

describe('a stream of frames', () => {
  it('is on UTC once its sender knows the date, what came before included', async () => {
    const writer = new Writer()
      .attitude(1000)
      .systemTime(0, 1500)
      .attitude(2000)
      .systemTime(UTC + 3e6, 3000);
    expect(await read(writer.attitude(4000))).toEqual({
      kind: 'system-time',
      utc: true,
      times: [1, 1.5, 2, 3, 4].map((seconds) => UTC + seconds * 1e6),
    });
  });

  it('counts microseconds since boot as well as milliseconds', async () => {
    const { times } = await read(
      new Writer()
        .systemTime(UTC, 0)
        .systemTime(UTC + 1e6, 1000)
        .vibration(2_500_001),
    );
    expect(times[2]).toBe(UTC + 2_500_001);
  });

  it('gives messages without a time that of the last one', async () => {
    const writer = new Writer()
      .heartbeat()
      .systemTime(UTC + 1e6, 1000)
      .heartbeat()
      .attitude(1200)
      .heartbeat();
    expect((await read(writer)).times).toEqual([1, 1, 1, 1.2, 1.2].map((seconds) => UTC + seconds * 1e6));
  });

  it('counts each start of a sender by itself', async () => {
    const writer = new Writer().systemTime(UTC + 100e6, 100_000).attitude(100_500);
    writer
      .attitude(1000)
      .systemTime(UTC + 502e6, 2000)
      .attitude(3000);
    expect((await read(writer)).times).toEqual([100, 100.5, 501, 502, 503].map((seconds) => UTC + seconds * 1e6));
  });

  it('counts each sender by itself, and gives others the last time that is known', async () => {
    const writer = new Writer()
      .systemTime(UTC + 1e6, 1000)
      .attitude(77_000, 2)
      .systemTime(UTC + 90e6, 5000, 3);
    expect((await read(writer.attitude(6000, 3).attitude(2000))).times).toEqual(
      [1, 1, 90, 91, 2].map((seconds) => UTC + seconds * 1e6),
    );
  });

  it('takes a date in a message as it is', async () => {
    const { times } = await read(new Writer().systemTime(UTC + 1e6, 1000).vibration(UTC + 7e6));
    expect(times).toEqual([UTC + 1e6, UTC + 7e6]);
  });

  it('counts from boot where nobody knows the date', async () => {
    const writer = new Writer().attitude(1000).systemTime(0, 1500).heartbeat().vibration(1_600_000);
    expect(await read(writer)).toEqual({ kind: 'boot', utc: false, times: [1e6, 1.5e6, 1.5e6, 1.6e6] });
  });

  it('does not count a field that is not kept', async () => {
    const writer = new Writer().attitude(1000).vibration(0).attitude(2000);
    expect((await read(writer)).times).toEqual([1e6, 1e6, 2e6]);
  });

  it('has no times where no message says any', async () => {
    expect(await read(new Writer().heartbeat().heartbeat())).toEqual({
      kind: 'none',
      utc: false,
      times: [Number.NaN, Number.NaN],
    });
  });

  it('puts senders that count by themselves beside each other where nobody knows the date', async () => {
    const writer = new Writer();
    for (let k = 0; k < 10; k++) writer.attitude(5000 + k * 1000).attitude(900_000 + k * 1000, 2);
    const { kind, times } = await read(writer);
    expect(kind).toBe('boot');
    // the second is put on the time of the main one, which its neighbours have
    expect(times).toEqual(Array.from({ length: 20 }, (_, i) => (5 + (i >> 1)) * 1e6));
  });

  it('takes no date for a time since boot', async () => {
    const early = 1e15 - 1e6;
    expect((await read(new Writer().attitude(1000).vibration(UTC))).times).toEqual([1e6, 1e6]);
    expect((await read(new Writer().systemTime(5e6, 1000).attitude(2000))).utc).toBe(false);
    expect((await read(new Writer().attitude(1000).vibration(early))).utc).toBe(false);
  });

  it('corrects a date that was wrong at first by those that came later', async () => {
    const writer = new Writer().systemTime(UTC - 500e6, 1000);
    for (let second = 2; second < 12; second++) writer.systemTime(UTC + second * 1e6, second * 1000);
    const { times } = await read(writer);
    expect(times[0]).toBe(UTC + 1e6);
  });
});
