import type { Messages } from './built-in-messages.ts';

/**
 * The fields of the built-in messages by name: `Messages['ATTITUDE']`. Text is a string, an array an array, and a
 * 64-bit integer a bigint where a number could not hold it. Further messages can be declared beside them:
 * `interface Mine extends Messages { MY_MESSAGE: { value: number } }`.
 */
export type { Messages };

export type MessageName = keyof Messages & string;

/** A field of a message as it may be given to be sent. Null is the number that means "missing", if it has one. */
type SendValue<T> = T extends string
  ? string | Uint8Array
  : T extends readonly (infer E)[]
    ? ArrayLike<E | null> | null
    : T | null;

/** The fields of a message as they may be given to be sent. What is left out is 0. */
export type SendValues<M> = { readonly [F in keyof M]?: SendValue<M[F]> };
