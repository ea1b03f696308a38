import { fieldText } from './field-name.ts';
import type { TableInfo } from './worker/answers.ts';

/** Where logs tell the attitude, the best first; radians where the last is true. */
const SOURCES: readonly (readonly [table: string, roll: string, pitch: string, yaw: string, radians: boolean])[] = [
  ['ATT', 'Roll', 'Pitch', 'Yaw', false],
  ['ATTITUDE', 'roll', 'pitch', 'yaw', true],
  ['AHR2', 'Roll', 'Pitch', 'Yaw', false],
  ['EulerAngles', 'Roll', 'Pitch', 'Yaw', false],
];

export interface AttitudeFields {
  /** Roll, pitch and yaw, as the worker is asked for them. */
  readonly texts: readonly string[];
  /** What makes degrees of the values. */
  readonly factor: number;
}

/** The fields of a log that tell its attitude. */
export function attitudeFields(tables: readonly TableInfo[]): AttitudeFields | undefined {
  for (const [name, roll, pitch, yaw, radians] of SOURCES) {
    const wanted = [roll, pitch, yaw];
    const table = tables.find(
      (known) => known.name === name && wanted.every((field) => known.fields.some((each) => each.name === field)),
    );
    if (!table) continue;
    const texts = wanted.map((field) => fieldText({ table: name, stream: table.stream, field, element: -1 }));
    return { texts, factor: radians ? 180 / Math.PI : 1 };
  }
  return undefined;
}
