import type { Codec } from '../../../core/codec.ts';
import type { Field, Schema } from '../../../core/schema.ts';
import { COMMON_UNITS, type UnitTable, unitTable } from '../../units.ts';
import { LENGTH_PLACE } from '../codec.ts';
import { LONGEST_FRAME } from '../header.ts';
import { unknownName } from './catalog.ts';
import type { MessageDefinition, MessageField } from './definition.ts';

/** How schemas are made: what all of a stream have in common. */
export interface SchemaOptions {
  readonly codec: Codec;
  /** Reads a message that holds a key. */
  readonly secretCodec: Codec;
  /** Bytes before each frame, and the field there, if it is a time. */
  readonly lead: number;
  readonly stamp?: Field | undefined;
  readonly keepInvalid: boolean;
  /** Schemas by slot of the catalog that several decoders share. */
  readonly shared?: Map<number, Schema> | undefined;
}

/** The message that gives a vehicle its signing key. */
const SETUP_SIGNING = 'SETUP_SIGNING';

/** The schema of a message's frames. Where its payload is cut or longer than it is defined, the fields stay in place. */
export function schemaOf(definition: MessageDefinition, options: SchemaOptions): Schema {
  const { name, fields } = definition;
  return {
    name,
    fields: fields.map((field) => fieldOf(field, options.keepInvalid)),
    size: 0,
    maxSize: options.lead + LONGEST_FRAME,
    instance: fields.findIndex((field) => field.instance),
    codec: name === SETUP_SIGNING ? options.secretCodec : options.codec,
    stamp: options.stamp,
  };
}

/** The schema of frames of an id that no definition has: their payload as it is, and how much of it there is. */
export function unknownSchema(id: number, options: SchemaOptions): Schema {
  return {
    name: unknownName(id),
    fields: [plainField('length', 'uint8', 1, LENGTH_PLACE), plainField('payload', 'bytes', 255, 0)],
    size: 0,
    maxSize: options.lead + LONGEST_FRAME,
    instance: -1,
    codec: options.codec,
    stamp: options.stamp,
  };
}

/** Whether it is one of frames whose checksum no definition verifies. */
export function isUnknownSchema({ fields }: Schema): boolean {
  return fields.length > 0 && fields[0].offset === LENGTH_PLACE;
}

/** One object as it is: a stream has some hundred of them, and copies took most of the time to open a short one. */
function fieldOf(field: MessageField, keepInvalid: boolean): Field {
  const { name, type, count, offset, unit, enumeration } = field;
  const { multiplier, siUnit } = siOf(unit, field.multiplier);
  return {
    name,
    type,
    count,
    offset,
    divisor: 1,
    unit,
    multiplier,
    siUnit,
    enumeration,
    invalid: keepInvalid ? undefined : field.invalid,
    invalidByFirst: keepInvalid ? undefined : field.invalidByFirst,
    invalidByElement: keepInvalid ? undefined : field.invalidByElement,
  };
}

export function plainField(name: string, type: Field['type'], count: number, offset: number): Field {
  return { name, type, count, offset, divisor: 1, unit: '', multiplier: undefined, siUnit: '' };
}

/** What one of each unit is worth, for those that are not plain already: https://mavlink.io/en/guide/xml_schema.html */
const UNITS: UnitTable = new Map([
  ...COMMON_UNITS,
  ...unitTable({
    deg: 'deg/2=2',
    'deg/s': 'ddeg/s=1e-1',
    m: 'dam=10',
    'm^2': 'cm^2=1e-4',
    'm^3': 'cm^3=1e-6',
    s: 'cs=1e-2 ds=1e-1',
    Hz: 'MHz=1e6',
    Ah: 'mAh=1e-3',
    Pa: 'kPa=1000 mbar=100',
    gauss: 'mgauss=1e-3',
    kg: 'g=1e-3',
    pix: 'dpix=1e-1',
  }),
]);

/** The SI value of a field is its number times the multiplier; undefined if the number is all there is to say. */
interface SiUnit {
  readonly multiplier: number | undefined;
  readonly siUnit: string;
}

/** @param multiplier what the definition itself says, which it does where the unit does not */
function siOf(unit: string, multiplier: number | undefined): SiUnit {
  if (multiplier !== undefined) return { multiplier, siUnit: unit };
  const known = UNITS.get(unit);
  return known ? { multiplier: known[0], siUnit: known[1] } : { multiplier: undefined, siUnit: unit };
}
