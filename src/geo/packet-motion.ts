import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { Packets } from '../formats/xbus/packets.ts';
import type { Positions } from './position.ts';

/** Where north and east are in a velocity, by its local frame; west is negative east. */
const AXES: Readonly<Record<string, { readonly north: number; readonly east: number; readonly sign: 1 | -1 }>> = {
  ENU: { north: 1, east: 0, sign: 1 },
  NED: { north: 0, east: 1, sign: 1 },
  NWU: { north: 0, east: 1, sign: -1 },
};

export type PacketMotion = Pick<Positions, 'alt' | 'speed' | 'course'>;

/** Altitude, speed and course for rows of LatLon, which XBUS devices send as separate items of the same packet. */
export async function packetMotion(log: Log, table: RecordTable): Promise<Partial<PacketMotion>> {
  const packets = new Packets(log.tables);
  const rows = packets.ofRows(table);
  const at = (column: Float64Array): Float64Array =>
    Float64Array.from(rows, (packet) => (packet < 0 ? Number.NaN : column[packet]));
  const [north, east] = await velocities(packets);
  return {
    alt: at(await altitudes(packets)),
    speed: at(north.map((value, i) => Math.hypot(value, east[i]))),
    course: at(north.map((value, i) => ((Math.atan2(east[i], value) * 180) / Math.PI + 360) % 360)),
  };
}

async function velocities(packets: Packets): Promise<[north: Float64Array, east: Float64Array]> {
  const north = new Float64Array(packets.count).fill(Number.NaN);
  const east = north.slice();
  for (const table of packets.named('VelocityXYZ')) {
    const axes = AXES[table.stream.split(':')[1]];
    if (!axes || !table.field('x')) continue;
    const columns = (await table.columns(['x', 'y'])).map((column) => column.numbers());
    packets.ofRows(table).forEach((packet, row) => {
      if (packet < 0) return;
      north[packet] = columns[axes.north][row];
      east[packet] = columns[axes.east][row] * axes.sign;
    });
  }
  return [north, east];
}

/** Metres above the sea by packet: as sent, or from the ellipsoid by the last fix; unknown without a fix. */
async function altitudes(packets: Packets): Promise<Float64Array> {
  const told = await packets.values('AltitudeMsl', 'value');
  const ellipsoid = await packets.values('AltitudeEllipsoid', 'value');
  const [height, sea] = await packets.columns('GnssPvtData', ['height', 'hMSL']);
  const first = height.findIndex((value, i) => Number.isFinite(value - sea[i]));
  let apart = first < 0 ? Number.NaN : height[first] - sea[first];
  for (let i = 0; i < told.length; i++) {
    if (Number.isFinite(height[i] - sea[i])) apart = height[i] - sea[i];
    if (Number.isNaN(told[i])) told[i] = ellipsoid[i] - apart / 1000;
  }
  return told;
}
