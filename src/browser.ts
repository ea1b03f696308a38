/** The library without anything of Node: what pages and workers use. */
export type { Clock } from './core/clock.ts';
export { Column, type ColumnData, type Value } from './core/column.ts';
export type { Decoder, RecordBatch, Sink, StreamStatistics } from './core/decoder.ts';
export { type Fault, type FaultCount, FaultList } from './core/fault.ts';
export type { DecodeOptions, Format } from './core/format.ts';
export { LIMITS, type Limits } from './core/limits.ts';
export { Log } from './core/log.ts';
export { type LogRecord, type RecordBlock, type RecordOptions, readBlocks, readRecords } from './core/records.ts';
export type { Enumeration, Field, FieldType, Schema } from './core/schema.ts';
export { blobSource, bytesSource, type Source } from './core/source.ts';
export { type Row, type RowRange, Table } from './core/table.ts';
export { FORMATS, UnknownFormatError } from './formats/index.ts';
export { type OpenOptions, openInput as openLog } from './open.ts';
