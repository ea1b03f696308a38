import type { Log } from '../core/log.ts';
import { type Autopilot, firmwareName } from './heartbeat.ts';
import type { Firmware } from './vehicle.ts';

/** The lowest byte of flight_sw_version: how far the release was. */
const RELEASES: readonly (readonly [from: number, suffix: string])[] = [
  [255, ''],
  [192, '-rc'],
  [128, '-beta'],
  [64, '-alpha'],
  [0, '-dev'],
];

/** The firmware as AUTOPILOT_VERSION tells it; the name comes from the heartbeat. */
export async function messageFirmware(log: Log, autopilot: Autopilot): Promise<Firmware> {
  const name = firmwareName(autopilot);
  const table = log.table('AUTOPILOT_VERSION', autopilot.table.stream);
  if (!table?.field('flight_sw_version') || table.rows === 0) return { name, version: null, git: null, text: name };
  const [software, custom] = await table.columns(['flight_sw_version', 'flight_custom_version'], {
    from: table.rows - 1,
  });
  const version = versionText(software.numbers()[0]);
  const git = gitText(Array.from(custom.numbers()));
  const text = [name, version && `V${version}`, git && `(${git})`].filter(Boolean).join(' ');
  return { name, version, git, text };
}

/** Bytes from the highest: major, minor, patch, kind of release. All zero means that it is not known. */
export function versionText(word: number): string | null {
  if (!(word > 0)) return null;
  const suffix = RELEASES.find(([from]) => (word & 0xff) >= from)?.[1] ?? '';
  return `${word >>> 24}.${(word >>> 16) & 0xff}.${(word >>> 8) & 0xff}${suffix}`;
}

/** ArduPilot writes eight letters of the hash, PX4 five bytes of it behind three of its own, the lowest first. */
export function gitText(bytes: readonly number[]): string | null {
  if (bytes.every((byte) => byte === 0)) return null;
  const text = String.fromCharCode(...bytes);
  if (/^[0-9a-f]{8}$/.test(text)) return text;
  return bytes
    .slice(3)
    .reverse()
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
