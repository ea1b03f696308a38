/**
 * Writers: tables as CSV, JSON lines, Parquet, Arrow and MCAP; parts of logs as logs.
 *
 * @module skein/export
 * @example
 * import { openLog } from 'skein';
 * import { writeCsv } from 'skein/export';
 *
 * const log = await openLog('sample/copter-square.BIN');
 * const gps = log.table('GPS', '0');
 * if (gps) for await (const text of writeCsv(gps)) process.stdout.write(text);
 */

export type { Table, TableBlock, TableRange } from '../core/table.ts';
export { type ArrowOptions, writeArrow } from '../export/arrow.ts';
export { type CsvOptions, writeCsv } from '../export/csv.ts';
export { type FrameOptions, type TlogOptions, writeRaw, writeTlog } from '../export/frames.ts';
export { type LineOptions, LineWriter } from '../export/json-line.ts';
export { type McapOptions, writeMcap } from '../export/mcap.ts';
export { type ParamOptions, writeParam } from '../export/param.ts';
export { type PcapLink, type PcapOptions, writePcap } from '../export/pcap.ts';
export { type WideOptions, writeWide } from '../export/wide.ts';
export { writeZip, type ZipEntry } from '../export/zip.ts';
export { DerivedTable } from '../sensors/derived-table.ts';
export { type ParquetOptions, ParquetWriter } from '../sql/parquet.ts';
