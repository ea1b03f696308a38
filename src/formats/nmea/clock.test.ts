import { describe, expect, test } from 'vitest';
import type { Log } from '../../core/log.ts';
import type { RecordTable } from '../../core/table.ts';
import { type OpenOptions, openInput } from '../open.ts';
import { withChecksum } from './encode.ts';

const open = (bodies: readonly string[], options: OpenOptions = {}): Promise<Log> =>
  openInput(
    new TextEncoder().encode(bodies.map((body) => (body.startsWith('\\') ? body : withChecksum(body))).join('')),
    options,
  );

const gga = (time: string): string => `GPGGA,${time},4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,`;
const rmc = (time: string, date: string, status = 'A'): string =>
  `GPRMC,${time},${status},4807.038,N,01131.000,E,0,0,${date},,`;

/** Times of the rows of a table, as ISO texts. */
async function timesOf(log: Log, name: string): Promise<(string | null)[]> {
  const times = await (log.table(name) as RecordTable).times();
  return Array.from(times, (time) => (Number.isNaN(time) ? null : new Date(time / 1000).toISOString()));
}

describe('the date', () => {
  test('comes from RMC, also for sentences before it', async () => {
    const log = await open([gga('123519.25'), rmc('123519.25', '151126'), gga('123520'), 'HEHDT,4,T']);
    expect(log.clock).toMatchObject({ kind: 'nmea', utc: true, remarks: [] });
    expect(log.clock.source).toMatch(/^RMC with a valid fix at offset \d+: 2026-11-15$/);
    expect(await timesOf(log, 'GGA')).toEqual(['2026-11-15T12:35:19.250Z', '2026-11-15T12:35:20.000Z']);
    expect(await timesOf(log, 'HDT')).toEqual(['2026-11-15T12:35:20.000Z']);
  });

  test('sentences before the first time take that, and those after it the last one', async () => {
    const log = await open(['HEHDT,4,T', gga('123518'), rmc('123519', '151126'), 'HEHDT,4,T', gga('')]);
    expect(await timesOf(log, 'HDT')).toEqual(['2026-11-15T12:35:18.000Z', '2026-11-15T12:35:19.000Z']);
    expect(await timesOf(log, 'GGA')).toEqual(['2026-11-15T12:35:18.000Z', '2026-11-15T12:35:19.000Z']);
  });

  test('comes from ZDA where no RMC has a fix', async () => {
    const log = await open([rmc('000001', '060180', 'V'), gga('123519'), 'GPZDA,123519,15,11,2026,,']);
    expect(log.clock.source).toMatch(/^ZDA/);
    expect(await timesOf(log, 'GGA')).toEqual(['2026-11-15T12:35:19.000Z']);
  });

  test('comes from RMC without a fix if nothing else tells it', async () => {
    const log = await open([gga('123519'), rmc('123519', '151126', 'V')]);
    expect(log.clock.source).toMatch(/^RMC without a valid fix/);
    expect(await timesOf(log, 'GGA')).toEqual(['2026-11-15T12:35:19.000Z']);
  });

  test('comes from sentences of makers, or from tag blocks', async () => {
    const maker = await open([gga('123519'), 'PUBX,04,123519.00,151126,1,2,18,1,1,1']);
    expect(await timesOf(maker, 'GGA')).toEqual(['2026-11-15T12:35:19.000Z']);
    const content = `s:a,c:${Date.UTC(2026, 10, 15, 12, 35, 20) / 1000}`;
    let sum = 0;
    for (const char of content) sum ^= char.charCodeAt(0);
    const tag = `\\${content}*${sum.toString(16).padStart(2, '0')}\\`;
    const tagged = await open([gga('123519'), `${tag}${withChecksum('HEHDT,4,T')}`]);
    expect(tagged.clock.source).toMatch(/^tag block/);
    expect(await timesOf(tagged, 'GGA')).toEqual(['2026-11-15T12:35:19.000Z']);
    expect(await timesOf(tagged, 'HDT')).toEqual(['2026-11-15T12:35:20.000Z']);
  });

  test('of a receiver whose weeks began anew is put right on request, and that is said', async () => {
    const bodies = [rmc('123519', '010407'), gga('123519')];
    const log = await open(bodies, { weekRollovers: 1 });
    expect(await timesOf(log, 'GGA')).toEqual(['2026-11-15T12:35:19.000Z']);
    expect(log.clock.remarks).toEqual(['dates moved by 1 x 1,024 weeks (GPS week rollover)']);
    expect(await timesOf(await open(bodies), 'GGA')).toEqual(['2007-04-01T12:35:19.000Z']);
  });
});

