/** The library without anything of Node: what pages and workers use. */
export { findMessages, type Message } from './analyze/messages.ts';
export type { VehicleClass } from './analyze/mode-names.ts';
export { findModes, type ModeSpan } from './analyze/modes.ts';
export { findParameters, type Parameter } from './analyze/parameters.ts';
export { findSpan } from './analyze/span.ts';
export { type Firmware, findVehicle, type Vehicle } from './analyze/vehicle.ts';
export type { Clock } from './core/clock.ts';
export { type Collected, Collector } from './core/collector.ts';
export { Column, type ColumnData, type Value } from './core/column.ts';
export type { Decoder, RecordBatch, Sink, StreamStatistics } from './core/decoder.ts';
export { type Named, nameOf, namesAt } from './core/enumeration.ts';
export { type Fault, type FaultCount, FaultList } from './core/fault.ts';
export type { DecodeOptions, Format } from './core/format.ts';
export { LIMITS, type Limits } from './core/limits.ts';
export { Log } from './core/log.ts';
export { type LogRecord, type RecordBlock, type RecordOptions, readBlocks, readRecords } from './core/records.ts';
export type { Enumeration, Field, FieldType, Schema } from './core/schema.ts';
export { blobSource, bytesSource, type Source } from './core/source.ts';
export { type Row, type RowRange, Table } from './core/table.ts';
export { type TrimOptions, trimDataflash } from './export/dataflash.ts';
export { TRACK_FORMATS, type TrackFormat, type Tracks, type TrackWriteOptions } from './export/index.ts';
export { type TlogOptions, writeTlog } from './export/tlog.ts';
export { definitionFor, encodeDefinition, encodeRecord } from './formats/dataflash/encode.ts';
export type { Definition } from './formats/dataflash/schema.ts';
export { FORMATS, UnknownFormatError } from './formats/index.ts';
export { builtinDialect, builtinDialects } from './formats/mavlink/builtin.ts';
export type { Dialect, MessageDefinition, MessageField } from './formats/mavlink/definition.ts';
export { Encoder, encodeMessage } from './formats/mavlink/encode.ts';
export { SigningKey } from './formats/mavlink/key.ts';
export { type DialectConflict, mergeDialects } from './formats/mavlink/merge.ts';
export type { MessageName, Messages, SendValues } from './formats/mavlink/messages.ts';
export type { MavlinkOptions } from './formats/mavlink/options.ts';
export { MavlinkParser, type ParsedPacket } from './formats/mavlink/parser.ts';
export {
  Signer,
  type SignerOptions,
  stampOf,
  type Verdict,
  Verifier,
  type VerifierOptions,
} from './formats/mavlink/signing.ts';
export { type Bounds, distance, trackBounds, trackLength } from './geo/geodesy.ts';
export { findTracks, readTrack, type Track, type TrackOptions, type TrackSource } from './geo/track.ts';
export type { Battery } from './live/battery.ts';
export { LiveCollector } from './live/collector.ts';
export {
  type DeviceIdentity,
  type DeviceState,
  DeviceVerifier,
  type MavlinkIdentity,
  type SensorIdentity,
} from './live/device-verifier.ts';
export { EventQueue } from './live/event-queue.ts';
export type { LiveEvent, LiveListener, MessageEvent } from './live/events.ts';
export type { FirmwareType, LiveFirmware } from './live/firmware.ts';
export { FrameSplitter, type SplitSink } from './live/frame-splitter.ts';
export { silenceHint } from './live/link-hint.ts';
export { type LinkAddress, LinkError, linkText, parseLink } from './live/link-name.ts';
export { bufferRemark, type LinkState, stateText } from './live/link-state.ts';
export type { LatestMessage, LinkStatistics, LiveOptions, LiveStatistics, MessageCount } from './live/options.ts';
export { PROFILES, type Profile } from './live/profile.ts';
export type { StreamRequests, Wish } from './live/request-plan.ts';
export { parseSettings, type Settings, SettingsError } from './live/settings.ts';
export { type Status, statusOf, type VehicleStatus } from './live/status.ts';
export type { StatusText } from './live/texts.ts';
export type { VehicleState } from './live/vehicle.ts';
export { vehicleJson } from './live/vehicle-json.ts';
export { type OpenOptions, openInput as openLog } from './open.ts';
