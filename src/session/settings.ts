import { isBusToken } from '../live/link-name.ts';
import { PROFILES } from '../live/vehicle/profile.ts';
import type { StreamRequests } from '../live/vehicle/request-plan.ts';

/*
 * The configuration file of a collector: JSON. These keys are those of the collector that it replaces:
 *
 *     { "udp_address": "127.0.0.1", "udp_port": 14550, "request_sysid": 255, "request_interval_ms": 1000,
 *       "heartbeat_timeout_ms": 5000, "log_file": "status.json" }
 */

/** Bytes of a configuration file. */
export const SETTINGS_BYTES: number = 1 << 20;

/** The keys of a configuration; all are optional. */
export interface Settings {
  udp_address?: string;
  udp_port?: number;
  request_sysid?: number;
  request_interval_ms?: number;
  heartbeat_timeout_ms?: number;
  log_file?: string;
  /** Links to open beside or in place of the address and port. */
  links?: string[];
  forward?: string[];
  request_compid?: number;
  /** Whether vehicles are asked for messages, and heartbeats are sent. */
  request?: boolean;
  heartbeat?: boolean;
  stream_request?: StreamRequests;
  profile?: string;
  /** Times a second by message, in place of what the profile says. */
  rates?: Record<string, number>;
  history_file?: string;
  record?: string;
  record_armed?: boolean;
  /** When the disk has what was recorded: with each write, once a second, or when the system likes. */
  sync?: 'always' | '1s' | 'off';
  /** Addresses and networks that links and API take; all where it is absent. */
  allow?: string[];
  http?: boolean | string;
  key_file?: string;
  unsigned?: 'refuse' | 'accept';
  dialect?: string;
  allow_commands?: boolean;
  /** A message bus that all frames go to, and how. */
  bus?: string;
  bus_creds?: string;
  bus_ca?: string;
  bus_cert?: string;
  bus_key?: string;
  bus_replicas?: string;
  bus_name?: string;
  bus_spool?: string;
  bus_spool_size?: string;
  bus_keep?: string;
  bus_keep_size?: string;
  bus_by_message?: boolean;
}

/** A configuration that cannot be used: the sentence names the key and what is allowed. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Says what a value must be, or undefined if it is right. */
type ValueCheck = (value: unknown) => string | undefined;

const text: ValueCheck = (value) => (typeof value === 'string' && value !== '' ? undefined : 'a non-empty string');
const flag: ValueCheck = (value) => (typeof value === 'boolean' ? undefined : 'true or false');
const texts: ValueCheck = (value) =>
  Array.isArray(value) && value.every((each) => !text(each)) ? undefined : 'a list of strings';
const whole =
  (low: number, high: number): ValueCheck =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high
      ? undefined
      : `a whole number from ${low} to ${high}`;
const oneOf =
  (...allowed: string[]): ValueCheck =>
  (value) =>
    allowed.includes(value as string) ? undefined : `one of ${allowed.join(', ')}`;
const rates: ValueCheck = (value) => {
  const isFine =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((rate) => typeof rate === 'number' && rate >= 0 && rate <= 1000);
  return isFine ? undefined : 'an object of message names and times a second from 0 to 1000';
};

const tokenOfBus: ValueCheck = (value) =>
  typeof value === 'string' && isBusToken(value) ? undefined : 'up to 64 letters, digits, - and _';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const BYTES: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** `30s`, `10m`, `2h` or `7d` in seconds; `500M` or `2G` in bytes; NaN for anything else. */
export function amountOf(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhdKMGT])$/.exec(text) ?? [];
  return Number(count) * (SECONDS[unit] ?? BYTES[unit]);
}

const amount =
  (units: Readonly<Record<string, number>>, expected: string): ValueCheck =>
  (value) =>
    typeof value === 'string' && amountOf(value) > 0 && Object.hasOwn(units, value.slice(-1)) ? undefined : expected;
const time = amount(SECONDS, 'a time such as 30s, 10m, 2h or 7d');
const size = amount(BYTES, 'a size such as 500M or 2G');

const CHECKS: Readonly<Record<keyof Settings, ValueCheck>> = {
  udp_address: text,
  udp_port: whole(1, 65535),
  request_sysid: whole(1, 255),
  request_interval_ms: whole(100, 60_000),
  heartbeat_timeout_ms: whole(500, 3_600_000),
  log_file: text,
  links: texts,
  forward: texts,
  request_compid: whole(0, 255),
  request: flag,
  heartbeat: flag,
  stream_request: oneOf('needed', 'always', 'never'),
  profile: oneOf(...Object.keys(PROFILES)),
  rates,
  history_file: text,
  record: text,
  record_armed: flag,
  sync: oneOf('always', '1s', 'off'),
  allow: texts,
  http: (value) => (flag(value) && text(value) ? 'true, false or an address' : undefined),
  key_file: text,
  unsigned: oneOf('refuse', 'accept'),
  dialect: text,
  allow_commands: flag,
  bus: text,
  bus_creds: text,
  bus_ca: text,
  bus_cert: text,
  bus_key: text,
  bus_replicas: oneOf('1', '2', '3', '4', '5'),
  bus_name: tokenOfBus,
  bus_spool: text,
  bus_spool_size: size,
  bus_keep: time,
  bus_keep_size: size,
  bus_by_message: flag,
};

export const SETTING_KEYS: readonly string[] = Object.keys(CHECKS);

/** Reads the text of a configuration file. */
export function parseSettings(json: string): Settings {
  let value: unknown;
  try {
    // Windows editors put a byte order mark first
    value = JSON.parse(json.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new SettingsError(`configuration is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SettingsError('configuration must be a JSON object');
  return checkSettings(value as Readonly<Record<string, unknown>>);
}

/** Checks keys and values, wherever they come from. */
export function checkSettings(values: Readonly<Record<string, unknown>>): Settings {
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    if (!Object.hasOwn(CHECKS, key))
      throw new SettingsError(`configuration has an unknown key ${key}; known keys: ${SETTING_KEYS.join(', ')}`);
    const allowed = CHECKS[key as keyof Settings](value);
    if (allowed !== undefined)
      throw new SettingsError(`configuration key ${key} is ${JSON.stringify(value)}: it must be ${allowed}`);
    settings[key] = value;
  }
  return settings as Settings;
}
