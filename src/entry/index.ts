/** The library in Node: all that the browser has, and logs by their path. */

export { PROBE_SPEEDS, type Probed, type ProbeOptions, type ProbePort, probe } from '../links/device-probe.ts';
export { type Device, type FindOptions, findDevices, type UsbIdentity, watchDevices } from '../links/devices.ts';
export { type Played, type PlayedRecord, type PlayOptions, play, playback } from '../links/playback.ts';
export { readDialect } from '../node/dialect.ts';
export { FileSource } from '../node/file.ts';
export { readGrammar } from '../node/grammar.ts';
export { environmentKey, readKey } from '../node/key.ts';
export { type Input, openLog } from '../node/open.ts';
export { type Link, type LinkListener, type LinkOptions, makeLink } from '../session/links.ts';
export { type RecordedFile, Recorder, type RecorderOptions, type RecorderState } from '../session/recorder.ts';
export { LiveSession, type SessionOptions } from '../session/session.ts';
export type { NamedLog } from '../sql/catalog.ts';
export { type DatabaseOptions, LogDatabase } from '../sql/database.ts';
export { QueryMistake } from '../sql/mistake.ts';
export type { QueryResult } from '../sql/result.ts';
export type { TableNames } from '../sql/table-names.ts';
export type { UserFile } from '../sql/user-file.ts';
export { wantedBy } from '../sql/wanted.ts';
export * from './browser.ts';
