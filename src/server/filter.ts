import type { ServerLimits } from '../core/limits.ts';
import type { Subject } from './item.ts';
import { quote, Refusal } from './refusal.ts';
import type { StreamFilter } from './view.ts';

/** What one client wants to be told. */
export interface Wish extends StreamFilter {
  /** Messages of one kind and sender a second at most; 0 for all of them. */
  readonly rate: number;
}

const FASTEST = 1000;
const SLOWEST = 0.01;

/** The lists of a filter, by the name that a client gives each. */
const LISTS: Readonly<Record<string, 'kinds' | 'vehicles' | 'messages'>> = {
  event: 'kinds',
  vehicle: 'vehicles',
  message: 'messages',
};

/** Names that a stream takes in its query beside the filter. */
export const SINCE = 'since';
export const LAST = 'last';

/** `?vehicle=1,2&message=ATTITUDE&event=message,text&rate=5`. */
export function wishOfQuery(query: URLSearchParams, limits: ServerLimits): Wish {
  const given: Record<string, unknown> = Object.create(null);
  for (const [name, value] of query) {
    if (name === SINCE || name === LAST) continue;
    if (given[name] !== undefined) throw new Refusal(400, `${quote(name)} is given twice: separate names by commas`);
    given[name] = name === 'rate' ? Number(value === '' ? Number.NaN : value) : value.split(',');
  }
  return wishOf(given, limits);
}

/** The same as an object, as a WebSocket sends it: `{"vehicle":["1"],"message":["ATTITUDE"],"rate":5}`. */
export function wishOf(given: unknown, limits: ServerLimits): Wish {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Refusal(400, 'a filter is an object with event, vehicle, message, rate');
  const wish: { rate: number; kinds?: string[]; vehicles?: string[]; messages?: string[] } = { rate: 0 };
  for (const [name, value] of Object.entries(given)) {
    if (name === 'rate') wish.rate = rateOf(value);
    else if (Object.hasOwn(LISTS, name)) wish[LISTS[name]] = namesOf(name, value, limits);
    else throw new Refusal(400, `filter ${quote(name)} is not known: event, vehicle, message and rate are`);
  }
  return wish;
}

function rateOf(value: unknown): number {
  if (value === 0 || (typeof value === 'number' && value >= SLOWEST && value <= FASTEST)) return value;
  throw new Refusal(400, `rate must be a number a second from ${SLOWEST} to ${FASTEST}, or 0 for all`);
}

function namesOf(name: string, value: unknown, { filterNames }: ServerLimits): string[] {
  if (!Array.isArray(value) || !value.every((one): one is string => typeof one === 'string' && one !== ''))
    throw new Refusal(400, `filter ${name} is a list of names, none of them empty`);
  if (value.length > filterNames)
    throw new Refusal(400, `filter ${name} has ${value.length} names, at most ${filterNames} are taken`);
  return value;
}

export function wants({ kinds, vehicles, messages }: StreamFilter, event: Subject): boolean {
  if (kinds && !kinds.includes(event.kind)) return false;
  if (vehicles && event.vehicle !== '' && !vehicles.includes(event.vehicle)) return false;
  return event.kind !== 'message' || !messages || messages.includes(event.message ?? '');
}
