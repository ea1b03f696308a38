import type { Log, RecordTable } from '../../../src/entry/pages.ts';
import type { MapPlace, MapPlan } from '../../map/map-state.ts';

/** What was planned for a flight: degrees and metres. */
export interface FlightPlan extends MapPlan {
  readonly home: MapPlace | null;
}

/** Items that are read, of all lists together. */
const MOST = 5000;
/** Kinds of lists: https://mavlink.io/en/messages/common.html#MAV_MISSION_TYPE */
const [MISSION, FENCE, RALLY] = [0, 1, 2];
/** Commands that a circle of a fence is, and the last one that a vehicle flies to. */
const CIRCLES: ReadonlySet<number> = new Set([5003, 5004]);
const LAST_WAYPOINT = 95;

interface PlanItem extends MapPlace {
  readonly time: number;
  readonly list: number;
  readonly number: number;
  readonly command: number;
  /** Corners of the polygon that it belongs to. */
  readonly corners: number;
  readonly radius: number;
}

/** Mission, fence, rally points and home of a log. Of an item that was sent several times the last counts. */
export async function flightPlan(log: Pick<Log, 'tables'>): Promise<FlightPlan> {
  const lists = await Promise.all(log.tables.map((table) => itemsOf(table)));
  const items = new Map<string, PlanItem>();
  for (const item of lists.flat().sort((a, b) => a.time - b.time)) items.set(`${item.list} ${item.number}`, item);
  const of = (list: number): PlanItem[] =>
    [...items.values()].filter((item) => item.list === list && isSomewhere(item)).sort((a, b) => a.number - b.number);
  const fence = of(FENCE);
  const isCircle = ({ command, radius }: PlanItem): boolean => CIRCLES.has(command) || radius > 0;
  return {
    home: (await homeOf(log)) ?? null,
    // item 0 is home, and is never flown to
    mission: of(MISSION)
      .filter(({ number, command }) => number > 0 && command <= LAST_WAYPOINT)
      .map(({ lon, lat, number }) => ({ lon, lat, label: String(number) })),
    fences: polygonsOf(fence.filter((item) => !isCircle(item))),
    circles: fence.filter(isCircle).map(({ lon, lat, radius }) => ({ lon, lat, radius })),
    rally: of(RALLY).map(({ lon, lat }) => ({ lon, lat })),
  };
}

/** Corners that follow each other are one polygon, as many as each of them says. */
function polygonsOf(corners: readonly PlanItem[]): MapPlace[][] {
  const polygons: MapPlace[][] = [];
  for (let at = 0; at < corners.length; ) {
    const count = Math.max(1, corners[at].corners || corners.length);
    const own = corners.slice(at, at + count);
    if (own.length > 2) polygons.push(own.map(({ lon, lat }) => ({ lon, lat })));
    at += count;
  }
  return polygons;
}

function isSomewhere({ lon, lat }: MapPlace): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && Math.abs(lat) + Math.abs(lon) > 0.01;
}

async function itemsOf(table: RecordTable): Promise<PlanItem[]> {
  const [list, names] = fieldsOf(table.name) ?? [];
  if (!names || table.rows === 0) return [];
  const rows = await numbersOf(table, names.split(' '));
  return rows.map(([time, number, command, lat, lon, corners, radius, type]): PlanItem => {
    const scale = Math.abs(lat) > 90 || Math.abs(lon) > 180 ? 1e-7 : 1;
    return {
      ...{ time, list: list ?? (Number.isNaN(type) ? MISSION : type), number, command: command || 0 },
      ...{ lat: lat * scale, lon: lon * scale, corners: corners || 0 },
      // the parameter that has the corners of a polygon has the radius of a circle
      radius: radius > 0 ? radius : CIRCLES.has(command) ? corners : 0,
    };
  });
}

/** The number of an item, its command, latitude, longitude, corners, radius and list; '-' for what it has not. */
function fieldsOf(table: string): readonly [list: number | undefined, fields: string] | undefined {
  switch (table) {
    case 'CMD':
      return [MISSION, 'CNum CId Lat Lng - - -'];
    case 'FNCE':
      return [FENCE, 'Seq - Lat Lng Count Radius -'];
    case 'RALY':
      return [RALLY, 'Seq - Lat Lng - - -'];
    case 'MISSION_ITEM':
    case 'MISSION_ITEM_INT':
      return [undefined, 'seq command x y param1 - mission_type'];
    default:
      return undefined;
  }
}

/** The time of each row, and its numbers. */
async function numbersOf(table: RecordTable, names: readonly string[]): Promise<number[][]> {
  const known = names.filter((name) => table.field(name));
  const range = { from: Math.max(0, table.rows - MOST), to: table.rows };
  const { times, columns } = await table.timedColumns(known, range);
  const values = names.map((name) => columns.find(({ field }) => field.name === name)?.numbers());
  return Array.from(times, (time, row) => [time, ...values.map((column) => column?.[row] ?? Number.NaN)]);
}

/** ArduPilot logs home as the second kind of origin; MAVLink has a message for it. */
async function homeOf({ tables }: Pick<Log, 'tables'>): Promise<MapPlace | undefined> {
  for (const [name, stream, lat, lon] of [
    ['ORGN', '1', 'Lat', 'Lng'],
    ['HOME_POSITION', '', 'latitude', 'longitude'],
  ]) {
    const table = tables.find(
      (each) => each.name === name && each.rows > 0 && (stream === '' || each.stream === stream),
    );
    if (!table?.field(lat) || !table.field(lon)) continue;
    const [, y, x] = (await numbersOf(table, [lat, lon])).at(-1) ?? [];
    const scale = Math.abs(y) > 90 ? 1e-7 : table.field(lat)?.unit === 'degE7' ? 1e-7 : 1;
    const place = { lat: y * scale, lon: x * scale };
    if (isSomewhere(place)) return place;
  }
  return undefined;
}
