import type { Column } from './column.ts';

/**
 * Reads fields of records into columns. One loop per field over a block of records, so that each loop sees one type
 * only and stays fast without any generated code.
 */
export interface Codec {
  /**
   * @param bytes  holds whole records
   * @param starts index into bytes of each record
   * @param count  how many of `starts` are used
   * @param columns the columns to fill, each made for its field
   * @param row    the row of each column that the first record fills
   */
  read(bytes: Uint8Array, starts: Uint32Array, count: number, columns: readonly Column[], row: number): void;
}