describe('midnight', () => {
  test('lies where the time of the day begins anew, before and behind the sentence that tells the new date', async () => {
    const log = await open([
      ...[rmc('235959', '151126'), gga('235959'), gga('000000'), rmc('000000', '161126'), gga('000001')],
    ]);
    expect(await timesOf(log, 'GGA')).toEqual([
      ...['2026-11-15T23:59:59.000Z', '2026-11-16T00:00:00.000Z', '2026-11-16T00:00:01.000Z'],
    ]);
  });

  test('may be told late, and a sentence may come late', async () => {
    const log = await open([
      rmc('235959', '311225'),
      gga('000000'),
      gga('235959.5'),
      gga('000001'),
      rmc('000500', '010126'),
    ]);
    expect(await timesOf(log, 'GGA')).toEqual([
      ...['2026-01-01T00:00:00.000Z', '2025-12-31T23:59:59.500Z', '2026-01-01T00:00:01.000Z'],
    ]);
  });

  test('days that a recording leaves out are told by the sentences behind them', async () => {
    const log = await open([rmc('100000', '151126'), gga('100001'), gga('220000'), rmc('220000', '201126')]);
    expect(await timesOf(log, 'GGA')).toEqual(['2026-11-15T10:00:01.000Z', '2026-11-20T22:00:00.000Z']);
  });

  test('is passed many times in a long recording', async () => {
    const bodies: string[] = [];
    for (let hour = 0; hour < 100; hour++) {
      const at = new Date(Date.UTC(2026, 10, 15, hour, 30));
      const time = at.toISOString().slice(11, 19).replaceAll(':', '');
      bodies.push(gga(time));
      if (hour % 4 === 1) bodies.push(rmc(time, `${at.toISOString().slice(8, 10)}1126`));
    }
    const times = await timesOf(await open(bodies), 'GGA');
    expect(times).toEqual(times.map((_, hour) => new Date(Date.UTC(2026, 10, 15, hour, 30)).toISOString()));
  });
});

describe('without a date', () => {
  test('times count from the midnight before the first', async () => {
    const log = await open([gga('235959'), gga('000001'), 'HEHDT,4,T']);
    expect(log.clock).toMatchObject({ kind: 'time-of-day', utc: false });
    expect([...(await (log.table('GGA') as RecordTable).times())]).toEqual([86_399e6, 86_401e6]);
    expect([...(await (log.table('HDT') as RecordTable).times())]).toEqual([86_401e6]);
  });

  test('and without any time, no sentence has one', async () => {
    const log = await open(['HEHDT,4,T', gga('')]);
    expect(log.clock).toMatchObject({ kind: 'none', utc: false, source: 'no sentence has a time' });
    expect(await timesOf(log, 'HDT')).toEqual([null]);
  });

  test('a sentence whose time is empty has that of its neighbour, as others have', async () => {
    const log = await open([rmc('123519', '151126'), gga(''), 'HEHDT,4,T']);
    expect(await timesOf(log, 'GGA')).toEqual(['2026-11-15T12:35:19.000Z']);
    expect(await timesOf(log, 'HDT')).toEqual(['2026-11-15T12:35:19.000Z']);
  });
});

test('microseconds are told to the digit', async () => {
  const log = await open([rmc('123519.123456', '151126')]);
  const [time] = await (log.table('RMC') as RecordTable).times();
  expect(time % 1e6).toBe(123_456);
});
