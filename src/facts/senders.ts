import type { StreamStatistics } from '../core/decoder.ts';
import type { Log } from '../core/log.ts';
import { isVehicle, lastHeartbeats } from './heartbeat.ts';

/** MAV_TYPE of a ground station. */
const STATION = 6;

/** How many messages of a sender were lost; null where their numbers do not say it. */
export type LossOf = (sender: StreamStatistics) => number | null;

/** Parts of what came that are lost, and that are repeated or out of order, from which numbers make no sense. */
const LOST = 0.5;
const MIXED = 0.1;

/** Whether a sender's numbers go back and forth (two programs, or hardly any frames), so that they do not show loss. */
export function isMixed({ received, lost, duplicated, reordered }: StreamStatistics): boolean {
  return lost > LOST * received && duplicated + reordered > MIXED * received;
}

/** Whose numbers show loss. A ground station's do not beside a vehicle, which passes on only some of its frames. */
export async function findLosses(log: Log): Promise<LossOf> {
  const stations = await findStations(log);
  const isStation = ({ stream }: StreamStatistics): boolean => stations.has(systemOf(stream));
  const withVehicle = new Set(log.streams.filter((each) => !isStation(each)).map(({ flow }) => flow));
  return (sender) => (isMixed(sender) || (isStation(sender) && withVehicle.has(sender.flow)) ? null : sender.lost);
}

/** Systems of which a component sends the heartbeats of a ground station, and none those of a vehicle. */
async function findStations(log: Log): Promise<Set<string>> {
  const stations = new Set<string>();
  const vehicles = new Set<string>();
  for await (const { table, autopilot, type } of lastHeartbeats(log)) {
    if (type === STATION) stations.add(systemOf(table.stream));
    else if (isVehicle(autopilot, type)) vehicles.add(systemOf(table.stream));
  }
  return new Set([...stations].filter((system) => !vehicles.has(system)));
}

function systemOf(stream: string): string {
  return stream.slice(0, stream.indexOf(':'));
}
