import { JSON_TYPE } from '../http.ts';
import type { Route } from '../route.ts';
import { ERROR, type Shape } from '../route.ts';

/** Statuses that any route may answer with. */
const ALWAYS: readonly number[] = [401, 403, 404, 500];
const BY_POST: readonly number[] = [400, 413, 415];

const WORDS: Readonly<Record<number, string>> = {
  200: 'OK',
  206: 'the requested part',
  304: 'not changed',
  400: 'the request is not valid',
  401: 'the token is needed',
  403: 'the host or the requesting page is not allowed',
  404: 'not found',
  409: 'the resource has changed',
  413: 'the body is too large',
  415: 'the body is not JSON',
  416: 'range not satisfiable',
  500: 'the server failed',
  503: 'no room for another client',
};

/** The API document, from the table that the router is made from. */
export function openApi(routes: readonly Route[], version: string, url: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace('+}', '}');
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Skein', version, description: 'Vehicles, links and recordings of a running collector.' },
    servers: [{ url }],
    paths,
    components: {
      schemas: { Error: ERROR },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation({ method, path, summary, parameters, type, schema, statuses = [] }: Route): Shape {
  const responses: Record<string, unknown> = {};
  const changes = method === 'post';
  for (const status of [200, ...statuses, ...ALWAYS, ...(changes ? BY_POST : [])].sort((a, b) => a - b)) {
    responses[status] = { description: WORDS[status], ...content(status, type, schema) };
  }
  return {
    operationId: operationId(method, path),
    summary,
    parameters: parameters.map((parameter) => ({ ...parameter, required: parameter.in === 'path' })),
    ...(changes ? { requestBody: { required: true, content: { 'application/json': { schema: {} } } } } : {}),
    // with a token or, for reading on the machine itself, without
    security: changes ? [{ token: [] }] : [{ token: [] }, {}],
    responses,
  };
}

function content(status: number, type: string, schema: Shape | undefined): Shape {
  if (status === 304) return {};
  if (status >= 400) return { content: { [mediaType(JSON_TYPE)]: { schema: { $ref: '#/components/schemas/Error' } } } };
  return { content: { [mediaType(type)]: schema ? { schema } : {} } };
}

function mediaType(type: string): string {
  return type.split(';')[0];
}

/** getVehiclesByVehicleMessages of /v1/vehicles/{vehicle}/messages: generators of clients make functions of it. */
function operationId(method: string, path: string): string {
  const words = path
    .replace('/v1/', '/')
    .split(/[/.-]/)
    .filter((word) => word !== '');
  const named = words.map((word) =>
    word
      .replace(/^\{(\w+)\+?\}$/, 'by-$1')
      .split('-')
      .map(capital)
      .join(''),
  );
  return `${method}${named.join('')}`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
