// A MAVLink frame as plainly as it can be read: the header by its drawing, the checksum by the bit.
import type { Value } from '../../../src/core/column.ts';
import { builtinDialect } from '../../../src/formats/mavlink/dialect/builtin.ts';
import type { MessageDefinition, MessageField } from '../../../src/formats/mavlink/dialect/definition.ts';
import { safe, text } from '../dataflash/record.ts';
import { plainElement, plainSum } from './message.ts';

const { messages } = builtinDialect();

export function definitionsOf(id: number): readonly MessageDefinition[] {
  return messages.get(id) ?? [];
}

export function nameOf(id: number): string {
  return definitionsOf(id)[0]?.name ?? `UNKNOWN_${id}`;
}

export interface PlainFrame {
  readonly start: number;
  readonly version: number;
  readonly flags: number;
  readonly system: number;
  readonly component: number;
  readonly id: number;
  readonly payload: Uint8Array;
  readonly end: number;
  /** Whether all of it is there, and whether id, length and flags are those of a message that is known. */
  readonly isWhole: boolean;
  readonly isUsual: boolean;
  /** The checksum of all but CRC_EXTRA, and the one that is stated. */
  sum(length?: number): number;
  readonly stated: number;
}

export const isMagic = (byte: number | undefined): boolean => byte === 0xfd || byte === 0xfe;

/** The frame whose header begins at `start`; undefined where there is no header, or not all of one. */
export function frameAt(bytes: Uint8Array, start: number): PlainFrame | undefined {
  if (!isMagic(bytes[start])) return undefined;
  const version = bytes[start] === 0xfd ? 2 : 1;
  const header = version === 2 ? 10 : 6;
  if (start + header > bytes.length) return undefined;
  const length = bytes[start + 1];
  const flags = version === 2 ? bytes[start + 2] : 0;
  const [system, component, ...ids] = bytes.slice(start + (version === 2 ? 5 : 3), start + header);
  const id = ids.reduceRight((sum, byte) => sum * 256 + byte, 0);
  const checksum = start + header + length;
  const end = checksum + 2 + (flags & 1 ? 13 : 0);
  return {
    start,
    version,
    flags,
    system,
    component,
    id,
    payload: bytes.subarray(start + header, checksum),
    end,
    isWhole: end <= bytes.length,
    isUsual: flags < 2 && definitionsOf(id).some((definition) => fits(definition, version, length)),
    sum: (stated = length) => plainSum([stated, ...bytes.subarray(start + 2, checksum)]),
    stated: bytes[checksum] + bytes[checksum + 1] * 256,
  };
}

function fits({ length, baseLength }: MessageDefinition, version: number, bytes: number): boolean {
  return version === 2 ? bytes <= length : bytes === baseLength;
}

/** The definition by which the checksum is right, of those that the length fits or of all. */
export function definitionOf(frame: PlainFrame, isAnyLength: boolean): MessageDefinition | undefined {
  const { version, payload, stated } = frame;
  const sum = frame.sum();
  return definitionsOf(frame.id)
    .filter((definition) => isAnyLength || fits(definition, version, payload.length))
    .find(({ crcExtra }) => plainSum([crcExtra], sum) === stated);
}

/** The definition by which it is right if zeros were cut off behind the payload after it was made. */
export function earlyDefinitionOf(frame: PlainFrame): MessageDefinition | undefined {
  const { payload, version } = frame;
  const isCut = payload.length === 1 || payload.at(-1) !== 0;
  if (version !== 2 || payload.length === 0 || !isCut) return undefined;
  return definitionsOf(frame.id).find(({ crcExtra, length }) => {
    for (let full = payload.length + 1; full <= length; full++) {
      const zeros = new Array(full - payload.length).fill(0);
      if (plainSum([...zeros, crcExtra], frame.sum(full)) === frame.stated) return true;
    }
    return false;
  });
}

/** The CRC_EXTRA that would make the checksum right, or -1. */
export function impliedExtra(frame: PlainFrame): number {
  const sum = frame.sum();
  for (let extra = 0; extra < 256; extra++) if (plainSum([extra], sum) === frame.stated) return extra;
  return -1;
}

/** The fields of a frame with their values, those that mean "missing" as null. */
export function valuesOf(frame: PlainFrame, definition: MessageDefinition | undefined): [string, Value][] {
  const payload = new Uint8Array(512);
  payload.set(frame.payload);
  if (!definition) {
    return [
      ['length', frame.payload.length],
      ['payload', payload.slice(0, 255)],
    ];
  }
  return definition.fields.map((field) => [
    field.name,
    definition.name === 'SETUP_SIGNING' && field.name === 'secret_key'
      ? new Array(field.count).fill(255)
      : plainField(payload, field),
  ]);
}

function plainField(payload: Uint8Array, field: MessageField): Value {
  const { type, count, offset, invalid, invalidByFirst, invalidByElement } = field;
  if (type === 'text') return text(payload.slice(offset, offset + count));
  const view = new DataView(payload.buffer);
  const numbers = Array.from({ length: count }, (_, i) => plainElement(view, offset, type, i));
  const isMissing = (i: number): boolean => isEqual(numbers[i], invalidByElement ? invalidByElement[i] : invalid);
  const values = numbers.map((number, i) => (isMissing(i) ? null : typeof number === 'bigint' ? safe(number) : number));
  return count === 1 || (invalidByFirst && isMissing(0)) ? values[0] : values;
}

function isEqual(number: number | bigint, invalid: number | bigint | undefined): boolean {
  if (invalid === undefined) return false;
  return Number.isNaN(invalid) ? Number.isNaN(number) : number === invalid || number === BigInt(invalid);
}
