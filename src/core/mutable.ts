/** What others see read-only, for its owner. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
