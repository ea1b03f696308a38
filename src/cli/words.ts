/*
 * Numbers and words as people read and type them. The same on every machine, whatever its language is set to.
 */

/** 1234567 -> 1,234,567 */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The number and its noun: 1 record, 2 records. */
export function counted(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Microseconds as 12.3 s, 2 min 13.7 s, 1 h 02 min. */
export function lasting(micros: number): string {
  const size = Math.abs(micros);
  const sign = micros < 0 ? '-' : '';
  if (size < 999.5) return `${sign}${Math.round(size)} µs`;
  if (size < 999_950) return `${sign}${(size / 1e3).toFixed(1)} ms`;
  // rounded before it is divided: 60.0 s are a minute
  const tenths = Math.round(size / 1e5);
  const minutes = Math.floor(tenths / 600);
  const seconds = `${((tenths % 600) / 10).toFixed(1)} s`;
  if (minutes === 0) return sign + seconds;
  if (minutes < 60) return `${sign}${minutes} min ${seconds}`;
  return `${sign}${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** UTC to the millisecond; dates that a calendar cannot hold as they are. */
export function dateOf(micros: number): string {
  const date = new Date(Math.floor(micros / 1000));
  return Number.isNaN(date.getTime())
    ? `${micros / 1e6} s`
    : `${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** Rows a second, to two digits or more. */
export function perSecond(rows: number, micros: number): string {
  if (rows < 2 || !(micros > 0)) return '';
  const rate = (rows - 1) / (micros / 1e6);
  const digits = rate >= 10 ? 0 : rate >= 1 ? 1 : rate >= 0.1 ? 2 : 3;
  return `${rate.toFixed(digits)} Hz`;
}

/** Letters that may differ in a word that was mistyped. */
const MISTYPED = 2;

/** The word of a list that was meant, if one of them is like it. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known.map((name) => ({ name, far: distance(word, name) })).sort((a, b) => a.far - b.far);
  return best && best.far <= MISTYPED ? best.name : undefined;
}

/** How many letters must be changed, added, taken away or swapped with their neighbour, whatever their case. */
function distance(a: string, b: string): number {
  const [from, to] = [a.toUpperCase(), b.toUpperCase()];
  const rows = [Array.from({ length: to.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= from.length; i++) {
    rows[i] = [i];
    for (let k = 1; k <= to.length; k++) {
      const isSame = from[i - 1] === to[k - 1];
      const isSwapped = i > 1 && k > 1 && from[i - 1] === to[k - 2] && from[i - 2] === to[k - 1];
      rows[i][k] = Math.min(
        rows[i - 1][k] + 1,
        rows[i][k - 1] + 1,
        rows[i - 1][k - 1] + (isSame ? 0 : 1),
        isSwapped ? rows[i - 2][k - 2] + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return rows[from.length][to.length];
}
