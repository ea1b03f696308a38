/** A vehicle as the table shows it. */
export interface VehicleLine {
  readonly id: string;
  readonly mode: string;
  readonly armed: string;
}

interface VehicleAnswer {
  readonly vehicles: readonly { readonly id: string; readonly mode: string | null; readonly armed: boolean | null }[];
}

/** Asks the collector which vehicles it hears. */
export async function askVehicles(): Promise<VehicleLine[]> {
  const answer = await fetch(new URL('v1/vehicles', document.baseURI));
  if (!answer.ok) throw new Error(`there is no collector here: the server answered ${answer.status}`);
  const { vehicles } = (await answer.json()) as VehicleAnswer;
  return vehicles.map(({ id, mode, armed }) => ({
    ...{ id, mode: mode ?? '–' },
    armed: armed === null ? '–' : armed ? 'armed' : 'disarmed',
  }));
}
