import { type OutputSetup, setupsIn } from './configuration.ts';
import type { Header } from './header.ts';
import { guessSetup, type Legacy, legacyOf } from './legacy.ts';
import { CONFIGURATION, OUTPUT_MODE_ACK, OUTPUT_SETTINGS_ACK } from './messages.ts';

/** A set-up and what MTData holds by it. */
export interface KnownSetup {
  readonly key: string;
  readonly legacy: Legacy;
}

/** What each device was told to put into MTData, as of the place that is being read. */
export class Setups {
  private readonly keepInvalid: boolean;
  private readonly setups: Map<number, OutputSetup> = new Map();
  /** What was made of them. */
  private readonly made: Map<number, KnownSetup> = new Map();
  private readonly guesses: Map<OutputSetup, KnownSetup> = new Map();
  /** Devices that sent MTData before anything said what it holds. */
  private readonly early: Set<number> = new Set();
  /** The first set-up of each of them that came too late. */
  private readonly late: Map<number, OutputSetup> = new Map();

  /** @param lessons set-ups that an earlier reading of the same stream found too late */
  constructor(keepInvalid: boolean, lessons: ReadonlyMap<number, OutputSetup> = new Map()) {
    this.keepInvalid = keepInvalid;
    for (const [bus, setup] of lessons) this.setups.set(bus, setup);
  }

  /** Learns from messages that tell or confirm a set-up. */
  learn(bytes: Uint8Array, { bus, message, data, length }: Header): void {
    if (message === CONFIGURATION) {
      const setups = setupsIn(bytes, data, length);
      // devices behind a master are numbered from 1; a single one answers as the master itself
      setups.forEach((setup, k) => {
        this.set(k + 1, setup);
      });
      if (setups.length > 0) this.set(bus, setups[0]);
    } else if (message === OUTPUT_MODE_ACK && length === 2) {
      this.set(bus, { mode: viewOf(bytes).getUint16(data), settings: this.setups.get(bus)?.settings ?? 0 });
    } else if (message === OUTPUT_SETTINGS_ACK && length === 4) {
      this.set(bus, { mode: this.setups.get(bus)?.mode ?? 0, settings: viewOf(bytes).getUint32(data) });
    }
  }

  private set(bus: number, setup: OutputSetup): void {
    this.setups.set(bus, setup);
    this.made.delete(bus);
    if (this.early.has(bus) && !this.late.has(bus)) this.late.set(bus, setup);
  }

  /** What MTData of a device holds, where that is known. */
  legacyOf(bus: number): Legacy | undefined {
    return this.of(bus)?.legacy;
  }

  of(bus: number): KnownSetup | undefined {
    const made = this.made.get(bus);
    const setup = this.setups.get(bus);
    if (made || !setup) return made;
    const known = this.make(setup);
    this.made.set(bus, known);
    return known;
  }

  /** What MTData of this length mostly holds: for devices of which nothing is known. */
  guess(bus: number, length: number): KnownSetup | undefined {
    this.early.add(bus);
    const setup = guessSetup(length);
    if (!setup) return undefined;
    const known = this.guesses.get(setup) ?? this.make(setup);
    this.guesses.set(setup, known);
    return known;
  }

  private make(setup: OutputSetup): KnownSetup {
    return { key: `${setup.mode} ${setup.settings}`, legacy: legacyOf(setup, this.keepInvalid) };
  }

  /** Set-ups that came behind the data that they explain, for a second reading. */
  lessons(): ReadonlyMap<number, OutputSetup> | undefined {
    return this.late.size > 0 ? this.late : undefined;
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
