/** Tables as files of columns and of messages: what needs packages of others, and so is no part of the main entry. */
export { type ArrowOptions, writeArrow } from '../export/arrow.ts';
export { type McapOptions, writeMcap } from '../export/mcap.ts';
export { type ParquetOptions, ParquetWriter } from '../sql/parquet.ts';
