// A flight whose picture is known: east along a line, a while without positions, and east again farther north.
import { gpsTime, MadeLog } from '../helpers/made-log.ts';

/** Seconds since boot. */
export const FLIGHT = {
  begin: 1,
  armed: 5,
  takeoff: 10,
  loiter: 20,
  gap: [25, 29],
  lost: 35,
  found: 47,
  end: 72,
} as const;
/** Corners of the flight, of its fence and so on, in degrees. */
export const PLACES = { west: 8, east: 8.002, south: 47, north: 47.0025, middle: 47.00125 } as const;
const [DAY, WEEK] = [86_400_000, 604_800_000];
const [STABILIZE, GUIDED, LOITER, RTL] = [0, 4, 5, 6];
const [EV_ARMED, EV_DISARMED, EV_LANDED, EV_FLYING] = [10, 11, 18, 28];
const [WAYPOINT, FENCE_CIRCLE] = [16, 92];

interface FlightChanges {
  /** Days by which it is later. */
  readonly days?: number;
  /** Degrees by which it is farther north. */
  readonly north?: number;
  /** Seconds that pass before all but the first message. */
  readonly late?: number;
  /** The parameter ATC_RAT_RLL_P. */
  readonly gain?: number;
}

/** The roll in degrees, the throttle in microseconds and the height in metres at a second since boot. */
export const rollAt = (second: number): number => Math.fround(20 * Math.sin(second));
export const throttleAt = (second: number): number => 1100 + 10 * Math.floor(second);
const heightAt = (second: number): number => Math.max(0, Math.min(20, 4 * (second - FLIGHT.takeoff)));

/** Its bytes: a DataFlash log of a copter. */
export function madeFlight({ days = 0, north = 0, late = 0, gain = 0.1 }: FlightChanges = {}): Uint8Array {
  const made = new MadeLog()
    .define('FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds')
    .define('MSG', 'QZ', 'TimeUS,Message')
    .define('PARM', 'QNff', 'TimeUS,Name,Value,Default')
    .define('GPS', 'QBIHBcLLeff', 'TimeUS,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,GCrs')
    .define('ATT', 'Qfff', 'TimeUS,Roll,Pitch,Yaw')
    .define('RCIN', 'QHHHH', 'TimeUS,C1,C2,C3,C4')
    .define('RCOU', 'QHHHH', 'TimeUS,C1,C2,C3,C4')
    .define('MODE', 'QMBB', 'TimeUS,Mode,ModeNum,Rsn')
    .define('EV', 'QB', 'TimeUS,Id')
    .define('ORGN', 'QBLLe', 'TimeUS,Type,Lat,Lng,Alt')
    .define('CMD', 'QHHHffffLLfB', 'TimeUS,CTot,CNum,CId,Prm1,Prm2,Prm3,Prm4,Lat,Lng,Alt,Frame')
    .define('FNCE', 'QBBBLLBf', 'TimeUS,Tot,Seq,Type,Lat,Lng,Count,Radius')
    .define('RALY', 'QBBLLhB', 'TimeUS,Tot,Seq,Lat,Lng,Alt,Flags');
  for (const [name, units] of [
    ['ORGN', 's#DUm'],
    ['ATT', 'sddd'],
  ])
    made.add(
      'FMTU',
      0,
      made.typeOf(name),
      units,
      units.replace(/./g, (unit) => (unit === 's' ? 'F' : '-')),
    );
  const { west, east, south, middle } = PLACES;
  const at = (second: number): number => Math.round((second + late) * 1e6);
  made.add('MSG', 1e6, 'ArduCopter V4.6.0 (12345678)').add('PARM', 1e6, 'ATC_RAT_RLL_P', gain, 0.135);
  made.add('PARM', 1e6, 'SYSID_THISMAV', 1, 1);
  const home = [south + north, west] as const;
  made.add('ORGN', at(2), 1, ...home, 0);
  for (const [i, [lat, lon]] of [home, [middle + north, west], [middle + north, east]].entries())
    made.add('CMD', at(2), 3, i, WAYPOINT, 0, 0, 0, 0, lat, lon, 20, 0);
  made.add('FNCE', at(2), 1, 0, FENCE_CIRCLE, middle + north, (west + east) / 2, 0, 60);
  made.add('RALY', at(2), 1, 0, middle + north, west + 0.0005, 20, 0);
  const first = gpsTime('2026-03-01T10:00:00Z', 18);
  const { begin, armed, takeoff, loiter, gap, lost, found, end } = FLIGHT;
  const said: readonly (readonly [second: number, name: string, ...values: (number | string)[]])[] = [
    [begin, 'MODE', STABILIZE, STABILIZE, 1],
    [armed, 'EV', EV_ARMED],
    [armed, 'MSG', 'Arming motors'],
    [armed + 1, 'MODE', GUIDED, GUIDED, 1],
    [takeoff, 'EV', EV_FLYING],
    [takeoff + 2, 'MSG', 'two seconds up'],
    [loiter, 'MODE', LOITER, LOITER, 1],
    [loiter + 0.1, 'MODE', GUIDED, GUIDED, 1],
    [found, 'MODE', RTL, RTL, 1],
    [end - 2, 'EV', EV_LANDED],
    [end - 1, 'EV', EV_DISARMED],
  ];
  for (let tick = begin * 10; tick <= end * 10; tick++) {
    const second = tick / 10;
    for (const [when, name, ...values] of said) if (when === second) made.add(name, at(second), ...values);
    const isBack = second >= found;
    const flown = Math.max(0, second - (isBack ? found : takeoff)) / (lost - takeoff);
    const place = [(isBack ? PLACES.north : south) + north, west + (east - west) * flown] as const;
    const moment = first.millis + days * DAY + (second + late) * 1000;
    const [week, millis] = [first.week + Math.floor(moment / WEEK), moment % WEEK];
    const isLost = second > lost && second < found;
    if (!isLost)
      made.add(
        'GPS',
        at(second),
        4,
        millis,
        week,
        12,
        0.8,
        ...place,
        400 + heightAt(second),
        second < takeoff ? 0 : 6,
        90,
      );
    if (second < gap[0] || second >= gap[1]) made.add('ATT', at(second), rollAt(second), 0, 90);
    if (tick % 10 === 0)
      made
        .add('RCIN', at(second), 1500, 1500, throttleAt(second), 1500)
        .add('RCOU', at(second), 1000, 1250, 1500, 2000);
  }
  return made.bytes();
}
