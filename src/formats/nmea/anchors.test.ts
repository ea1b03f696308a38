import { expect, test } from 'vitest';
import type { RecordTable } from '../../core/table.ts';
import { openInput } from '../open.ts';
import { Anchors } from './anchors.ts';
import { withChecksum } from './encode.ts';

const DAY = 86_400e6;
const rmc = (time: string, date: string, status = 'A'): string => `GPRMC,${time},${status},,,,,,,${date},,`;
const gga = (time: string): string => `GPGGA,${time},,,,,,,,,,,,,`;
/** A sentence that came at a second of 1970, as its tag block says. */
const tagged = (second: number): string => {
  const [, sum] = withChecksum(`c:${second}`).split('*');
  return `\\c:${second}*${sum.trim()}\\${withChecksum('HEHDT,4,T')}`;
};

/** The anchors of some sentences, and where each of these begins. */
async function anchorsOf(bodies: readonly string[], rollovers = 0): Promise<{ anchors: Anchors; starts: number[] }> {
  const lines = bodies.map((body) => (body.startsWith('\\') ? body : withChecksum(body)));
  const { tables } = await openInput(new TextEncoder().encode(lines.join('')));
  const starts = lines.map((_, i) => lines.slice(0, i).join('').length);
  return { anchors: await Anchors.find(tables as RecordTable[], rollovers), starts };
}

test.each<[string, string[], number]>([
  ['three hours are near', [rmc('000000', '151126'), rmc('030000', '151126')], 1],
  ['more are not', [rmc('000000', '151126'), rmc('030001', '151126'), rmc('060001', '151126')], 2],
  ['another day', [rmc('235959', '151126'), rmc('000000', '161126'), rmc('000001', '161126')], 2],
  ['the first days of GPS are no date', [rmc('000000', '060180'), rmc('000000', '070180')], 0],
  ['those around them are', [rmc('000000', '050180'), rmc('000000', '080180')], 2],
  ['a fix that is not valid counts for less', [rmc('000000', '151126', 'V'), rmc('000000', '161126')], 1],
  ['one false date', ['151126', '161126', '151126'].map((date) => rmc('000000', date)), 1],
  ['two false dates', ['151126', '161126', '161126', '151126'].map((date) => rmc('000000', date)), 1],
  ['three', ['151126', '161126', '161126', '161126', '151126'].map((date) => rmc('000000', date)), 3],
  ['a date at the end', ['151126', '161126'].map((date) => rmc('000000', date)), 2],
  ['tag blocks of hours', [tagged(1e9), tagged(1e9 + 10_800), tagged(1e9 + 10_801)], 2],
  ['tag blocks of days', [tagged(86_400 * 9 - 1), tagged(86_400 * 9)], 2],
])('%s: %j has %i anchors', async (_, bodies, count) => {
  const { anchors } = await anchorsOf([...bodies, gga('000000')]);
  expect(anchors.utc ? anchors.length : 0).toBe(count);
});

/** Days of the sentences after the first one's, by their times of day. */
test.each<[string, string[], number[]]>([
  ['half a day back is the same day', [rmc('120000', '151126'), gga('000000')], [0, 0]],
  ['more is the next', [rmc('120001', '151126'), gga('000000')], [0, 1]],
  ['half a day on is the same day', [rmc('000000', '151126'), gga('120000')], [0, 0]],
  ['more is the day before', [rmc('000000', '151126'), gga('120001')], [0, -1]],
  ['the nearer time decides', [rmc('080000', '151126'), gga('100001'), rmc('120000', '181126')], [0, 3, 3]],
  [
    'the one before where both are as near',
    [rmc('080000', '151126'), gga('100000'), rmc('120000', '181126')],
    [0, 0, 3],
  ],
  ['near is also past midnight', [rmc('120000', '151126'), gga('235900'), rmc('000100', '171126')], [0, 1, 2]],
  ['before the first date', [gga('080000'), rmc('090000', '151126')], [0, 0]],
  [
    'without a date, where time starts over',
    [gga('230000'), gga('010000'), gga('233000'), gga('003000')],
    [0, 1, 0, 1],
  ],
  ['but not before the first', [gga('010000'), gga('230000'), gga('020000')], [0, 0, 1]],
  ['nor after half a day', [gga('000000'), gga('120000'), gga('000000')], [0, 0, 0]],
])('%s: %j', async (_, bodies, days) => {
  const { anchors, starts } = await anchorsOf(bodies);
  const times = bodies.map((body, i) => {
    const [, hours, minutes, seconds] = /,(\d\d)(\d\d)(\d\d)/.exec(body) as RegExpExecArray;
    return anchors.timeAt(starts[i], Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  });
  expect(times.map((time) => Math.floor(time / DAY) - Math.floor(times[0] / DAY))).toEqual(days);
});

test('what has no time, or no anchor, has none; rollovers move the date that the source names', async () => {
  const { anchors } = await anchorsOf([rmc('120000', '151126'), gga('120001')], 1);
  expect(anchors.timeAt(0, 43_200.000_001)).toBe(Date.UTC(2046, 6, 1, 12) * 1000 + 1);
  expect(anchors.timeAt(0, Number.NaN)).toBeNaN();
  expect([anchors.source, anchors.firstOffset]).toEqual(['RMC with a valid fix at offset 0: 2046-07-01', 0]);
  const none = (await anchorsOf(['HEHDT,4,T'])).anchors;
  expect([none.timeAt(0, 1), none.length, none.firstOffset]).toEqual([Number.NaN, 0, undefined]);
});
