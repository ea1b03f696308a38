import type { IncomingMessage, ServerResponse } from 'node:http';
import { JSON_TYPE } from './headers.ts';
import { jsonText } from './json.ts';
import type { Shape } from './shape.ts';

/** One request that a route answers. */
export interface Call {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What was sent with a POST. */
  readonly body: unknown;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What is sent; `undefined` where the route has sent it, or will. */
export type Answer = { readonly type: string; readonly body: string } | undefined;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly schema: Shape;
}

/**
 * A row of the table that both the router and the API document are made from: what stands in one stands in the other.
 * Paths have their parameters in braces; one with a `+` behind its name takes the rest of the path.
 */
export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** The kind of the answer, and its schema where it is JSON. */
  readonly type: string;
  readonly schema?: Shape | undefined;
  /** Statuses other than that of a success and those that every route may have. */
  readonly statuses?: readonly number[] | undefined;
  handle(call: Call): Answer | Promise<Answer>;
}

export function json(value: unknown): Answer {
  return { type: JSON_TYPE, body: `${jsonText(value)}\n` };
}

export function inPath(name: string, description: string, schema: Shape = { type: 'string' }): Parameter {
  return { name, in: 'path', description, schema };
}

export function inQuery(name: string, description: string, schema: Shape = { type: 'string' }): Parameter {
  return { name, in: 'query', description, schema };
}
