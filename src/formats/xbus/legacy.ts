import type { Schema } from '../../core/schema.ts';
import { type OutputSetup, setupsIn } from './configuration.ts';
import type { Header } from './header.ts';
import { REAL_ITEMS, rawSensors } from './items.ts';
import { type FieldSpec, part, parts, place, sizeOf } from './layout.ts';
import { CONFIGURATION, OUTPUT_MODE_ACK, OUTPUT_SETTINGS_ACK } from './messages.ts';
import { type LocalFrame, realSchema, schemaOf, statusSchema, utcSchema } from './schema.ts';

/*
 * MTData of old devices says nothing of itself: what it holds, in this order, follows from the output mode and the
 * output settings (MT0100P, "MTi and MTx Low-Level Communication Documentation").
 *
 *     mode       4000 raw   1000 raw GPS   1 temperature   2 calibrated   4 orientation   8 analog inputs
 *                10 position   20 velocity   800 status
 *     settings   3 sample counter (1), UTC (2)   C orientation as quaternion, Euler angles (4), matrix (8)
 *                10 20 40 without acceleration, rate of turn, magnetic field   300 number format
 *                400 800 without analog input 1, 2   80000000 NED
 */
const RAW = 0x4000;
const RAW_GPS = 0x1000;
const TEMPERATURE = 0x1;
const CALIBRATED = 0x2;
const ORIENTATION = 0x4;
const ANALOG = 0x8;
const POSITION = 0x10;
const VELOCITY = 0x20;
const STATUS = 0x800;
const COUNTER = 0x1;
const UTC = 0x2;
const EULER = 0x4;
const MATRIX = 0x8;
const NO_ACCELERATION = 0x10;
const NO_RATE_OF_TURN = 0x20;
const NO_MAGNETIC_FIELD = 0x40;
const NO_ANALOG_1 = 0x400;
const NO_ANALOG_2 = 0x800;

/** One value of MTData: a separate record, like an item of MTData2. */
interface Piece {
  readonly schema: Schema;
  readonly frame: LocalFrame | undefined;
  readonly bytes: number;
}

/** What MTData of a set-up holds. */
export interface Legacy {
  readonly pieces: readonly Piece[];
  readonly bytes: number;
}

const RAW_GPS_PARTS: readonly FieldSpec[] = [
  part('pressure', 'uint16'),
  part('pressure_age', 'uint8'),
  part('itow', 'uint32', { unit: 'ms', multiplier: 0.001, siUnit: 's' }),
  ...parts('lat lon', 'int32', { unit: 'deg', divisor: 1e7 }),
  part('alt', 'int32', { unit: 'mm', multiplier: 0.001, siUnit: 'm' }),
  ...parts('velN velE velD', 'int32', { unit: 'cm/s', multiplier: 0.01, siUnit: 'm/s' }),
  ...parts('hAcc vAcc', 'uint32', { unit: 'mm', multiplier: 0.001, siUnit: 'm' }),
  part('sAcc', 'uint32', { unit: 'cm/s', multiplier: 0.01, siUnit: 'm/s' }),
  part('gps_age', 'uint8'),
];

export function legacyOf({ mode, settings }: OutputSetup, keepInvalid: boolean): Legacy {
  const pieces: Piece[] = [];
  const format = (settings >> 8) & 3;
  const frame = settings < 0 || settings >= 2 ** 31 ? 'NED' : 'NWU';
  const add = (schema: Schema, local?: LocalFrame): void => {
    pieces.push({ schema, frame: local, bytes: schema.maxSize });
  };
  const fixed = (name: string, all: readonly FieldSpec[]): void => add(schemaOf(name, place(all, 0), sizeOf(all)));
  const reals = (code: number): void => {
    const item = REAL_ITEMS.get(code);
    if (item) add(realSchema(item, format, 0), item.hasFrame ? frame : undefined);
  };
  if (mode & RAW) fixed('RawAccGyrMagTemp', rawSensors(part('temperature', 'uint16')));
  if (mode & RAW_GPS) fixed('RawGps', RAW_GPS_PARTS);
  if (mode & TEMPERATURE) reals(0x0810);
  if (mode & CALIBRATED) {
    if (!(settings & NO_ACCELERATION)) reals(0x4020);
    if (!(settings & NO_RATE_OF_TURN)) reals(0x8020);
    if (!(settings & NO_MAGNETIC_FIELD)) reals(0xc020);
  }
  if (mode & ORIENTATION) reals(settings & EULER ? 0x2030 : settings & MATRIX ? 0x2020 : 0x2010);
  if (mode & ANALOG) {
    if (!(settings & NO_ANALOG_1)) fixed('AnalogIn1', [part('value', 'uint16')]);
    if (!(settings & NO_ANALOG_2)) fixed('AnalogIn2', [part('value', 'uint16')]);
  }
  if (mode & POSITION) {
    reals(0x5040);
    reals(0x5020);
  }
  if (mode & VELOCITY) reals(0xd010);
  if (mode & STATUS) add(statusSchema('StatusByte', 1, 0));
  if (settings & COUNTER) fixed('PacketCounter', [part('value', 'uint16')]);
  if (settings & UTC) add(utcSchema(0, keepInvalid));
  return { pieces, bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Set-ups that devices are mostly used with, the commonest first. */
const COMMON: readonly OutputSetup[] = [COUNTER, 0].flatMap((stamp) =>
  [
    CALIBRATED | ORIENTATION,
    CALIBRATED,
    ORIENTATION,
    TEMPERATURE | CALIBRATED | ORIENTATION,
    TEMPERATURE | CALIBRATED,
    CALIBRATED | ORIENTATION | STATUS,
    TEMPERATURE | CALIBRATED | ORIENTATION | POSITION | VELOCITY | STATUS,
    RAW,
  ].flatMap((mode) => [0, EULER, MATRIX].map((orientation) => ({ mode, settings: stamp | orientation }))),
);

const COMMON_BY_LENGTH: ReadonlyMap<number, OutputSetup> = new Map(
  // the last one of a length stays, so that the commonest must come last
  COMMON.toReversed().map((setup) => [legacyOf(setup, false).bytes, setup]),
);

/** The most common set-up for this length of data: a guess, if no message says which it is. */
export function guessSetup(length: number): OutputSetup | undefined {
  return COMMON_BY_LENGTH.get(length);
}

/** Where the sample counter is in the data, or -1. */
export function counterPlace({ pieces }: Legacy): number {
  let at = 0;
  for (const { schema, bytes } of pieces) {
    if (schema.name === 'PacketCounter') return at;
    at += bytes;
  }
  return -1;
}

/** A set-up and what MTData holds by it. */
export interface KnownSetup {
  readonly key: string;
  readonly legacy: Legacy;
}

/** What each device was configured to put into MTData, at the current place. */
export class Setups {
  private readonly keepInvalid: boolean;
  private readonly setups: Map<number, OutputSetup> = new Map();
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

  /** Learns from messages that set or confirm a set-up. */
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

  /** What MTData of a device holds, if known. */
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

  /** Set-ups that came after the data that they explain, for a second reading. */
  lessons(): ReadonlyMap<number, OutputSetup> | undefined {
    return this.late.size > 0 ? this.late : undefined;
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
