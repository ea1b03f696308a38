import { describe, expect, test } from 'vitest';
import { CONSTELLATIONS } from '../../../src/sensors/constellation.ts';
import { Sky } from '../../../src/sensors/sky.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { filesIn } from '../../suite/sample.ts';
import { gsvPart, type Ours, type Report, readReports, type Said } from './gpsd.ts';

/**
 * The one thing that gpsd says otherwise: dates 1,024 weeks off. It adds them to some that are right (tcp-torture.log,
 * of 2007), and it repeats what a receiver says before its first fix (gp-320fw, 1999), where we take the date of that fix.
 */
const ROLLOVER_DAYS = 7168;

/**
 * Sentences in gpsd's answers that do not stand in the log, so that no record can be theirs: it makes them of what
 * other protocols tell.
 */
const MADE_BY_GPSD: Readonly<Record<string, { readonly count: number; readonly of: string }>> = {
  'quectel-l76k-binary.log': { count: 1532, of: 'CASIC binary, of which all of the log consists' },
  'ublox-zed-f9r.log': { count: 1073, of: 'UBX between the sentences' },
  'ublox-zed-f9t-ubx_nmea_l5.log': { count: 284, of: 'UBX between the sentences' },
  'tcp-torture.log': { count: 1, of: 'a sentence in which bars mark where the sender paused' },
};

const KNOT = 1852 / 3600;

interface Check {
  readonly name: string;
  readonly types: readonly string[];
  readonly class: string;
  readonly ours: (ours: Ours) => number | null;
  readonly theirs: (report: Report) => number | undefined;
  readonly within: number;
}

const number =
  (name: string, factor = 1) =>
  ({ data }: Ours): number | null =>
    typeof data[name] === 'number' ? data[name] * factor : null;
const said =
  (name: string) =>
  (report: Report): number | undefined =>
    report[name] as number | undefined;
/** gpsd keeps its last time where the receiver has no fix. */
const valid =
  (value: (ours: Ours) => number | null) =>
  (ours: Ours): number | null =>
    'status' in ours.data && ours.data.status !== 'A' ? null : value(ours);
const timeOf = ({ time }: Report): number | undefined =>
  time === undefined ? undefined : Date.parse(String(time)) / 1000;

const FIX = ['RMC', 'GLL', 'GGA', 'GNS'];
const CHECKS: readonly Check[] = [
  { name: 'lat', types: FIX, class: 'TPV', ours: number('lat'), theirs: said('lat'), within: 2e-9 },
  { name: 'lon', types: FIX, class: 'TPV', ours: number('lon'), theirs: said('lon'), within: 2e-9 },
  {
    name: 'speed',
    types: ['RMC', 'VTG'],
    class: 'TPV',
    ours: number('speed_kn', KNOT),
    theirs: said('speed'),
    within: 6e-4,
  },
  { name: 'course', types: ['RMC', 'VTG'], class: 'TPV', ours: number('course'), theirs: said('track'), within: 6e-4 },
  { name: 'altitude', types: ['GGA'], class: 'TPV', ours: number('altitude'), theirs: said('altMSL'), within: 6e-4 },
  {
    name: 'geoid_separation',
    types: ['GGA'],
    class: 'TPV',
    ours: number('geoid_separation'),
    theirs: said('geoidSep'),
    within: 6e-4,
  },
  {
    name: 'time of day',
    types: ['RMC'],
    class: 'TPV',
    ours: valid(number('time')),
    theirs: (report) => {
      const time = timeOf(report);
      return time === undefined ? undefined : time - Math.floor(time / 86_400) * 86_400;
    },
    within: 6e-4,
  },
  {
    name: 'date',
    types: ['RMC'],
    class: 'TPV',
    ours: valid(({ data }) => (data.date ? Date.parse(String(data.date)) / 86_400_000 : null)),
    theirs: (report) => {
      const time = timeOf(report);
      return time === undefined ? undefined : Math.floor(time / 86_400);
    },
    within: 0,
  },
  {
    name: 'time',
    types: ['RMC', 'GGA', 'GLL', 'GNS', 'ZDA'],
    class: 'TPV',
    ours: valid(({ time }) => (Number.isNaN(time) ? null : time / 1e6)),
    theirs: timeOf,
    within: 6e-4,
  },
  { name: 'pdop', types: ['GSA'], class: 'SKY', ours: number('pdop'), theirs: said('pdop'), within: 6e-3 },
  { name: 'hdop', types: ['GSA'], class: 'SKY', ours: number('hdop'), theirs: said('hdop'), within: 6e-3 },
  { name: 'vdop', types: ['GSA'], class: 'SKY', ours: number('vdop'), theirs: said('vdop'), within: 6e-3 },
];

