import { findPresets } from '../fields/presets.ts';
import type { OpenFile } from '../open-file.svelte.ts';
import type { LogPage } from '../page.svelte.ts';

/** The outline of a flight's height as an SVG path; empty without a height. */
export async function silhouette(
  page: LogPage,
  { key, summary, offset }: OpenFile,
  from: number,
  to: number,
  width: number,
  height: number,
): Promise<string> {
  const text = findPresets(summary?.tables ?? []).find(({ name }) => name === 'Altitude')?.panes[0]?.[0];
  if (text === undefined) return '';
  const [answer] = await page.worker.draw([{ file: key, text, offset }], from, to, Math.ceil(width / 2));
  if ('problem' in answer) return '';
  const { x, y, low, high } = answer.value;
  if (!(high > low)) return '';
  const points: string[] = [];
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(y[i])) continue;
    const left = ((x[i] - from) / (to - from)) * width;
    const top = height - 3 - ((y[i] - low) / (high - low)) * (height - 9);
    points.push(`${left.toFixed(1)} ${top.toFixed(1)}`);
  }
  if (points.length === 0) return '';
  const [first, last] = [points[0].split(' ')[0], points[points.length - 1].split(' ')[0]];
  return `M${first} ${height}L${points.join('L')}L${last} ${height}Z`;
}
