/** A schema of JSON, as an OpenAPI document holds it. */
export type Shape = { readonly [key: string]: unknown };

export const TEXT: Shape = { type: 'string' };
export const NUMBER: Shape = { type: 'number' };
export const WHOLE: Shape = { type: 'integer' };
export const FLAG: Shape = { type: 'boolean' };
/** Seconds since 1970, UTC, with microseconds behind the point. */
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
