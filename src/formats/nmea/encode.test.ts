import { describe, expect, test } from 'vitest';
import { Random } from '../../../test/suite/random.ts';
import type { Value } from '../../core/column.ts';
import { openInput } from '../open.ts';
import { encodeSatellites, encodeSentence, type SentenceValues, withChecksum } from './encode.ts';
import { MAKER_SENTENCES, MODULE_SENTENCES } from './makers.ts';
import type { CellSpec } from './notation.ts';
import { parseSentence } from './parse.ts';
import type { Sentence } from './sentence.ts';
import { FIX_SENTENCES, MOTION_SENTENCES, ROUTE_SENTENCES, SKY_SENTENCES, WEATHER_SENTENCES } from './sentences.ts';

const ALL: readonly Sentence[] = [
  ...FIX_SENTENCES,
  ...SKY_SENTENCES,
  ...MOTION_SENTENCES,
  ...WEATHER_SENTENCES,
  ...ROUTE_SENTENCES,
  ...MAKER_SENTENCES,
  ...MODULE_SENTENCES,
];

test.each([1.234_567_890_123_456e-10, -3.1e-25, 5e-324, 0.1 + 0.2, 1e21, -(2 ** 80)])(
  '%d is read back as it is',
  (heading) => {
    expect(parseSentence(encodeSentence('HDT', { heading }))).toMatchObject({ data: { heading } });
  },
);

describe('sentences as receivers write them', () => {
  test.each<[string, SentenceValues, string]>([
    [
      'GGA',
      { time: 45_319, lat: 48.1173, lon: 11 + 31 / 60, quality: 1, satellites: 8, hdop: 0.9, altitude: 545.4 },
      'GPGGA,123519.00,4807.03800,N,01131.00000,E,1,8,0.9,545.4,M,,M,,',
    ],
    [
      'RMC',
      { time: 65_560.9, status: 'A', lat: -51.47, lon: -0.4543, speed_kn: 0.5, date: '2026-11-15', mode: 'D' },
      'GPRMC,181240.90,A,5128.20000,S,00027.25800,W,0.5,,151126,,,D',
    ],
    ['GLL', { lat: 90, lon: -180 }, 'GPGLL,9000.00000,N,18000.00000,W,,'],
    ['GLL', { lat: -0, lon: -0 }, 'GPGLL,0000.00000,S,00000.00000,W,,'],
    ['GLL', { lat: 1 / 3, lon: 1e-9 / 7, time: 1 / 3 }, 'GPGLL,0020.00000,N,00000.00000000857,E,000000.333333333,'],
    ['HDG', { heading: 1, magnetic_deviation: -0 }, 'GPHDG,1,0,W,,'],
    ['ZDA', { time: 1.25, date: '2026-01-02', zone_hours: 0, zone_minutes: 0 }, 'GPZDA,000001.25,02,01,2026,0,0'],
    ['ZDA', { time: 86_400, day: 31, month: 12, year: 2016 }, 'GPZDA,235960.00,31,12,2016,,'],
    ['VTG', { course: 12.5, speed_kn: 1, speed_kmh: 1.852 }, 'GPVTG,12.5,T,,M,1,N,1.852,K'],
    ['HDT', { heading: 4 }, 'GPHDT,4,T'],
    ['HDG', { heading: 98.3, magnetic_variation: -12.6 }, 'GPHDG,98.3,,,12.6,W'],
    [
      'GSA',
      { mode: 'A', fix: 3, satellite_ids: [1, 2], pdop: 1.5, hdop: 1, vdop: 1.1 },
      `GPGSA,A,3,1,2,${','.repeat(10)}1.5,1,1.1`,
    ],
    ['PUBX04', { time: 0, date: '2014-10-13', gps_week: 1814 }, 'PUBX,04,000000.00,131014,,1814,,,,'],
    ['PTNLGGK', { time: 0, date: '2020-01-30' }, 'PTNL,GGK,000000.00,013020,,,,,,,,,M'],
    ['XDR', { type_1: 'A', value_1: 1.5, unit_1: 'D', name_1: 'ROLL', value_2: -2 }, 'GPXDR,A,1.5,D,ROLL,,-2,,'],
    [
      'PLSHD',
      { status: 1, satellites_1: 22, satellites_2: 21, baseline: 0.423, heading: 239.024 },
      'PLSHD,1,22,21,0.423,239.024,',
    ],
  ])('%s %j', (name, values, body) => expect(encodeSentence(name, values)).toBe(withChecksum(body)));

  test('with another talker, and as many digits as are asked for', () => {
    const values = { time: 45_319.123456, lat: 48.117312345, lon: 0 };
    const decimals = { time: 1, lat: 3, lon: 0 };
    expect(encodeSentence('GLL', values, { talker: 'GN', decimals })).toBe(
      withChecksum('GNGLL,4807.039,N,00000,E,123519.1,'),
    );
  });

  test('satellites, four in each sentence', () => {
    const satellites = Array.from({ length: 5 }, (_, k) => ({
      prn: k + 1,
      elevation: 10 * k,
      azimuth: 20 * k,
      snr: k ? 30 : null,
    }));
    expect(encodeSatellites(satellites, { talker: 'GL', signal_id: 11 })).toEqual([
      withChecksum('GLGSV,2,1,5,1,0,0,,2,10,20,30,3,20,40,30,4,30,60,30,B'),
      withChecksum('GLGSV,2,2,5,5,40,80,30,B'),
    ]);
    expect(encodeSatellites([])).toEqual([withChecksum('GPGSV,1,1,0')]);
  });

  test.each<[string, SentenceValues, object, string]>([
    ['ABC', {}, {}, 'unknown sentence ABC'],
    ['GGA', { latitude: 1 }, {}, 'sentence GGA has no field latitude'],
    ['GGA', { lat_1: 1 }, {}, 'sentence GGA has no field lat_1'],
    ['GGA', { lat: 91 }, {}, 'lat is 91, beyond 90'],
    ['GGA', { time: -1 }, {}, 'time is -1, not a second of the day'],
    ['GGA', { time: 86_400.5 }, {}, 'time is 86400.5, not a second of the day'],
    ['GGA', { lon: -180.1 }, {}, 'lon is -180.1, beyond 180'],
    ['GGA', { hdop: Number.NaN }, {}, 'hdop is NaN, not a number'],
    ['GGA', { station_id: 'a,b' }, {}, "station_id 'a,b' has a character that separates sentences"],
    ['TXT', { text: 'a*b' }, {}, "text 'a*b' has a character that separates sentences"],
    ['RMC', { date: '15.11.2026' }, {}, "date '15.11.2026' is not YYYY-MM-DD"],
    ['GGA', {}, { talker: 'g' }, "talker 'g' is not of two capital letters"],
  ])('%s %j is a mistake', (name, values, options, message) => {
    expect(() => encodeSentence(name, values, options)).toThrow(message);
  });
});

