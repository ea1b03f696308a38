/** How a line is drawn, besides its colour. */
export interface Dashing {
  readonly dashed: boolean;
  /** Closer than dashes, which it takes the place of. */
  readonly dotted?: boolean | undefined;
}

/** Pixels of strokes and of the gaps between them, none for a line without gaps. */
export function dashOf({ dashed, dotted = false }: Dashing): number[] {
  if (dotted) return [2, 3];
  return dashed ? [6, 4] : [];
}
