/**
 * ArduPilot DataFlash logs: writing records, cutting logs, and the clock of logs without GPS time.
 *
 * @module skein/dataflash
 * @example
 * import { definitionFor, encodeDefinition, encodeRecord } from 'skein/dataflash';
 *
 * const definition = definitionFor(1, 'TEMP', 'Qf', 'TimeUS,Deg');
 * const log = Buffer.concat([encodeDefinition(definition), encodeRecord(definition, [1_000_000, 21.5])]);
 * console.log(log.length);
 */

export { type TrimOptions, trimDataflash } from '../export/dataflash.ts';
export { definitionFor, encodeDefinition, encodeRecord } from '../formats/dataflash/encode.ts';
export { GPSInterpolated } from '../formats/dataflash/gps-interpolated.ts';
export type { Definition } from '../formats/dataflash/schema.ts';
