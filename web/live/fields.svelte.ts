import { getJson } from '../shared/server.ts';

/** What a field of a message means. */
export interface FieldMeaning {
  readonly unit: string;
  /** Names of its values, or of its bits. */
  readonly names: {
    readonly name: string;
    readonly bitmask: boolean;
    readonly names: Readonly<Record<string, string>>;
  } | null;
}

interface FieldsAnswer {
  readonly fields: readonly {
    readonly name: string;
    readonly unit: string;
    readonly enumeration: FieldMeaning['names'];
  }[];
}

/** Messages that are asked about at most. */
const MOST_MESSAGES = 1024;
/** Milliseconds after which the server is asked again. */
const PATIENCE = 5000;

/** What the fields of messages mean, asked of the server once for each kind. */
export class Fields {
  private known: ReadonlyMap<string, ReadonlyMap<string, FieldMeaning>> = $state.raw(new Map());
  /** When each may be asked about again, in milliseconds of `performance.now`. */
  private readonly asked = new Map<string, number>();

  /** @param field with the number of the element for arrays: voltages[0] */
  of(message: string, field: string): FieldMeaning | undefined {
    return this.known.get(message)?.get(field.replace(/\[\d+\]$/, ''));
  }

  /** Asks about a message that a vehicle sent, unless that was done. */
  want(vehicle: string, message: string): void {
    const next = this.asked.get(message) ?? (this.asked.size < MOST_MESSAGES ? 0 : Number.POSITIVE_INFINITY);
    if (performance.now() < next) return;
    this.asked.set(message, Number.POSITIVE_INFINITY);
    void this.ask(vehicle, message);
  }

  private async ask(vehicle: string, message: string): Promise<void> {
    try {
      const path = `v1/vehicles/${encodeURIComponent(vehicle)}/messages/${encodeURIComponent(message)}`;
      const { fields } = await getJson<FieldsAnswer>(path);
      const meanings = new Map(fields.map(({ name, unit, enumeration }) => [name, { unit, names: enumeration }]));
      this.known = new Map([...this.known, [message, meanings]]);
    } catch {
      // the server is gone, or does not know the message yet
      this.asked.set(message, performance.now() + PATIENCE);
    }
  }
}
