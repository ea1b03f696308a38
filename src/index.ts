/** The library in Node: all that the browser has, and logs by their path. */
export * from './browser.ts';
export { PROBE_SPEEDS, type Probed, type ProbeOptions, type ProbePort, probe } from './node/device-probe.ts';
export { type Device, type FindOptions, findDevices, type UsbIdentity, watchDevices } from './node/devices.ts';
export { readDialect } from './node/dialect.ts';
export { FileSource } from './node/file.ts';
export { environmentKey, readKey } from './node/key.ts';
export { Forwarder } from './node/links/forward.ts';
export { type Link, type LinkListener, type LinkOptions, makeLink } from './node/links/link.ts';
export { LiveSession, type SessionOptions } from './node/live-session.ts';
export { type Input, openLog } from './node/open.ts';
export { type Played, type PlayOptions, play } from './node/play.ts';
export { type PlayedRecord, playback } from './node/playback.ts';
export { type RecordedFile, Recorder, type RecorderOptions, type RecorderState } from './node/recorder.ts';
