/**
 * Logs in a browser: what users drop, fetch or paste. The main entry without files.
 *
 * @module skein/browser
 * @example
 * import { openLog } from 'skein/browser';
 *
 * const log = await openLog(new Blob(['$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n']));
 * console.log(log.format, log.table('GGA', 'GP')?.rows);
 */

export type { Clock } from '../core/clock.ts';
export { Column, type ColumnData, type Value } from '../core/column.ts';
export { type Damage, damageOf, type Fault, type FaultCount, FaultList } from '../core/fault.ts';
export type { Format } from '../core/format.ts';
export type { ReadPlan } from '../core/indexer.ts';
export type { Capture, CapturedBytes, CapturedFlow, CapturedInterface } from '../core/log.ts';
export { Log, type Packing } from '../core/log.ts';
export { type LogRecord, type RecordBlock, type RecordOptions, readBlocks, readRecords } from '../core/records.ts';
export type { Enumeration, Field, FieldType, Schema } from '../core/schema.ts';
export type { MakeSpill, Spill } from '../core/source.ts';
export { blobSource, bytesSource, type Source } from '../core/source.ts';
export type { RecordTable, Row, RowRange, Table } from '../core/table.ts';
export { TRACK_FORMATS, type TrackFormat, type Tracks, type TrackWriteOptions } from '../export/index.ts';
export { EVENT_KINDS, EVENT_SEVERITIES, type EventKind, type EventSeverity, type LogEvent } from '../facts/event.ts';
export { type Facts, factsOf } from '../facts/facts.ts';
export type { BatteryUse, Flight } from '../facts/flights.ts';
export type { LoggedText, Message } from '../facts/messages.ts';
export type { VehicleClass } from '../facts/mode-names.ts';
export type { ModeInterval } from '../facts/modes.ts';
export type { Parameter } from '../facts/parameters.ts';
export { diffParameters, type ParameterDifference, parseParamFile } from '../facts/parameters.ts';
export type { Phase } from '../facts/phase.ts';
export type { Phases } from '../facts/phases.ts';
export type { Firmware, Vehicle } from '../facts/vehicle.ts';
export { UnknownFormatError } from '../formats/index.ts';
export { type OpenOptions, openInput as openLog } from '../formats/open.ts';
export { SeveralLogsError } from '../formats/unpack.ts';
export { type Bounds, distance, trackBounds, trackLength } from '../geo/geodesy.ts';
export { findTracks, readTrack, type Track, type TrackOptions, type TrackSource } from '../geo/track.ts';
export { type ClockOffset, findOffsets } from '../report/alignment.ts';
export type { ChainStep } from '../report/chain.ts';
export {
  type Alignment,
  type CheckComparison,
  type ComparedSide,
  CompareError,
  type CompareOptions,
  type Comparison,
  compareLogs,
  type FieldPlot,
} from '../report/compare.ts';
export type { FieldComparison } from '../report/compare-fields.ts';
export type { Finding, Plot, PlotLine, Severity } from '../report/finding.ts';
export { makeReport, makeReports, type Report, type ReportOptions, verdictWords } from '../report/report.ts';
export { reportPage } from '../report/report-page.ts';
export type { Rule } from '../report/rules.ts';
export { DEFAULT_RULES, parseRules, RuleError, type Rules } from '../report/rules.ts';
export { derivedTables } from '../sensors/derived.ts';
export { type Derivation, type DerivedField, type DerivedRow, DerivedTable } from '../sensors/derived-table.ts';
export { readExpression } from '../series/expression.ts';
export { ExpressionError } from '../series/expression-tree.ts';
export type { FieldNames, FieldRef, Quantity, QuantityTable } from '../series/quantities.ts';
export { type QuantityRows, readSeries } from '../series/quantity-rows.ts';
export { quantile, Series } from '../series/series.ts';
export { type Spectrum, type SpectrumOptions, spectrumOf } from '../series/spectrum.ts';
export { gpsToUtc, utcToGps } from '../time/gps.ts';
