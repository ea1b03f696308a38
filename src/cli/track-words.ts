import type { Track } from '../geo/track.ts';
import { counted, grouped } from './words.ts';

/** Whether some records of its source are not in a track, or some altitudes. */
export function isPartial({ points, rows, badAltitudes }: Track): boolean {
  return points < rows || badAltitudes > 0;
}

/** What a track was made of, and what it leaves out. */
export function trackWords({ points, source, rows, dropped, badAltitudes }: Track): string {
  if (source === '') return 'the log has no positions: the track is empty';
  const causes = [
    [dropped.noFix, 'without a fix'],
    [dropped.outOfRange, 'out of range'],
    [dropped.duplicate, 'repeated'],
    [dropped.untimed, 'without a time'],
    [dropped.unreachable, 'where no vehicle can have flown'],
  ].filter(([count]) => count !== 0);
  const left =
    causes.length === 0
      ? ''
      : `, left out ${causes.map(([count, cause]) => `${grouped(Number(count))} ${cause}`).join(', ')}`;
  const altitudes = badAltitudes === 0 ? '' : `; ${counted(badAltitudes, 'altitude')} left out`;
  return `${counted(points, 'point')} of ${counted(rows, 'record')} of ${source}${left}${altitudes}`;
}
