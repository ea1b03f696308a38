import { HttpError, quote } from './http.ts';
import type { ServerLimits } from './limits.ts';

/** Which events a client asked for; all if a list is absent. */
export interface StreamFilter {
  readonly events?: readonly string[] | undefined;
  readonly vehicles?: readonly string[] | undefined;
  readonly messages?: readonly string[] | undefined;
  /** Messages of one kind and sender a second at most; 0 for all of them. */
  readonly rate: number;
}

const FASTEST = 1000;
const SLOWEST = 0.01;

/** The lists of a filter, by the name that a client gives each. */
const LISTS: Readonly<Record<string, 'events' | 'vehicles' | 'messages'>> = {
  event: 'events',
  vehicle: 'vehicles',
  message: 'messages',
};

/** Names that a stream takes in its query beside the filter. */
export const SINCE = 'since';
export const LAST = 'last';

/** `?vehicle=1,2&message=ATTITUDE&event=message,text&rate=5`. */
export function filterOfQuery(query: URLSearchParams, limits: ServerLimits): StreamFilter {
  const given: Record<string, unknown> = Object.create(null);
  for (const [name, value] of query) {
    if (name === SINCE || name === LAST) continue;
    if (given[name] !== undefined) throw new HttpError(400, `${quote(name)} is given twice: separate names by commas`);
    given[name] = name === 'rate' ? Number(value === '' ? Number.NaN : value) : value.split(',');
  }
  return filterOf(given, limits);
}

/** The same as an object, as a WebSocket sends it: `{"vehicle":["1"],"message":["ATTITUDE"],"rate":5}`. */
export function filterOf(given: unknown, limits: ServerLimits): StreamFilter {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new HttpError(400, 'filter: expected an object with event, vehicle, message, rate');
  const filter: { rate: number; events?: string[]; vehicles?: string[]; messages?: string[] } = { rate: 0 };
  for (const [name, value] of Object.entries(given)) {
    if (name === 'rate') filter.rate = rateOf(value);
    else if (Object.hasOwn(LISTS, name)) filter[LISTS[name]] = namesOf(name, value, limits);
    else throw new HttpError(400, `unknown filter ${quote(name)}: expected event, vehicle, message or rate`);
  }
  return filter;
}

function rateOf(value: unknown): number {
  if (value === 0 || (typeof value === 'number' && value >= SLOWEST && value <= FASTEST)) return value;
  throw new HttpError(400, `rate must be a number a second from ${SLOWEST} to ${FASTEST}, or 0 for all`);
}

function namesOf(name: string, value: unknown, { filterNames }: ServerLimits): string[] {
  if (!Array.isArray(value) || !value.every((one): one is string => typeof one === 'string' && one !== ''))
    throw new HttpError(400, `filter ${name}: expected a list of non-empty names`);
  if (value.length > filterNames)
    throw new HttpError(400, `filter ${name} has ${value.length} names, at most ${filterNames} are accepted`);
  return value;
}

interface Filtered {
  readonly type: string;
  readonly vehicle: string | null;
  readonly name?: string;
}

export function wants({ events, vehicles, messages }: StreamFilter, { type, vehicle, name = '' }: Filtered): boolean {
  if (events && !events.includes(type)) return false;
  if (vehicles && vehicle && !vehicles.includes(vehicle)) return false;
  return type !== 'message' || !messages || messages.includes(name);
}
