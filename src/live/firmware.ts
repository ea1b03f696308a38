import type { Row } from '../core/table.ts';
import { hexOf } from '../core/text.ts';
import { firmwareName, type Stack } from '../facts/heartbeat.ts';
import { gitText, versionText } from '../facts/vehicle.ts';
import { number } from './battery.ts';

/** The lowest byte of a version: how far the release was. */
const RELEASES: readonly (readonly [from: number, type: FirmwareType])[] = [
  [255, 'official'],
  [192, 'rc'],
  [128, 'beta'],
  [64, 'alpha'],
  [0, 'dev'],
];

export type FirmwareType = 'official' | 'rc' | 'beta' | 'alpha' | 'dev';

/** What runs on the autopilot. */
export interface LiveFirmware {
  /** By the heartbeat: ArduCopter, PX4 ... */
  readonly name: string;
  /** 4.6.1; null where the vehicle did not say. */
  readonly version: string | null;
  readonly type: FirmwareType | null;
  readonly git: string | null;
  /** Hexadecimal: what stays the same when the vehicle gets another system id. */
  readonly uid: string | null;
}

/** The firmware by the heartbeat and AUTOPILOT_VERSION. */
export function firmwareOf(stack: Stack, row: Row | undefined): LiveFirmware {
  const name = firmwareName(stack);
  const word = number(row?.flight_sw_version) ?? 0;
  if (!row) return { name, version: null, type: null, git: null, uid: null };
  const version = versionText(word)?.replace(/-.*/, '') ?? null;
  const type = version === null ? null : (RELEASES.find(([from]) => (word & 0xff) >= from)?.[1] ?? null);
  return { name, version, type, git: gitText(bytesOf(row.flight_custom_version)), uid: uidOf(row) };
}

/** The longer id replaces the shorter one where a vehicle has it. */
function uidOf(row: Row): string | null {
  const long = bytesOf(row.uid2);
  if (long.some((byte) => byte !== 0)) return hexOf(Uint8Array.from(long));
  return row.uid === 0 || row.uid === null ? null : BigInt(row.uid as number | bigint).toString(16);
}

function bytesOf(value: unknown): number[] {
  if (value instanceof Uint8Array) return [...value];
  return Array.isArray(value) ? value.map((each) => number(each) ?? 0) : [];
}
