import type { FlightListWire, FlightWire } from '../../src/server/wire.ts';
import { addressOf, getJson } from '../shared/server.ts';

export function lakeState(): Promise<FlightListWire> {
  return getJson('v1/lake');
}

/** A part of the list from an offset on. */
export async function flightsFrom(revision: string, offset: number): Promise<FlightWire[]> {
  const answer = await getJson<{ flights: FlightWire[] }>(`v1/lake/flights?revision=${revision}&offset=${offset}`);
  return answer.flights;
}

/** Lines in millionths of a degree: a place, then steps from each to the next. */
export type Outlines = Readonly<Record<string, readonly (readonly number[])[]>>;

/** Points of a line on an overview map. */
const FEW = 24;

export async function outlinesFrom(revision: string, offset: number): Promise<Outlines> {
  const path = `v1/lake/outlines?revision=${revision}&offset=${offset}&points=${FEW}`;
  return (await getJson<{ outlines: Outlines }>(path)).outlines;
}

/** The lines of few flights as exactly as the server has them. */
export async function fineOutlines(ids: readonly string[]): Promise<Outlines> {
  const address = addressOf('v1/lake/outlines');
  for (const id of ids) address.searchParams.append('id', id);
  return (await getJson<{ outlines: Outlines }>(address.pathname + address.search)).outlines;
}
