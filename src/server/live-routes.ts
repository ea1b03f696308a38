import { JSON_TYPE } from './headers.ts';
import { seconds } from './json.ts';
import { quote, Refusal } from './refusal.ts';
import { inPath, json, type Parameter, type Route } from './route.ts';
import { ANYTHING, FLAG, listOf, mapOf, NUMBER, objectOf, orNull, SECONDS, type Shape, TEXT, WHOLE } from './shape.ts';
import type {
  BatterySummary,
  LinkSummary,
  LiveView,
  MessageSummary,
  VehicleDetail,
  VehiclePosition,
  VehicleSummary,
} from './view.ts';

/** How a vehicle stands in a path. */
export const VEHICLE: Parameter = inPath('vehicle', 'the id of a vehicle: 1, or 1@link2 where two have one system id');

const POSITION = objectOf({
  latitude: NUMBER,
  longitude: NUMBER,
  altitude: orNull(NUMBER),
  relativeAltitude: orNull(NUMBER),
  heading: orNull(NUMBER),
});

const BATTERY = objectOf({
  id: WHOLE,
  voltage: orNull(NUMBER),
  current: orNull(NUMBER),
  remaining: orNull(NUMBER),
});

const SUMMARY: Readonly<Record<string, Shape>> = {
  id: TEXT,
  system: WHOLE,
  component: WHOLE,
  link: TEXT,
  class: TEXT,
  firmware: TEXT,
  armed: orNull(FLAG),
  mode: orNull(TEXT),
  lost: FLAG,
  lastHeartbeat: orNull(SECONDS),
  lastActivity: orNull(SECONDS),
  rate: NUMBER,
  loss: orNull(NUMBER),
  position: orNull(POSITION),
  batteries: listOf(BATTERY),
};

const MESSAGE = objectOf({
  component: WHOLE,
  message: TEXT,
  id: WHOLE,
  count: WHOLE,
  rate: NUMBER,
  first: SECONDS,
  last: SECONDS,
});

const LINK = objectOf({
  name: TEXT,
  kind: TEXT,
  state: TEXT,
  since: orNull(SECONDS),
  lastBytes: orNull(SECONDS),
  retryAt: orNull(SECONDS),
  bytesIn: WHOLE,
  packetsIn: WHOLE,
  bytesOut: WHOLE,
  packetsOut: WHOLE,
  dropped: WHOLE,
  receiveBuffer: orNull(objectOf({ asked: WHOLE, got: WHOLE })),
  peer: orNull(TEXT),
  hint: TEXT,
  error: TEXT,
  forward: FLAG,
});

/** Vehicles, what they sent, links, statistics. */
export function liveRoutes(view: LiveView): Route[] {
  const common = { method: 'get', type: JSON_TYPE } as const;
  return [
    {
      ...common,
      path: '/v1/vehicles',
      summary: 'All vehicles that were heard.',
      parameters: [],
      schema: objectOf({ vehicles: listOf(objectOf(SUMMARY)) }),
      handle: () => json({ vehicles: view.vehicles().map(vehicleOut) }),
    },
    {
      ...common,
      path: '/v1/vehicles/{vehicle}',
      summary: 'All that is known of one vehicle.',
      parameters: [VEHICLE],
      schema: objectOf({ ...SUMMARY, components: listOf(WHOLE), state: ANYTHING }),
      handle({ parameters }) {
        const { components, state, ...vehicle } = needVehicle(view, parameters.vehicle);
        return json({ ...vehicleOut(vehicle), components, state });
      },
    },
    {
      ...common,
      path: '/v1/vehicles/{vehicle}/messages',
      summary: 'The kinds of messages that a vehicle sent, with their number and rate.',
      parameters: [VEHICLE],
      schema: objectOf({ messages: listOf(MESSAGE) }),
      handle({ parameters }) {
        const { id } = needVehicle(view, parameters.vehicle);
        return json({ messages: view.messages(id).map(messageOut) });
      },
    },
    {
      ...common,
      path: '/v1/links',
      summary: 'All links and what they do.',
      parameters: [],
      schema: objectOf({ links: listOf(LINK) }),
      handle: () => json({ links: view.links().map(linkOut) }),
    },
    {
      ...common,
      path: '/v1/statistics',
      summary: 'Counters of the collector.',
      parameters: [],
      schema: mapOf(ANYTHING),
      handle: () => json(view.statistics()),
    },
  ];
}

/** Throws where there is no such vehicle. */
export function needVehicle(view: LiveView, id: string): VehicleDetail {
  const vehicle = view.vehicle(id);
  if (vehicle) return vehicle;
  const known = view.vehicles().map((one) => one.id);
  const hint = known.length === 0 ? 'none was heard yet' : `there are ${known.slice(0, 16).join(', ')}`;
  throw new Refusal(404, `no vehicle ${quote(id)}: ${hint}`);
}

/** Only what the schema names goes out, whatever else the view's own objects hold. */
export function vehicleOut(vehicle: VehicleSummary): Record<string, unknown> {
  const { id, system, component, link, armed, mode, lost, rate, loss, position, batteries, firmware } = vehicle;
  const [lastHeartbeat, lastActivity] = [seconds(vehicle.lastHeartbeat), seconds(vehicle.lastActivity)];
  return {
    ...{ id, system, component, link, class: vehicle.class, firmware, armed, mode, lost, lastHeartbeat, lastActivity },
    ...{ rate, loss, position: position && positionOut(position) },
    batteries: batteries.map(batteryOut),
  };
}

function positionOut(position: VehiclePosition): Record<string, unknown> {
  const { latitude, longitude, altitude, relativeAltitude, heading } = position;
  return { latitude, longitude, altitude, relativeAltitude, heading };
}

function batteryOut({ id, voltage, current, remaining }: BatterySummary): Record<string, unknown> {
  return { id, voltage, current, remaining };
}

function messageOut({ component, message, id, count, rate, first, last }: MessageSummary): Record<string, unknown> {
  return { component, message, id, count, rate, first: seconds(first), last: seconds(last) };
}

function linkOut(link: LinkSummary): Record<string, unknown> {
  const { name, kind, state, bytesIn, packetsIn, bytesOut, packetsOut, dropped, receiveBuffer, peer } = link;
  const [since, lastBytes, retryAt] = [link.since, link.lastBytes, link.retryAt].map(seconds);
  const buffer = receiveBuffer && { asked: receiveBuffer.asked, got: receiveBuffer.got };
  return {
    ...{ name, kind, state, since, lastBytes, retryAt, bytesIn, packetsIn, bytesOut, packetsOut, dropped },
    ...{ receiveBuffer: buffer, peer, hint: link.hint, error: link.error, forward: link.forward === true },
  };
}
