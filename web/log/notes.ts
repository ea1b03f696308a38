import { keep, partsOf, recallData } from '../shared/kept.ts';

/** A user's note about a moment or an interval of a log; microseconds of its clock. */
export interface Note {
  readonly from: number;
  readonly to: number | null;
  readonly text: string;
}

const KEPT = 'skein-notes';
/** What is kept in the browser: of more logs the oldest go. */
const LOGS = 200;
const NOTES = 500;
const TEXT = 2000;

/** The notes on a log, which is known by the hash of its bytes. */
export function keptNotes(log: string): Note[] {
  return (all().get(log) ?? []).flatMap(noteOf).slice(0, NOTES);
}

/** Keeps the notes on a log; false if the browser does not. */
export function keepNotes(log: string, notes: readonly Note[]): boolean {
  const kept = all();
  kept.delete(log);
  if (notes.length > 0) kept.set(log, notes.slice(0, NOTES));
  return keep(KEPT, JSON.stringify([...kept].slice(-LOGS)));
}

function all(): Map<string, readonly unknown[]> {
  const data = recallData(KEPT);
  const entries = (Array.isArray(data) ? data : []).filter(
    (entry): entry is [string, unknown[]] =>
      Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1]),
  );
  return new Map(entries);
}

function noteOf(data: unknown): Note[] {
  const { from, to, text } = partsOf(data);
  if (typeof from !== 'number' || !Number.isFinite(from) || typeof text !== 'string' || text.trim() === '') return [];
  return [{ from, to: typeof to === 'number' && to > from ? to : null, text: text.slice(0, TEXT) }];
}
