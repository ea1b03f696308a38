import { clockText } from '../shared/format.ts';
import type { VehicleSummary } from './wire.ts';

/** A number with so many digits behind the point, or a dash. */
export function fixed(value: number | null | undefined, digits: number, unit = ''): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const text = value.toFixed(digits);
  return `${/^-0\.?0*$/.test(text) ? text.slice(1) : text.replace('-', '−')}${unit === '' ? '' : ` ${unit}`}`;
}

/** How long ago, in few letters: now, 4 s, 3:07. */
export function ageText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 2) return 'now';
  return seconds < 60 ? `${Math.floor(seconds)} s` : clockText(Math.floor(seconds), 0);
}

export function vehicleName({ id, class: kind }: VehicleSummary): string {
  return `${kind === '' ? 'Vehicle' : kind} ${id}`;
}

/** How good a link is, from 0 to 4, by what was lost of what was sent. */
export function linkQuality({ lost, loss }: VehicleSummary): number {
  if (lost) return 0;
  if (loss === null || loss < 0.01) return 4;
  return loss < 0.05 ? 3 : loss < 0.15 ? 2 : 1;
}

/** GPS_FIX_TYPE. */
const FIXES: readonly string[] = [
  ...['no GPS', 'no fix', '2D fix', '3D fix', 'DGPS', 'RTK float', 'RTK fixed', 'static', 'PPP'],
];

export function fixText(fix: number): string {
  return FIXES[fix] ?? `fix ${fix}`;
}

/** MAV_RESULT. */
const RESULTS: readonly string[] = [
  ...['accepted', 'temporarily rejected', 'denied', 'unsupported', 'failed', 'in progress', 'cancelled'],
];

export function resultText(result: number | null): string {
  return result === null ? 'no answer yet' : (RESULTS[result] ?? `answer ${result}`);
}
