/** Checks a value that came from outside, and rebuilds it from what is known; throws what is wrong under its name. */
export type Shape<T> = (value: unknown, name: string) => T;

export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

export function text(longest: number): Shape<string> {
  return (value, name) => {
    if (typeof value === 'string' && value.length <= longest) return value;
    throw new ShapeError(`${name} is not a text of at most ${longest} characters`);
  };
}

export const flag: Shape<boolean> = (value, name) => {
  if (typeof value === 'boolean') return value;
  throw new ShapeError(`${name} is neither true nor false`);
};

export const number: Shape<number> = (value, name) => {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new ShapeError(`${name} is not a number of 0 or more`);
};

export function whole(least: number, most: number): Shape<number> {
  return (value, name) => {
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
    throw new ShapeError(`${name} is not a whole number from ${least} to ${most}`);
  };
}

export function oneOf<T extends string>(allowed: readonly T[]): Shape<T> {
  return (value, name) => {
    const found = allowed.find((each) => each === value);
    if (found !== undefined) return found;
    throw new ShapeError(`${name} must be one of ${allowed.join(', ')}`);
  };
}

export function list<T>(shape: Shape<T>, longest: number = Number.POSITIVE_INFINITY): Shape<T[]> {
  return (value, name) => {
    if (Array.isArray(value) && value.length <= longest) return value.map((each) => shape(each, name));
    throw new ShapeError(`${name} is not a list of at most ${longest}`);
  };
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value, name) => (value === null ? null : shape(value, name));
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, name) => (value === undefined ? undefined : shape(value, name));
}

/** An object with these fields; those that are not there are left out. */
export function object<T extends object>(shapes: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> {
  return (value, name) => {
    const fields = fieldsOf(value, name);
    const read = Object.entries<Shape<unknown>>(shapes).map(([key, shape]) => [
      key,
      shape(Object.hasOwn(fields, key) ? fields[key] : undefined, `${name}.${key}`),
    ]);
    return Object.fromEntries(read.filter(([, each]) => each !== undefined)) as T;
  };
}

/** An object with any keys, also __proto__, and values of one shape. */
export function record<T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value, name) =>
    Object.fromEntries(
      Object.entries(fieldsOf(value, name)).map(([key, each]) => [key, shape(each, `${name}.${key}`)]),
    );
}

function fieldsOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ShapeError(`${name} is not an object`);
}
