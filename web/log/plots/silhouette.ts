import { fieldText } from '../fields/field-name.ts';
import type { OpenFile } from '../open-file.svelte.ts';
import type { LogPage } from '../page.svelte.ts';

/** Heights in logs, the best first. */
const HEIGHTS: readonly (readonly [table: string, field: string])[] = [
  ['CTUN', 'Alt'],
  ['BARO', 'Alt'],
  ['POS', 'RelHomeAlt'],
  ['GLOBAL_POSITION_INT', 'relative_alt'],
  ['VFR_HUD', 'alt'],
  ['GPS', 'Alt'],
  ['GPS_RAW_INT', 'alt'],
  ['GGA', 'altitude'],
  ['AltitudeEllipsoid', 'Altitude'],
];

/** The outline of a flight's height as an SVG path; empty without a height. */
export async function silhouette(
  page: LogPage,
  { key, summary, offset }: OpenFile,
  from: number,
  to: number,
  width: number,
  height: number,
): Promise<string> {
  for (const [name, field] of HEIGHTS) {
    const table = summary?.tables.find((known) => known.name === name && known.rows > 1);
    if (!table?.fields.some((known) => known.name === field)) continue;
    const text = fieldText({ table: name, stream: table.stream, field, element: -1 });
    const [answer] = await page.worker.draw([{ file: key, text, offset }], from, to, Math.ceil(width / 2));
    if ('problem' in answer) continue;
    const { x, y, low, high } = answer.value;
    if (!(high > low)) continue;
    const points: string[] = [];
    for (let i = 0; i < x.length; i++) {
      if (Number.isNaN(y[i])) continue;
      const left = ((x[i] - from) / (to - from)) * width;
      const top = height - 3 - ((y[i] - low) / (high - low)) * (height - 9);
      points.push(`${left.toFixed(1)} ${top.toFixed(1)}`);
    }
    if (points.length === 0) continue;
    const [first, last] = [points[0].split(' ')[0], points[points.length - 1].split(' ')[0]];
    return `M${first} ${height}L${points.join('L')}L${last} ${height}Z`;
  }
  return '';
}
