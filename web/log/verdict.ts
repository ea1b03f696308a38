import type { Report } from '../../src/browser.ts';

/** The verdict of a report in two words. */
export function verdictText({ counts, verdict }: Pick<Report, 'counts' | 'verdict'>): string {
  const counted = (count: number, noun: string): string => (count === 1 ? `1 ${noun}` : `${count} ${noun}s`);
  if (counts.fail > 0) return counted(counts.fail, 'failure');
  if (counts.warn > 0) return counted(counts.warn, 'warning');
  return verdict === 'ok' ? 'Healthy' : 'No verdict';
}
