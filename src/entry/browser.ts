/** The library without anything of Node: what pages and workers use. */

export {
  Checker,
  type CheckOptions,
  type CheckResult,
  type CheckVerdict,
  checkBytes,
  type LevelResult,
} from '../check/checker.ts';
export { type Grammar, GrammarError, type Part as GrammarPart } from '../check/grammar.ts';
export { checkGrammar, parseGrammar } from '../check/grammar-read.ts';
export { GRAMMARS, grammarNamed } from '../check/grammars.ts';
export { type Level as CheckLevel, sentenceOf as violationText, type Violation } from '../check/violation.ts';
export type { Capture, CapturedBytes, CapturedFlow, CapturedInterface } from '../core/capture.ts';
export type { Clock } from '../core/clock.ts';
export { type Collected, Collector } from '../core/collector.ts';
export { Column, type ColumnData, type Value } from '../core/column.ts';
export type { Decoder, GroupRun, RecordBatch, Sink, StreamStatistics } from '../core/decoder.ts';
export { type Damage, damageOf, type Fault, type FaultCount, FaultList } from '../core/fault.ts';
export type { DecodeOptions, Format } from '../core/format.ts';
export { LIMITS, type Limits } from '../core/limits.ts';
export { Log, type Packing } from '../core/log.ts';
export { caseFolded, fileName, uniqueNames, xmlText } from '../core/names.ts';
export type { Wanted } from '../core/picker.ts';
export type { MakeSpill, Spill } from '../core/pieces.ts';
export { type LogRecord, type RecordBlock, type RecordOptions, readBlocks, readRecords } from '../core/records.ts';
export type { Enumeration, Field, FieldType, Schema } from '../core/schema.ts';
export { firstIndex } from '../core/search.ts';
export { columnNames, type Sheet, type SheetBlock, type SheetRange, sheetTitle } from '../core/sheet.ts';
export { blobSource, bytesSource, type Source } from '../core/source.ts';
export { type Row, type RowRange, Table } from '../core/table.ts';
export { TableSheet } from '../core/table-sheet.ts';
export { type CsvOptions, writeCsv } from '../export/csv.ts';
export { type TrimOptions, trimDataflash } from '../export/dataflash.ts';
export { type FrameOptions, writeRaw } from '../export/frames.ts';
export { TRACK_FORMATS, type TrackFormat, type Tracks, type TrackWriteOptions } from '../export/index.ts';
export { type LineOptions, LineWriter } from '../export/json-line.ts';
export { type ParamOptions, writeParam } from '../export/param.ts';
export { type PcapLink, type PcapOptions, writePcap } from '../export/pcap.ts';
export { type TlogOptions, writeTlog } from '../export/tlog.ts';
export { type WideOptions, writeWide } from '../export/wide.ts';
export { writeZip, type ZipEntry } from '../export/zip.ts';
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
export { definitionFor, encodeDefinition, encodeRecord } from '../formats/dataflash/encode.ts';
export { GPSInterpolated } from '../formats/dataflash/gps-interpolated.ts';
export type { Definition } from '../formats/dataflash/schema.ts';
export { FORMATS, UnknownFormatError } from '../formats/index.ts';
export { builtinDialect, builtinDialects } from '../formats/mavlink/dialect/builtin.ts';
export type { Dialect, MessageDefinition, MessageField } from '../formats/mavlink/dialect/definition.ts';
export { type DialectConflict, mergeDialects } from '../formats/mavlink/dialect/merge.ts';
export type { MessageName, Messages, SendValues } from '../formats/mavlink/dialect/messages.ts';
export { Encoder, encodeMessage } from '../formats/mavlink/encode.ts';
export { SigningKey } from '../formats/mavlink/key.ts';
export type { MavlinkOptions } from '../formats/mavlink/options.ts';
export { MavlinkParser, type ParsedPacket } from '../formats/mavlink/parser.ts';
export {
  Signer,
  type SignerOptions,
  stampOf,
  type Verdict,
  Verifier,
  type VerifierOptions,
} from '../formats/mavlink/signing.ts';
export {
  type EncodedSatellite,
  type EncodeOptions as NmeaEncodeOptions,
  encodeSatellites,
  encodeSentence,
  type SentenceValues,
} from '../formats/nmea/encode.ts';
export type { ParsedSentence, ParseOptions as NmeaParseOptions, RefusedSentence } from '../formats/nmea/parse.ts';
export { type OpenOptions, openInput as openLog } from '../formats/open.ts';
export { SeveralLogsError } from '../formats/unpack.ts';
export type { OutputSetup as XbusOutputSetup } from '../formats/xbus/configuration.ts';
export {
  encodeXbusBaudrate,
  encodeXbusFrame,
  encodeXbusMessage,
  encodeXbusOutputConfiguration,
  encodeXbusPacket,
  type XbusFrameOptions,
  type XbusOutgoingItem,
  type XbusOutput,
} from '../formats/xbus/encode.ts';
export {
  IMU_FIELDS,
  IMU_FLAGS,
  type ImuData,
  type ImuField,
  type ImuOptions,
  isValidImu,
} from '../formats/xbus/imu.ts';
export {
  type ParsedXbus,
  parseXbusFrame,
  type XbusFrame,
  type XbusItem,
  type XbusParseOptions,
} from '../formats/xbus/parse.ts';
export type { LocalFrame, NumberFormat } from '../formats/xbus/schema.ts';
export { type Bounds, distance, trackBounds, trackLength } from '../geo/geodesy.ts';
export { findTracks, readTrack, type Track, type TrackOptions, type TrackSource } from '../geo/track.ts';
export type { Battery } from '../live/battery.ts';
export { LiveCollector } from '../live/collector.ts';
export {
  type DeviceIdentity,
  type DeviceState,
  DeviceVerifier,
  type MavlinkIdentity,
  type SensorIdentity,
} from '../live/device-verifier.ts';
export { EventQueue } from '../live/event-queue.ts';
export type { LiveEvent, LiveListener, MessageEvent } from '../live/events.ts';
export type { FirmwareType, LiveFirmware } from '../live/firmware.ts';
export { FrameSplitter, type SplitSink } from '../live/frame-splitter.ts';
export { silenceHint } from '../live/link-hint.ts';
export { type LinkAddress, LinkError, linkText, parseLink } from '../live/link-name.ts';
export { bufferRemark, type LinkState, stateText } from '../live/link-state.ts';
export { fixText } from '../live/navigation.ts';
export type { LatestMessage, LinkStatistics, LiveOptions, LiveStatistics, MessageCount } from '../live/options.ts';
export { type RoutedLink, Router, type RouterCounts, type RouterOptions } from '../live/router.ts';
export type { StatusText } from '../live/texts.ts';
export { PROFILES, type Profile } from '../live/vehicle/profile.ts';
export type { StreamRequests, Wish } from '../live/vehicle/request-plan.ts';
export type { Freshness, VehicleState } from '../live/vehicle.ts';
export { type ClockOffset, findOffsets, type MotionSamples, readMotion } from '../report/alignment.ts';
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
export { DEFAULT_RULES, parseRules, RuleError, type Rules, rulesText } from '../report/rules.ts';
export {
  CONSTELLATIONS,
  type Constellation,
  constellationOf,
  type SatelliteId,
  satelliteOf,
} from '../sensors/constellation.ts';
export { derivedTables } from '../sensors/derived.ts';
export type { DerivedField, DerivedRow, DerivedTable } from '../sensors/derived-table.ts';
export { DerivedSheet } from '../sensors/derived-table.ts';
export { type GnssColumn, type GnssData, type GnssOptions, readGnssData } from '../sensors/gnss.ts';
export { GNSS_FIX, GNSS_FLAGS, isValidGnss } from '../sensors/gnss-fix.ts';
export { GNSS_FIELDS, type GnssField } from '../sensors/gnss-reading.ts';
export { type GnssRow, type GnssRowData, readGnssRows } from '../sensors/gnss-rows.ts';
export {
  type GnssSentence,
  type NmeaSentence,
  parseGnssSentence,
  parseNmeaSentence,
} from '../sensors/gnss-sentence.ts';
export { type ImuTable, readImuBlocks, readImuData } from '../sensors/imu.ts';
export { readSatellites, type SatelliteOptions, type Satellites } from '../sensors/satellites.ts';
export { type GsvPart, type SatelliteSet, type SatelliteView, Sky } from '../sensors/sky.ts';
export { evaluateExpression, readExpression } from '../series/expression.ts';
export {
  type CatalogueField,
  type CatalogueTable,
  isHeldField,
  type ResolvedField,
  resolveFields,
} from '../series/expression-catalogue.ts';
export { type Completion, type Completions, complete as completeExpression } from '../series/expression-completion.ts';
export { parseExpression } from '../series/expression-parser.ts';
export type { Expression } from '../series/expression-tree.ts';
export { ExpressionError } from '../series/expression-tree.ts';
export type { FieldNames, FieldRef, Quantity, QuantityTable } from '../series/quantities.ts';
export { type QuantityRows, readSeries } from '../series/quantity-rows.ts';
export { quantile, rowFrom, Series, sortedQuantile } from '../series/series.ts';
export {
  type Spectrogram,
  type Spectrum,
  type SpectrumOptions,
  spectrogramOf,
  spectrumOf,
} from '../series/spectrum.ts';
export type { Statistics } from '../series/statistics.ts';
export { parseSettings, type Settings, SettingsError } from '../session/settings.ts';
export { type RecorderStatus, type Status, statusOf, type VehicleStatus } from '../session/status.ts';
export { gpsToUtc, utcToGps } from '../time/gps.ts';
