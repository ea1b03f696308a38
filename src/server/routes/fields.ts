import type { Field } from '../../core/schema.ts';
import { HttpError, JSON_TYPE, quote } from '../http.ts';
import {
  FLAG,
  inPath,
  json,
  listOf,
  mapOf,
  objectOf,
  orNull,
  type Parameter,
  type Route,
  TEXT,
  WHOLE,
} from '../route.ts';
import type { LatestMessage, LiveView } from '../view.ts';
import { needVehicle, VEHICLE } from './live.ts';

export const MESSAGE: Parameter = inPath('message', 'the name of a message: ATTITUDE');

const FIELD = objectOf({
  name: TEXT,
  type: TEXT,
  count: WHOLE,
  unit: TEXT,
  enumeration: orNull(objectOf({ name: TEXT, bitmask: FLAG, names: mapOf(TEXT) })),
});

/** What the fields of messages mean. */
export function fieldRoutes(view: LiveView): Route[] {
  return [
    {
      method: 'get',
      type: JSON_TYPE,
      path: '/v1/vehicles/{vehicle}/messages/{message}',
      summary: 'The fields of a message that a vehicle sent: type, unit, names of values.',
      parameters: [VEHICLE, MESSAGE],
      schema: objectOf({ message: TEXT, fields: listOf(FIELD) }),
      handle({ parameters: { vehicle, message } }) {
        const latest = latestOfAny(view, needVehicle(view, vehicle).id, message);
        return json({ message, fields: latest.schema?.fields.map(fieldOut) ?? [] });
      },
    },
  ];
}

/** From any component: a message means the same in all of them. */
function latestOfAny(view: LiveView, vehicle: string, message: string): LatestMessage {
  const sender = view.messages(vehicle).find((each) => each.message === message);
  const latest = sender && view.latest(vehicle, sender.component, message);
  if (!latest) throw new HttpError(404, `vehicle ${vehicle} sent no message ${quote(message)}`);
  return latest;
}

function fieldOut({ name, type, count, unit, enumeration }: Field): Record<string, unknown> {
  const { bitmask = false, names = [] } = enumeration ?? {};
  return {
    ...{ name, type, count, unit },
    enumeration: enumeration ? { name: enumeration.name, bitmask, names: Object.fromEntries(names) } : null,
  };
}
