import type { IncomingMessage, ServerResponse } from 'node:http';
import { JSON_TYPE, jsonText } from './http.ts';

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

/** A row of the table of router and API document. `{name}` is a parameter; `{name+}` takes the rest of the path. */
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

/** A schema of JSON, as an OpenAPI document holds it. */
export type Shape = { readonly [key: string]: unknown };

export const TEXT: Shape = { type: 'string' };
export const NUMBER: Shape = { type: 'number' };
export const WHOLE: Shape = { type: 'integer' };
export const FLAG: Shape = { type: 'boolean' };
/** Seconds since 1970, UTC, with microseconds after the point. */
export const SECONDS: Shape = { type: 'number', description: 'seconds since 1970-01-01 UTC' };
export const ANYTHING: Shape = {};

export function orNull(shape: Shape): Shape {
  return { ...shape, type: [shape.type, 'null'].flat() };
}

export function listOf(items: Shape): Shape {
  return { type: 'array', items };
}

/** An object with exactly these keys, all of them there, but for those that may be absent. */
export function objectOf(
  properties: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const required = Object.keys(properties);
  return { type: 'object', properties: { ...properties, ...optional }, required, additionalProperties: false };
}

/** An object whose keys are data. */
export function mapOf(values: Shape): Shape {
  return { type: 'object', additionalProperties: values };
}

/** Every answer that is not a success. */
export const ERROR: Shape = objectOf({ error: objectOf({ status: WHOLE, message: TEXT }) });
