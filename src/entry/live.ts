/**
 * Vehicles live: sessions with links and recordings, devices on serial ports, playback.
 *
 * @module skein/live
 * @example
 * import { LiveSession, parseLink } from 'skein/live';
 *
 * const session = new LiveSession({ links: [parseLink('udpin:127.0.0.1:0')] });
 * session.start();
 * console.log(session.links.map((link) => link.state.state));
 * await session.stop();
 */

export { PROBE_SPEEDS, type Probed, type ProbeOptions, type ProbePort, probe } from '../links/device-probe.ts';
export { type Device, type FindOptions, findDevices, type UsbIdentity, watchDevices } from '../links/devices.ts';
export { type Played, type PlayedRecord, type PlayOptions, play, playback } from '../links/playback.ts';
export type { Battery } from '../live/battery.ts';
export { LiveCollector } from '../live/collector.ts';
export {
  type DeviceIdentity,
  type DeviceState,
  DeviceVerifier,
  type MavlinkIdentity,
  type SensorIdentity,
} from '../live/device-verifier.ts';
export type { LiveEvent, LiveListener, MessageEvent } from '../live/events.ts';
export { EventQueue } from '../live/events.ts';
export type { FirmwareType, LiveFirmware } from '../live/firmware.ts';
export { type LinkAddress, LinkError, linkText, parseLink } from '../live/link-name.ts';
export type { LinkState } from '../live/link-state.ts';
export type { LatestMessage, LinkStatistics, LiveOptions, LiveStatistics, MessageCount } from '../live/options.ts';
export { type RoutedLink, Router, type RouterCounts, type RouterOptions } from '../live/router.ts';
export type { StatusText } from '../live/texts.ts';
export { PROFILES, type Profile } from '../live/vehicle/profile.ts';
export type { MessageRequest, StreamRequests } from '../live/vehicle/request-plan.ts';
export type { Freshness, LiveVehicle } from '../live/vehicle.ts';
export { type Link, type LinkListener, type LinkOptions, makeLink } from '../session/links.ts';
export { type RecordedFile, Recorder, type RecorderOptions, type RecorderState } from '../session/recorder.ts';
export { LiveSession, type SessionOptions } from '../session/session.ts';
export { type SettingsContext, sessionOptions } from '../session/session-options.ts';
export { parseSettings, type Settings, SettingsError } from '../session/settings.ts';
export { type RecorderStatus, type Status, statusOf, type VehicleStatus } from '../session/status.ts';
