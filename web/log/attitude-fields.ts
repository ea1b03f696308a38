import { fieldText } from './fields/field-name.ts';
import type { TableInfo } from './worker/answers.ts';

/** Where logs tell the attitude, the best first. */
const SOURCES: readonly (readonly [table: string, roll: string, pitch: string, yaw: string])[] = [
  ['ATT', 'Roll', 'Pitch', 'Yaw'],
  ['ATTITUDE', 'roll', 'pitch', 'yaw'],
  ['AHR2', 'Roll', 'Pitch', 'Yaw'],
  ['EulerAngles', 'roll', 'pitch', 'yaw'],
];

export interface AttitudeFields {
  /** Roll, pitch and yaw, as the worker is asked for them. */
  readonly texts: readonly string[];
  /** What makes degrees of the values. */
  readonly factor: number;
}

/** The fields of a log that tell its attitude. */
export function attitudeFields(tables: readonly TableInfo[]): AttitudeFields | undefined {
  for (const [name, ...wanted] of SOURCES) {
    const table = tables.find(
      (known) => known.name === name && wanted.every((field) => known.fields.some((each) => each.name === field)),
    );
    if (!table) continue;
    const texts = wanted.map((field) => fieldText({ table: name, stream: table.stream, field, element: -1 }));
    return { texts, factor: isRadians(table, wanted[0]) ? 180 / Math.PI : 1 };
  }
  return undefined;
}

/** By the unit. PX4's old logs have radians without a unit, under the names of ArduPilot, and rates beside them. */
function isRadians({ fields }: TableInfo, name: string): boolean {
  const unit = fields.find((field) => field.name === name)?.unit ?? '';
  return unit === '' ? fields.some((field) => field.name === 'RollRate') : unit === 'rad';
}
