import { HttpError, JSON_TYPE, quote } from '../http.ts';
import {
  ANYTHING,
  FLAG,
  inPath,
  json,
  listOf,
  mapOf,
  NUMBER,
  objectOf,
  orNull,
  type Parameter,
  type Route,
  SECONDS,
  type Shape,
  TEXT,
  WHOLE,
} from '../route.ts';
import type { LiveView } from '../view.ts';
import type { VehicleDetailWire } from '../wire.ts';

export const VEHICLE: Parameter = inPath('vehicle', 'the id of a vehicle: 1, or 1@link2 where two have one system id');

const AGE: Readonly<Record<string, Shape>> = {
  time: orNull(SECONDS),
  age: orNull({ type: 'number', description: 'seconds since it came' }),
  stale: FLAG,
};

const POSITION = objectOf({
  latitude: NUMBER,
  longitude: NUMBER,
  altitude: orNull(NUMBER),
  relativeAltitude: orNull(NUMBER),
  heading: orNull(NUMBER),
  ...AGE,
});

const SPEED = objectOf({
  ground: orNull(NUMBER),
  air: orNull(NUMBER),
  climb: orNull(NUMBER),
  throttle: orNull(NUMBER),
  ...AGE,
});

const BATTERY = objectOf({
  id: WHOLE,
  voltage: orNull(NUMBER),
  current: orNull(NUMBER),
  remaining: orNull(NUMBER),
  consumed: orNull(NUMBER),
  energy: orNull(NUMBER),
  temperature: orNull(NUMBER),
  cells: listOf(NUMBER),
  timeRemaining: orNull(NUMBER),
  chargeState: orNull(WHOLE),
  faults: WHOLE,
  ...AGE,
});

const SUMMARY: Readonly<Record<string, Shape>> = {
  id: TEXT,
  system: WHOLE,
  component: WHOLE,
  link: TEXT,
  links: listOf(TEXT),
  class: TEXT,
  firmware: TEXT,
  armed: orNull(FLAG),
  mode: orNull(TEXT),
  heartbeat: objectOf(AGE),
  lost: FLAG,
  lastHeartbeat: orNull(SECONDS),
  lastActivity: orNull(SECONDS),
  rate: NUMBER,
  loss: orNull(NUMBER),
  conflict: orNull(TEXT),
  position: orNull(POSITION),
  speed: orNull(SPEED),
  batteries: listOf(BATTERY),
};

const MESSAGE = objectOf({
  component: WHOLE,
  message: TEXT,
  id: WHOLE,
  count: WHOLE,
  rate: NUMBER,
  first: orNull(SECONDS),
  last: orNull(SECONDS),
  age: AGE.age,
  stale: FLAG,
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
  notice: TEXT,
});

const LOG: Readonly<Record<string, Shape>> = { key: TEXT, name: TEXT, size: WHOLE, time: orNull(SECONDS) };

const LOGS = objectOf({
  ...{ state: TEXT, error: TEXT, obstacle: TEXT, logs: listOf(objectOf(LOG)) },
  download: orNull(
    objectOf({
      ...{ ...LOG, state: TEXT, error: TEXT, received: WHOLE, rate: NUMBER },
      ...{ verified: FLAG, grown: FLAG, recording: orNull(TEXT) },
    }),
  ),
});

/** Vehicles, what they sent, links, statistics. */
export function liveRoutes(view: LiveView): Route[] {
  const common = { method: 'get', type: JSON_TYPE } as const;
  const logs: Route = {
    ...common,
    path: '/v1/vehicles/{vehicle}/logs',
    summary: "The logs on a vehicle's card, once `list-logs` asked for them, and the download of one.",
    parameters: [VEHICLE],
    schema: LOGS,
    handle: ({ parameters }) => json(view.logs?.(needVehicle(view, parameters.vehicle).id)),
  };
  return [
    ...(view.logs ? [logs] : []),
    {
      ...common,
      path: '/v1/vehicles',
      summary: 'All vehicles.',
      parameters: [],
      schema: objectOf({ vehicles: listOf(objectOf(SUMMARY)) }),
      handle: () => json({ vehicles: view.vehicles() }),
    },
    {
      ...common,
      path: '/v1/vehicles/{vehicle}',
      summary: 'All that is known of one vehicle.',
      parameters: [VEHICLE],
      schema: objectOf({ ...SUMMARY, components: listOf(WHOLE), state: ANYTHING }),
      handle: ({ parameters }) => json(needVehicle(view, parameters.vehicle)),
    },
    {
      ...common,
      path: '/v1/vehicles/{vehicle}/messages',
      summary: 'The kinds of messages that a vehicle sent, with their number and rate.',
      parameters: [VEHICLE],
      schema: objectOf({ messages: listOf(MESSAGE) }),
      handle: ({ parameters }) => json({ messages: view.messages(needVehicle(view, parameters.vehicle).id) }),
    },
    {
      ...common,
      path: '/v1/links',
      summary: 'All links and what they do.',
      parameters: [],
      schema: objectOf({ links: listOf(LINK) }),
      handle: () => json({ links: view.links() }),
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

/** Throws if there is no such vehicle. */
export function needVehicle(view: LiveView, id: string): VehicleDetailWire {
  const vehicle = view.vehicle(id);
  if (vehicle) return vehicle;
  const known = view.vehicles().map((one) => one.id);
  const hint = known.length === 0 ? 'no vehicle so far' : `known are ${known.slice(0, 16).join(', ')}`;
  throw new HttpError(404, `unknown vehicle ${quote(id)}: ${hint}`);
}