/** What of a satellite gpsd leaves out: the elevation where the azimuth is missing. */
const WITHHELD_ELEVATIONS = 6;

const counts = new Map<string, number>();
const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

needShared(
  describe,
  'nmea',
  'gpsd',
)("gpsd's own regression tests", () => {
  const folder = sharedData('nmea', 'gpsd');

  test.each(filesIn(folder, '.log').map(({ name }) => name))('%s', async (name) => {
    const sky = new Sky();
    const differences = new Map<string, string[]>();
    const { said, made } = await readReports(`${folder}/${name}`);
    expect(made).toBe(MADE_BY_GPSD[name]?.count ?? 0);
    for (const each of said) {
      for (const check of CHECKS) {
        const found = compare(check, each);
        if (found !== undefined) differences.set(check.name, [...(differences.get(check.name) ?? []), found]);
      }
      const found = satelliteDifferences(sky, each);
      if (found.length > 0) differences.set('satellites', [...(differences.get('satellites') ?? []), ...found]);
    }
    expect(Object.fromEntries(differences)).toEqual({});
  });

  test('thousands of values were compared', () => {
    const least = {
      ...{ lat: 1510, lon: 1510, speed: 735, course: 641, altitude: 342, geoid_separation: 311 },
      ...{ 'time of day': 604, date: 604, time: 1659, pdop: 1329, hdop: 1335, vdop: 1324 },
      ...{ satellites: 11_886, 'withheld elevations': WITHHELD_ELEVATIONS, rollovers: 13 },
    };
    for (const [name, expected] of Object.entries(least))
      expect(counts.get(name), name).toBeGreaterThanOrEqual(expected);
  });
});

function compare(check: Check, { report, ours, line }: Said): string | undefined {
  if (report.class !== check.class || !check.types.includes(ours.type)) return undefined;
  const [mine, theirs] = [check.ours(ours), check.theirs(report)];
  if (mine === null || theirs === undefined) return undefined;
  count(check.name);
  const apart = Math.abs(mine - theirs);
  const isRollover =
    check.name === 'date' ? apart === ROLLOVER_DAYS : check.name === 'time' && apart === ROLLOVER_DAYS * 86_400;
  if (isRollover) count('rollovers');
  return apart <= check.within || isRollover ? undefined : `${mine}, gpsd ${theirs} of ${line}`;
}

/** The satellites of the set that is complete when gpsd reports the sky: it must say the same of each. */
function satelliteDifferences(sky: Sky, { report, ours, since }: Said): string[] {
  let set: ReturnType<Sky['gsv']>;
  for (const sentence of since) if (sentence.type === 'GSV') set = sky.gsv(gsvPart(sentence), 0);
  if (report.class !== 'SKY' || ours.type !== 'GSV' || !set || !report.satellites) return [];
  return set.satellites.flatMap(({ constellation, svid, elevation, azimuth, snr }) => {
    const gnssid = CONSTELLATIONS.indexOf(constellation);
    const theirs = report.satellites?.filter((each) => each.gnssid === gnssid && each.svid === svid) ?? [];
    count('satellites');
    const isSame = (each: Readonly<Record<string, number>>, el: number): boolean =>
      same(el, each.el) && same(azimuth, each.az) && same(snr || Number.NaN, each.ss || undefined);
    if (theirs.some((each) => isSame(each, elevation))) return [];
    if (!theirs.some((each) => isSame(each, Number.NaN)))
      return [`${constellation} ${svid}: ${JSON.stringify(theirs)}`];
    count('withheld elevations');
    return [];
  });
}

function same(ours: number, theirs: number | undefined): boolean {
  return theirs === undefined ? Number.isNaN(ours) : ours === theirs;
}
