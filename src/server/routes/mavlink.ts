import { HttpError, JSON_TYPE, quote } from '../http.ts';
import {
  ANYTHING,
  inPath,
  json,
  mapOf,
  NUMBER,
  objectOf,
  orNull,
  type Route,
  type Shape,
  TEXT,
  WHOLE,
} from '../route.ts';
import type { LatestMessage, LiveView } from '../view.ts';
import type { MessageCountWire, VehicleWire } from '../wire.ts';
import { MESSAGE } from './fields.ts';
import { needVehicle, VEHICLE } from './live.ts';

/*
 * The newest message of each kind as a tree of paths, in the layout that mavlink2rest made known, so that what was
 * written for it finds its way:
 *
 *   /v1/mavlink/vehicles/1/components/1/messages/ATTITUDE/message/roll
 *
 * Values follow the rules of Skein, which differ in one thing: enumerated values are numbers, not names.
 */

const ROOT = '/v1/mavlink';
const COMPONENT = inPath('component', 'a component id, 1 for the autopilot', { type: 'integer' });
const REST = inPath('path', 'which part: message/roll, status/time/frequency; elements of arrays by number');

const FIELDS: Shape = { type: 'object', properties: { type: TEXT }, required: ['type'], additionalProperties: true };
const STATUS = objectOf({
  time: objectOf({ counter: WHOLE, frequency: NUMBER, first_update: orNull(TEXT), last_update: orNull(TEXT) }),
});
const LATEST: Shape = objectOf({ message: FIELDS, status: STATUS }, { instances: mapOf(FIELDS) });
const MESSAGES = mapOf(LATEST);
const ONE_COMPONENT = objectOf({ id: WHOLE, messages: MESSAGES });
const COMPONENTS = mapOf(ONE_COMPONENT);
const ONE_VEHICLE = objectOf({ id: WHOLE, components: COMPONENTS });
const VEHICLES = mapOf(ONE_VEHICLE);

type Tree = Record<string, unknown>;

export function mavlinkRoutes(view: LiveView): Route[] {
  const common = { method: 'get', type: JSON_TYPE } as const;
  const one = `${ROOT}/vehicles/{vehicle}`;
  const component = `${one}/components/{component}`;
  const message = `${component}/messages/{message}`;
  return [
    {
      ...common,
      path: ROOT,
      summary: 'The newest message of each kind of all vehicles.',
      parameters: [],
      schema: objectOf({ vehicles: VEHICLES }),
      handle: () => json({ vehicles: vehicles(view) }),
    },
    {
      ...common,
      path: `${ROOT}/vehicles`,
      summary: 'The same by vehicle.',
      parameters: [],
      schema: VEHICLES,
      handle: () => json(vehicles(view)),
    },
    {
      ...common,
      path: one,
      summary: 'The newest messages of one vehicle.',
      parameters: [VEHICLE],
      schema: ONE_VEHICLE,
      handle: ({ parameters }) => json(vehicle(view, needVehicle(view, parameters.vehicle))),
    },
    {
      ...common,
      path: `${one}/components`,
      summary: 'The same by component.',
      parameters: [VEHICLE],
      schema: COMPONENTS,
      handle: ({ parameters }) => json(components(view, needVehicle(view, parameters.vehicle).id)),
    },
    {
      ...common,
      path: component,
      summary: 'The newest messages of one component.',
      parameters: [VEHICLE, COMPONENT],
      schema: ONE_COMPONENT,
      handle: ({ parameters }) => json(oneComponent(view, parameters)),
    },
    {
      ...common,
      path: `${component}/messages`,
      summary: 'The same by name.',
      parameters: [VEHICLE, COMPONENT],
      schema: MESSAGES,
      handle: ({ parameters }) => json(oneComponent(view, parameters).messages),
    },
    {
      ...common,
      path: message,
      summary: 'The newest message of a kind.',
      parameters: [VEHICLE, COMPONENT, MESSAGE],
      schema: LATEST,
      handle: ({ parameters }) => json(oneMessage(view, parameters)),
    },
    {
      ...common,
      path: `${message}/{path+}`,
      summary: 'One value of the newest message.',
      parameters: [VEHICLE, COMPONENT, MESSAGE, REST],
      schema: ANYTHING,
      handle: ({ parameters }) => json(valueAt(oneMessage(view, parameters), parameters.path)),
    },
  ];
}

function vehicles(view: LiveView): Tree {
  const tree: Tree = Object.create(null);
  for (const one of view.vehicles()) tree[one.id] = vehicle(view, one);
  return tree;
}

function vehicle(view: LiveView, { id, system }: VehicleWire): Tree {
  return { id: system, components: components(view, id) };
}

function components(view: LiveView, id: string): Tree {
  const tree: Tree = Object.create(null);
  const all = view.messages(id);
  for (const component of new Set(all.map((one) => one.component))) {
    tree[component] = { id: component, messages: messages(view, id, component, all) };
  }
  return tree;
}

function messages(view: LiveView, id: string, component: number, all: readonly MessageCountWire[]): Tree {
  const tree: Tree = Object.create(null);
  for (const { component: sender, message } of all) {
    const latest = sender === component ? view.latest(id, component, message) : undefined;
    if (latest) tree[message] = latestOut(message, latest);
  }
  return tree;
}

function oneComponent(view: LiveView, parameters: Readonly<Record<string, string>>): Tree {
  const { id } = needVehicle(view, parameters.vehicle);
  const tree = components(view, id);
  const found = Object.hasOwn(tree, parameters.component) ? tree[parameters.component] : undefined;
  if (found) return found as Tree;
  const known = Object.keys(tree).join(', ') || 'none';
  throw new HttpError(404, `vehicle ${id} has no component ${quote(parameters.component)}: there are ${known}`);
}

function oneMessage(view: LiveView, { vehicle, component, message }: Readonly<Record<string, string>>): Tree {
  const { id } = needVehicle(view, vehicle);
  const latest = /^\d{1,3}$/.test(component) ? view.latest(id, Number(component), message) : undefined;
  if (latest) return latestOut(message, latest);
  throw new HttpError(404, `vehicle ${id} sent no message ${quote(message)} from component ${quote(component)}`);
}

function latestOut(name: string, { time, count, rate, first, data, instances }: LatestMessage): Tree {
  const [first_update, last_update] = [isoTime(first), isoTime(time)];
  const status = { time: { counter: count, frequency: rate, first_update, last_update } };
  const tree = { message: messageOut(name, data), status };
  if (!instances) return tree;
  const byId: Tree = {};
  for (const [id, fields] of instances) byId[id] = messageOut(name, fields);
  return { ...tree, instances: byId };
}

function messageOut(name: string, data: LatestMessage['data']): Tree {
  const message: Tree = Object.create(null);
  message.type = name;
  // a field may be called type as well, as in HEARTBEAT: mavlink2rest has this name for it
  for (const [key, value] of Object.entries(data)) message[key === 'type' ? 'mavtype' : key] = value;
  return message;
}

function isoTime(micros: number | undefined): string | null {
  const date = new Date((micros ?? Number.NaN) / 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Follows own properties only: `constructor` and `__proto__` lead nowhere unless a message has such a field. */
function valueAt(tree: unknown, path: string): unknown {
  let at = tree;
  for (const name of path.split('/')) {
    const isOpen = typeof at === 'object' && at !== null && !ArrayBuffer.isView(at);
    if (!isOpen || !Object.hasOwn(at as object, name) || (Array.isArray(at) && !/^\d+$/.test(name)))
      throw new HttpError(404, `${quote(path)} not found: no ${quote(name)}`);
    at = (at as Tree)[name];
  }
  return at;
}