/** A value that a field may have. */
function randomValue(random: Random, { kind, width, order }: CellSpec): Value {
  if (random.chance(0.2)) return width > 0 || kind === 'date' || kind === 'day-month-year' ? '' : null;
  const decimals = 10 ** random.below(7);
  switch (kind) {
    case 'lat':
      return (random.below(180 * 60 * decimals) - 90 * 60 * decimals) / (60 * decimals);
    case 'lon':
      return (random.below(360 * 60 * decimals) - 180 * 60 * decimals) / (60 * decimals);
    case 'time':
      return random.below(86_400 * decimals) / decimals;
    case 'hex':
      return random.below(16);
    case 'used':
      return random.below(2);
    case 'date':
    case 'day-month-year':
      return `20${String(random.between(10, order === 'ymd' ? 99 : 79))}-0${random.between(1, 9)}-${random.between(10, 28)}`;
    case 'text':
    case 'rest':
      return 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(0, random.between(1, width));
    default:
      return random.between(-1e6, 1e6) / decimals;
  }
}

function randomValues(random: Random, { layout }: Sentence): Record<string, Value> {
  const { group } = layout;
  const groups = group ? (group.open && group.size > 1 ? random.between(1, 6) : group.slots) : 0;
  const values: Record<string, Value> = {};
  for (const spec of layout.fields) {
    // a date of three cells is told once
    if (spec.kind === 'day-month-year') continue;
    if (spec.place !== 'group') values[spec.name] = randomValue(random, spec);
    else if (group?.numbered) for (let k = 1; k <= groups; k++) values[`${spec.name}_${k}`] = randomValue(random, spec);
    else values[spec.name] = Array.from({ length: groups }, () => randomValue(random, spec)) as number[];
  }
  return values;
}

/** What is missing behind the last element or number is not told apart from what is not there. */
function trimmed(value: Value | undefined): unknown {
  const list = Array.isArray(value) ? value : [value];
  return list.slice(0, list.findLastIndex((each) => each !== null && each !== undefined && each !== '') + 1);
}

describe('what is written is read as it was', () => {
  test.each(ALL.map((sentence) => [sentence.name, sentence] as const))('%s', (name, sentence) => {
    const random = new Random(name.length + name.charCodeAt(2));
    for (let run = 0; run < 300; run++) {
      const values = randomValues(random, sentence);
      const line = encodeSentence(name, values);
      if (line.length > 1000) continue;
      const parsed = parseSentence(line);
      if (!parsed.valid) throw new Error(`${line}: ${parsed.reason}`);
      expect(parsed.name).toBe(name);
      for (const [field, value] of Object.entries(values)) {
        const read = trimmed(parsed.data[field]);
        expect(read, `${field} of ${line}`).toEqual(trimmed(value));
      }
    }
  });

  test('also as a stream', async () => {
    const random = new Random(7);
    const lines = Array.from({ length: 500 }, () => {
      const sentence = random.pick(FIX_SENTENCES);
      return encodeSentence(sentence.name, randomValues(random, sentence));
    });
    const log = await openInput(new TextEncoder().encode(lines.join('')));
    expect([log.format, log.records, log.faults.count]).toEqual(['nmea', 500, 0]);
  });
});
