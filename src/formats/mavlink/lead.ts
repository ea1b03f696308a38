/** What a container puts before each frame: a telemetry log the time at which it came. */
export interface Lead {
  readonly bytes: number;
  /** Whether these bytes can be one at all. */
  isPossible(bytes: Uint8Array, at: number): boolean;
  /** Whether they are one also if nothing else says so. */
  isLikely(bytes: Uint8Array, at: number): boolean;
  /** A frame of a sender was taken that has this one; `offset` is its place in the source. */
  take(bytes: Uint8Array, at: number, offset: number): void;
}
