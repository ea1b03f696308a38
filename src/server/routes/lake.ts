import { LAKE_LIMITS } from '../../lake/limits.ts';
import { sendFile } from '../file-answer.ts';
import { HttpError, JSON_TYPE, quote } from '../http.ts';
import { BYTES_TYPE } from '../pages.ts';
import {
  FLAG,
  inPath,
  inQuery,
  json,
  listOf,
  mapOf,
  NUMBER,
  objectOf,
  orNull,
  type Route,
  type Shape,
  TEXT,
  WHOLE,
} from '../route.ts';
import type { LakeView } from '../view.ts';

const REVISION = inQuery('revision', 'the revision of the list, from /v1/lake');
const OFFSET = inQuery('offset', 'where in the list to begin', WHOLE);
const LOG = inPath('log', 'the id of a log');
const MOST = inQuery('points', `points of a line, ${LAKE_LIMITS.outlinePoints} at most`, WHOLE);

const LOG_SECONDS: Shape = {
  type: 'number',
  description: 'seconds since 1970-01-01 UTC, or since boot if utc is false',
};
const BOX: Shape = objectOf({ west: NUMBER, south: NUMBER, east: NUMBER, north: NUMBER });

const FLIGHT: Shape = objectOf({
  id: TEXT,
  log: TEXT,
  flight: WHOLE,
  vehicle: TEXT,
  kind: orNull(TEXT),
  firmware: TEXT,
  format: TEXT,
  path: TEXT,
  name: TEXT,
  utc: FLAG,
  logStart: orNull(LOG_SECONDS),
  start: orNull(LOG_SECONDS),
  end: orNull(LOG_SECONDS),
  inAir: orNull(NUMBER),
  distance: orNull(NUMBER),
  maxHeight: orNull(NUMBER),
  modes: listOf(objectOf({ mode: TEXT, seconds: orNull(NUMBER) })),
  milliampHours: orNull(NUMBER),
  percent: orNull(NUMBER),
  startVolts: orNull(NUMBER),
  endVolts: orNull(NUMBER),
  lost: FLAG,
  once: FLAG,
  findings: listOf(objectOf({ check: TEXT, severity: TEXT, title: TEXT })),
  box: orNull(BOX),
  isThere: FLAG,
});

const STATE: Shape = objectOf({ name: TEXT, revision: TEXT, flights: WHOLE, more: FLAG, problems: listOf(TEXT) });
const OUTLINES: Shape = mapOf(listOf(listOf(WHOLE)));

/** The flights of a lake, their paths and the files of their logs. */
export function lakeRoutes(lake: LakeView): Route[] {
  const { flightsPerAnswer, namedOutlines, outlinePoints } = LAKE_LIMITS;
  return [
    {
      method: 'get',
      path: '/v1/lake',
      summary: 'How the lake is: its revision, how many flights are listed, and what is wrong with it.',
      parameters: [],
      type: JSON_TYPE,
      schema: STATE,
      handle: async () => json(await lake.state()),
    },
    {
      method: 'get',
      path: '/v1/lake/flights',
      summary: `${flightsPerAnswer} flights of the list from an offset on, the newest first.`,
      parameters: [REVISION, OFFSET],
      type: JSON_TYPE,
      schema: objectOf({ flights: listOf(FLIGHT) }),
      statuses: [400, 409],
      handle: async ({ query }) =>
        json({ flights: current(await lake.flights(revisionOf(query), wholeOf(query, 'offset'), flightsPerAnswer)) }),
    },
    {
      method: 'get',
      path: '/v1/lake/outlines',
      summary: 'Paths of flights by their ids: of a part of the list, or of those that are named.',
      parameters: [REVISION, OFFSET, MOST, inQuery('id', `a flight; up to ${namedOutlines} of them`)],
      type: JSON_TYPE,
      schema: objectOf({ outlines: OUTLINES }),
      statuses: [400, 409],
      handle({ query }) {
        const most = Math.max(2, Math.min(wholeOf(query, 'points', outlinePoints), outlinePoints));
        const ids = query.getAll('id');
        if (ids.length > namedOutlines)
          throw new HttpError(400, `${ids.length} paths requested, at most ${namedOutlines} at a time`);
        if (ids.length > 0) return json({ outlines: lake.outlinesOf(ids, most) });
        return json({
          outlines: current(lake.outlines(revisionOf(query), wholeOf(query, 'offset'), flightsPerAnswer, most)),
        });
      },
    },
    {
      method: 'get',
      path: '/v1/lake/logs/{log}',
      summary: 'Whether the source file of a log still holds it.',
      parameters: [LOG],
      type: JSON_TYPE,
      schema: objectOf({ name: TEXT, path: TEXT, problem: orNull(TEXT) }),
      handle: async ({ parameters }) => json(await originalOf(lake, parameters.log)),
    },
    {
      method: 'get',
      path: '/v1/lake/logs/{log}/file',
      summary: 'The file that a log came from, or the bytes of it that a Range header names.',
      parameters: [LOG],
      type: BYTES_TYPE,
      statuses: [206, 304, 416],
      async handle({ parameters, request, response }) {
        const { name, path, problem } = await originalOf(lake, parameters.log);
        if (problem !== null) throw new HttpError(404, problem);
        await sendFile(request, response, { path, name, type: BYTES_TYPE, cache: 'private, no-cache', plain: false });
        return undefined;
      },
    },
  ];
}

function revisionOf(query: URLSearchParams): string {
  const revision = query.get('revision');
  if (revision === null) throw new HttpError(400, 'missing revision: get it from /v1/lake');
  return revision;
}

function wholeOf(query: URLSearchParams, name: string, otherwise = 0): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new HttpError(400, `${name} ${quote(text)} is not a whole number`);
  return Number(text);
}

function current<T>(answer: T | undefined): T {
  if (answer === undefined) throw new HttpError(409, 'the lake has changed: get its revision again');
  return answer;
}

async function originalOf(
  lake: LakeView,
  log: string,
): Promise<{ name: string; path: string; problem: string | null }> {
  const found = await lake.original(log);
  if (!found) throw new HttpError(404, `no log has the id ${quote(log)}`);
  return found;
}
