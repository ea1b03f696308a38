/** How a line is drawn, besides its colour. */
export interface Dashing {
  readonly dashed: boolean;
}

/** Pixels of strokes and of the gaps between them, none for a line without gaps. */
export function dashOf({ dashed }: Dashing): number[] {
  return dashed ? [6, 4] : [];
}
