export interface MapPlace {
  readonly lon: number;
  readonly lat: number;
}

/** What was planned: places to fly to one after the other, areas to stay in, places to come back to. */
export interface MapPlan {
  /** The label is the number of the item. */
  readonly mission: readonly (MapPlace & { readonly label: string })[];
  readonly fences: readonly (readonly MapPlace[])[];
  /** Metres. */
  readonly circles: readonly (MapPlace & { readonly radius: number })[];
  readonly rally: readonly MapPlace[];
}

/** Something that happened somewhere. */
export interface MapPin extends MapPlace {
  /** Microseconds. */
  readonly time: number;
  readonly label: string;
  readonly color: string;
  /** The shape shows the kind without colour. */
  readonly shape: 'circle' | 'square' | 'diamond' | 'triangle';
}

export interface MapVehicle extends MapPlace {
  readonly id: string;
  readonly label: string;
  readonly color: string;
  /** Degrees from north, NaN where it is not known. */
  readonly heading: number;
  /** Whether nothing was heard of it for a while: it is drawn hollow. */
  readonly isStale?: boolean | undefined;
}
